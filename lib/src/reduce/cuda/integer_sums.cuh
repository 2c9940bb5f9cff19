// What a thread adds up of integers: sums of 32-bit digits, exact in any order.
//
// Digits are below 2^32 and a digit's sum has 64 bits: it holds 2^31 of them. A thread takes some thousand batches,
// then its sums go to the block's limbs (integer_pass.cuh). Bytes and halves are first added in words of 32 bits: those
// hold a batch.
#pragma once

#include "reduce/cuda/block_state.cuh"
#include "reduce/cuda/integer_words.cuh"
#include "reduce/plan.hpp"

namespace steadfold::inline v0::cuda {

/// Adds a digit sum of every lane to limbs in shared memory; the whole warp. Called from many places, and seldom.
__device__ __noinline__ inline void deposit_of_warp(std::uint64_t* limbs, std::int64_t mine, int exponent) {
    constexpr unsigned all = 0xffffffffu;
    if (!__any_sync(all, mine != 0)) return;
    auto const low = __reduce_add_sync(all, static_cast<unsigned>(mine & 0xffffff));
    auto const middle = __reduce_add_sync(all, static_cast<unsigned>((mine >> 24) & 0xffffff));
    auto const high = __reduce_add_sync(all, static_cast<int>(mine >> 48));
    if (threadIdx.x % 32 != 0) return;
    exact::deposit(limbs, 0, low + (static_cast<std::int64_t>(middle) << 24), exponent, shared_add{});
    exact::deposit(limbs, 0, static_cast<std::int64_t>(high), exponent + 48, shared_add{});
}

template <bool Signed, unsigned Family>
class integer_sums {
  public:
    static constexpr bool has_sum = (Family & reduce_detail::feature_sum) != 0;
    static constexpr bool has_magnitudes = (Family & reduce_detail::feature_magnitudes) != 0; // only with the sum
    static constexpr bool has_products = (Family & reduce_detail::feature_products) != 0;
    static constexpr bool has_pairs = (Family & reduce_detail::feature_pairs) != 0;

    /// A batch; elements that are 0 leave no trace.
    template <int Bytes, int Count>
    __device__ void add(vector16 const (&x)[Count], vector16 const (&y)[Count]) {
        static_assert(Count * 16 * 255 * 255 < (1 << 30) && Count * 8 * 65535 < (1 << 30), "a batch fits words");
        narrow batch{};
#pragma unroll
        for (int u = 0; u < Count; ++u)
#pragma unroll
            for (int w = 0; w < 4; ++w) {
                auto const a = static_cast<word>(x[u].word[w]), b = has_pairs ? static_cast<word>(y[u].word[w]) : a;
                if constexpr (Bytes == 1) add_bytes(batch, a, b);
                if constexpr (Bytes == 2) add_halves(batch, a, b);
                if constexpr (Bytes == 4) add_word(a, b);
                if constexpr (Bytes == 8)
                    if (w % 2 == 0) add_long(long_word(x[u], w / 2), has_pairs ? long_word(y[u], w / 2) : 0);
            }
        if constexpr (Bytes > 2) return;
        if constexpr (has_sum) sum_[0] += batch.sum;
        if constexpr (has_negatives) magnitudes_[0] += batch.sum + 2 * batch.negative;
        if constexpr (has_products && Bytes == 1) products_[0] += batch.products;
    }

    /// The only sum, a piece a lane, of all lanes together: of digits 2^32 apart.
    [[nodiscard]] __device__ std::int32_t piece() const {
        static_assert(has_sum + has_magnitudes + has_products == 1);
        if constexpr (has_sum) {
            std::int64_t const digits[2] = {sum_[1], sum_[0]};
            return warp_piece(digits);
        } else {
            std::int64_t const digits[4] = {products_[3], products_[2], products_[1], products_[0]};
            return warp_piece(digits);
        }
    }

