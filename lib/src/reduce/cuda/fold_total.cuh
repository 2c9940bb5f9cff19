// The exact sum of a window's folds as a float64 number and what that leaves, in a few operations: no search for the
// highest bit among words, which takes longer than all folds of a small array.
#pragma once

#include "reduce/cuda/hot_digits.cuh"
#include "reduce/cuda/rounded_sum.cuh"

namespace steadfold::inline v0::cuda {

/// An integer in a mixed radix: a signed head and digits below it, the highest one first.
template <class Hot>
class fold_total {
  public:
    /// `piece(p)` is the sum of piece p of all blocks, below 2^51; the lowest three are asked for if there are rests.
    template <class Pieces>
    __device__ fold_total(Pieces const& piece, bool has_rests) {
        std::int64_t carry = 0;
        if (has_rests) [[unlikely]] {
            three_pieces const rests{piece(Hot::pieces), piece(Hot::pieces + 1), piece(Hot::pieces + 2)};
            digit_[Hot::folds + 1] = rests.low;
            digit_[Hot::folds] = static_cast<std::uint64_t>(rests.high) & ((1u << piece_bits) - 1);
            carry = rests.high >> piece_bits;
        }
#pragma unroll
        for (int fold = Hot::folds - 1; fold >= 0; --fold) {
            three_pieces const sum{piece(3 * fold) + carry, piece(3 * fold + 1), piece(3 * fold + 2)};
            if (fold == 0) {
                head_ = sum.high;
                digit_[0] = sum.low;
            } else if constexpr (Hot::spacing >= low_bits) {
                constexpr int more = Hot::spacing - low_bits;
                digit_[fold] = sum.low | ((static_cast<std::uint64_t>(sum.high) & ((1u << more) - 1)) << low_bits);
                carry = sum.high >> more;
            } else { // the folds are so short that their sums are, too
                digit_[fold] = sum.low & ((std::uint64_t{1} << Hot::spacing) - 1);
                carry = (sum.high << (low_bits - Hot::spacing)) + static_cast<std::int64_t>(sum.low >> Hot::spacing);
            }
        }
    }

    /// `exponent` is that of the lowest piece.
    [[nodiscard]] __device__ rounded_sum rounded(int exponent) const {
        return rounded_from<0>(head_, exponent);
    }

  private:
    static constexpr int low_bits = 2 * piece_bits, digits = Hot::folds + 2;

    struct three_pieces {
        std::int64_t high; // in units of 2^low_bits
        std::uint64_t low;
        __device__ three_pieces(std::int64_t a, std::int64_t b, std::int64_t c) {
            constexpr std::int64_t mask = (1 << piece_bits) - 1;
            b += a >> piece_bits;
            high = c + (b >> piece_bits);
            low = static_cast<std::uint64_t>((a & mask) | ((b & mask) << piece_bits));
        }
    };

    /// Bits of digit k, and of all behind it.
    __device__ static constexpr int bits(int k) {
        return k == 0 || k == digits - 1 ? low_bits : k < Hot::folds ? Hot::spacing : k == Hot::folds ? piece_bits : 0;
    }
    __device__ static constexpr int bits_behind(int k) {
        int sum = 0;
        for (int i = k + 1; i < digits; ++i) sum += bits(i);
        return sum;
    }

    /// Takes digits into the head while it stays a float64 number: then its last bit, and the two digits below, are far
    /// below the last bit of the result, where one sticky bit tells of everything else.
    template <int K>
    [[nodiscard]] __device__ rounded_sum rounded_from(std::int64_t head, int exponent) const {
        if constexpr (K == digits) {
            return {static_cast<double>(head), 0, 0, exponent, false};
        } else {
            constexpr std::int64_t most = std::int64_t{1} << (53 - bits(K));
            if (head < most && head >= -most)
                return rounded_from<K + 1>((head << bits(K)) | static_cast<std::int64_t>(digit_[K]), exponent);
            return rounded_here<K>(head, exponent + bits(K) + bits_behind(K));
        }
    }

    template <int K>
    [[nodiscard]] __device__ rounded_sum rounded_here(std::int64_t head, int exponent) const {
        constexpr int from_next = 52 - bits(K), left = bits(K + 1) - from_next;
        std::uint64_t tail = digit_[K] << from_next, below = 0, sticky = 0;
        if constexpr (K + 1 < digits) {
            tail |= digit_[K + 1] >> left;
            below = digit_[K + 1] & ((std::uint64_t{1} << left) - 1);
#pragma unroll
            for (int i = K + 2; i < digits; ++i) sticky |= digit_[i];
        }
        std::uint64_t const noted = tail | ((below | sticky) != 0 ? 1 : 0);
        auto const whole = static_cast<double>(head);
        rounded_sum sum;
        sum.value = __fma_rn(static_cast<double>(static_cast<std::int64_t>(noted)), 0x1p-52, whole);
        double const above = __dsub_rn(sum.value, whole); // exact: a head of more than 4 bits is the larger one
        double const upper = __fma_rn(static_cast<double>(static_cast<std::int64_t>(tail)), 0x1p-52, -above);
        constexpr double unit = power_of_two(-52 - (left > 0 ? left : 0));
        double const lower = __dmul_rn(static_cast<double>(static_cast<std::int64_t>(below)), unit); // exact, too
        sum.left = __dadd_rn(upper, lower);
        sum.left_is_rounded = __dsub_rn(sum.left, upper) != lower;
        sum.unsure = sticky != 0 ? unit : 0;
        sum.exponent = exponent;
        return sum;
    }

    __device__ static constexpr double power_of_two(int exponent) {
        double power = 1;
        for (int i = 0; i > exponent; --i) power /= 2;
        return power;
    }

    std::int64_t head_ = 0;
    std::uint64_t digit_[digits] = {};
};

} // namespace steadfold::inline v0::cuda
