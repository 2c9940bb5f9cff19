// fold_total.cuh and digit_total.cuh for tests, which cannot include what kernels are made of.
#pragma once

#include <array>
#include <cstdint>

namespace on_cpu {

inline constexpr int most_pieces = 12;

struct rounded {
    double value, left, unsure;
    int exponent;
    bool left_is_rounded;
};

/// Of the pieces of one to three folds, those of rests behind them; `shape` is 0, 1 or 2 for folds of 1, 2 (48 bits
/// apart) and 3 (49 bits), 3 for 2 folds of float16 products.
[[nodiscard]] rounded round_fold_total(int shape, std::array<std::int64_t, most_pieces> const& pieces, bool has_rests,
                                       int exponent);
/// Of four sums of digits, the first in units of 2^exponent, each other one in units 2^-spacing times as large.
[[nodiscard]] rounded round_digit_total(std::array<double, 4> const& sums, int exponent, int spacing);
/// Bits of piece p above the lowest one's; -1: there is no such piece.
[[nodiscard]] int shift_of_piece(int shape, int p);

} // namespace on_cpu