    /// Moves everything into the block; the whole warp.
    template <class Block>
    __device__ void settle(Block& block) {
#pragma unroll
        for (int i = 0; i < 4; ++i) {
            if constexpr (has_sum)
                if (i < 2) deposit_of_warp(block.sum, sum_[i], 32 * i);
            if constexpr (has_magnitudes)
                if (i < 2) deposit_of_warp(block.magnitudes, Signed ? magnitudes_[i] : sum_[i], 32 * i);
            if constexpr (has_products) deposit_of_warp(block.products, products_[i], 32 * i);
        }
        *this = {};
    }

  private:
    static constexpr bool has_negatives = has_magnitudes && Signed;
    using word = std::conditional_t<Signed, std::int32_t, std::uint32_t>;
    using wide = std::conditional_t<Signed, std::int64_t, std::uint64_t>;

    struct narrow {
        word sum, negative, products; // negative: as magnitudes
    };

    __device__ static void add_bytes(narrow& batch, word a, word b) {
        if constexpr (has_sum) batch.sum = __dp4a(a, word{0x01010101}, batch.sum);
        if constexpr (has_negatives) // signs are -1
            batch.negative = __dp4a(a, static_cast<word>(byte_signs(a, signs_of_bytes)), batch.negative);
        if constexpr (has_products) batch.products = __dp4a(a, b, batch.products);
    }

    __device__ void add_halves(narrow& batch, word a, word b) {
        if constexpr (has_sum) batch.sum = __dp2a_lo(a, word{0x0101}, batch.sum);
        if constexpr (has_negatives)
            batch.negative = __dp2a_lo(a, static_cast<word>(byte_signs(a, signs_of_halves_as_bytes)), batch.negative);
        if constexpr (has_products) { // below 2^32 in magnitude: as good as a digit
            using half = std::conditional_t<Signed, std::int16_t, std::uint16_t>;
            products_[0] = add_product(products_[0], word{static_cast<half>(a)}, word{static_cast<half>(b)});
            products_[0] = add_product(products_[0], a >> 16, b >> 16);
        }
    }

    __device__ void add_word(word a, word b) {
        if constexpr (has_sum) sum_[0] += a;
        if constexpr (has_negatives) magnitudes_[0] += a < 0 ? 0u - static_cast<unsigned>(a) : static_cast<unsigned>(a);
        if constexpr (has_products) {
            wide const product = static_cast<wide>(a) * b;
            products_[0] += static_cast<std::uint32_t>(product);
            products_[1] += static_cast<word>(product >> 32);
        }
    }

    __device__ void add_long(std::uint64_t a, std::uint64_t b) {
        if constexpr (has_sum) add_digits(sum_, a, static_cast<wide>(a) >> 32);
        if constexpr (has_pairs) {
            add_digits(products_, a * b, static_cast<std::uint32_t>(a * b >> 32));
            auto const high =
                Signed ? static_cast<wide>(__mul64hi(static_cast<std::int64_t>(a), static_cast<std::int64_t>(b)))
                       : static_cast<wide>(__umul64hi(a, b));
            add_digits(products_ + 2, static_cast<std::uint64_t>(high), high >> 32);
        } else if constexpr (has_magnitudes) {
            std::uint64_t const magnitude = Signed && static_cast<std::int64_t>(a) < 0 ? 0 - a : a;
            if constexpr (Signed) add_digits(magnitudes_, magnitude, magnitude >> 32);
            std::uint64_t const low = magnitude * magnitude, high = __umul64hi(magnitude, magnitude);
            add_digits(products_, low, low >> 32);
            add_digits(products_ + 2, high, high >> 32);
        }
    }

    /// The lower half of `x` and, with its sign, the upper one.
    template <class Upper>
    __device__ static void add_digits(std::int64_t* digits, std::uint64_t x, Upper upper) {
        digits[0] += static_cast<std::uint32_t>(x);
        digits[1] += static_cast<std::int64_t>(upper);
    }

    std::int64_t sum_[2] = {}, magnitudes_[2] = {}, products_[4] = {};
};

} // namespace steadfold::inline v0::cuda
