// Integers: sums of 32-bit digits in registers, exact in any order. One kernel serves all widths: elements widen on
// load.
#pragma once

#include "reduce/cuda/block_state.cuh"
#include "reduce/cuda/element.cuh"
#include "reduce/cuda/pass.hpp"
#include "reduce/cuda/vector_loads.cuh"
#include "reduce/plan.hpp"

namespace steadfold::inline v0::cuda {

/// Zeroed before use.
template <unsigned Family>
struct integer_block {
    static constexpr int components = 1;
    static constexpr bool has_sum = (Family & reduce_detail::feature_sum) != 0;
    static constexpr bool has_magnitudes = (Family & reduce_detail::feature_magnitudes) != 0;
    static constexpr bool has_products = (Family & reduce_detail::feature_products) != 0;

    std::uint64_t sum[exact::sum_layout(dtype::int64).limbs], magnitudes[exact::sum_layout(dtype::int64).limbs];
    std::uint64_t products[exact::product_layout(dtype::int64).limbs];
    exact::special_counts counts[1];
    std::int64_t first_nan, irregular;

    __device__ static unsigned cleared_bytes(pass_arguments const&) { return sizeof(integer_block); }
    __device__ void empty_bins() {}
    template <class Function>
    __device__ void for_each_sum(Function const& f) {
        if constexpr (has_sum) f(sum, 0, quantity::sum, 0);
        if constexpr (has_magnitudes) f(magnitudes, 0, quantity::magnitudes, 0);
        if constexpr (has_products) f(products, 0, quantity::products, 0);
    }
};

template <bool Signed, unsigned Family>
class integer_pass {
  public:
    using block_type = integer_block<Family>;
    static constexpr dtype real = Signed ? dtype::int64 : dtype::uint64;
    static constexpr int min_blocks = 2, vectors_in_flight = 4;
    static constexpr int bulk_stages = most_bulk_stages, most_small_vectors = 0;
    static constexpr int components = 1, element_bytes = 0; // the width is known at run time
    static constexpr bool compares = true, is_fast = false; // also carries the index of the first missing element
    static constexpr bool meets_hot = false;
    static constexpr std::uint64_t padding_x = 0, padding_y = 0;
    static constexpr bool takes_two = (Family & reduce_detail::feature_pairs) != 0, has_pairs = takes_two;
    static constexpr bool has_sum = (Family & reduce_detail::feature_sum) != 0;
    static constexpr bool has_magnitudes = (Family & reduce_detail::feature_magnitudes) != 0; // only with the sum
    static constexpr bool has_products = (Family & reduce_detail::feature_products) != 0;
    static constexpr bool has_extrema = (Family & reduce_detail::feature_extrema) != 0;

    __device__ integer_pass(pass_arguments const& arguments, block_type& block)
        : arguments_{arguments}, block_{block}, bytes_{arguments.integer_bytes} {}

    struct summary {
        std::uint32_t peak;
    };
    template <int Count>
    [[nodiscard]] __device__ static summary summarise(vector16 const (&)[Count], vector16 const (&)[Count]) {
        return {0};
    }
    __device__ void start(std::uint32_t) {}

    template <int Count, class Batch>
    __device__ void batch(vector16 const (&x)[Count], vector16 const (&y)[Count], summary const&, Batch const& where) {
        int const width = 16 / bytes_;
#pragma unroll
        for (int u = 0; u < Count; ++u) {
            std::uint64_t x_words[2] = {word(x[u], 0), word(x[u], 1)}, y_words[2] = {word(y[u], 0), word(y[u], 1)};
#pragma unroll
            for (int half = 0; half < 2; ++half)
                for (int k = 0; k < width / 2; ++k) {
                    int const j = half * (width / 2) + k;
                    if (std::int64_t const i = where.component(u, j); i >= 0)
                        take(low_element(x_words[half]), has_pairs ? low_element(y_words[half]) : 0, i);
                    x_words[half] = next(x_words[half]);
                    y_words[half] = next(y_words[half]);
                }
        }
    }

    __device__ void finish() {
        if constexpr (has_sum) {
            exact::deposit(block_.sum, 0, sum_[0], 0, shared_add{});
            exact::deposit(block_.sum, 0, sum_[1], 32, shared_add{});
        }
        if constexpr (has_magnitudes) {
            exact::deposit(block_.magnitudes, 0, sum_[0] - 2 * negative_[0], 0, shared_add{});
            exact::deposit(block_.magnitudes, 0, sum_[1] - 2 * negative_[1], 32, shared_add{});
        }
        if constexpr (has_products)
            for (int i = 0; i < 4; ++i) exact::deposit(block_.products, 0, product_[i], 32 * i, shared_add{});
        shared_count(&block_.counts[0].zero, zeros_);
        shared_count(&block_.counts[0].nan, missing_);
    }

    __device__ void contribute(block_partial& partial) const {
        partial.extrema = extrema_;
    }

  private:
    __device__ static std::uint64_t word(vector16 const& v, int half) {
        return (static_cast<std::uint64_t>(v.word[2 * half + 1]) << 32) | v.word[2 * half];
    }

    __device__ std::uint64_t next(std::uint64_t word) const {
        return bytes_ == 8 ? 0 : word >> (8 * bytes_);
    }

    __device__ std::int64_t low_element(std::uint64_t word) const {
        int const spare = 64 - 8 * bytes_;
        if constexpr (Signed)
            return static_cast<std::int64_t>(word << spare) >> spare;
        else
            return static_cast<std::int64_t>((word << spare) >> spare);
    }

    __device__ void take(std::int64_t x, std::int64_t y, std::int64_t i) {
        if (arguments_.has_missing && x == arguments_.missing) {
            ++missing_;
            extrema_.offer_nan(arguments_.first_index + i);
            return;
        }
        std::int64_t const sign = Signed ? x >> 63 : 0;
        if constexpr (has_sum) {
            std::int64_t const low = x & 0xffffffff;
            std::int64_t const high = Signed ? x >> 32 : static_cast<std::int64_t>(static_cast<std::uint64_t>(x) >> 32);
            sum_[0] += low;
            sum_[1] += high;
            if constexpr (has_magnitudes) {
                negative_[0] += low & sign;
                negative_[1] += high & sign;
            }
        }
        if constexpr (has_products) multiply(x, has_pairs ? y : x);
        if constexpr (has_extrema) {
            std::int64_t const key =
                Signed ? x : static_cast<std::int64_t>(static_cast<std::uint64_t>(x) ^ (1ull << 63));
            extrema_.offer_min(key, arguments_.first_index + i);
            extrema_.offer_max(key, arguments_.first_index + i);
            zeros_ += x == 0;
        }
    }

    __device__ void multiply(std::int64_t x, std::int64_t y) {
        auto const a = static_cast<std::uint64_t>(x), b = static_cast<std::uint64_t>(y);
        std::uint64_t const low = a * b;
        auto const high = Signed ? __mul64hi(x, y) : static_cast<std::int64_t>(__umul64hi(a, b));
        product_[0] += static_cast<std::int64_t>(low & 0xffffffffu);
        product_[1] += static_cast<std::int64_t>(low >> 32);
        product_[2] += high & 0xffffffff;
        product_[3] += Signed ? high >> 32 : static_cast<std::int64_t>(static_cast<std::uint64_t>(high) >> 32);
    }

    pass_arguments const& arguments_;
    block_type& block_;
    int bytes_;
    std::int64_t sum_[2] = {}, negative_[2] = {}, product_[4] = {};
    std::int64_t zeros_ = 0, missing_ = 0;
    exact::extrema_state extrema_;
};

} // namespace steadfold::inline v0::cuda
