#include "reduce/on_cpu/fold_total.hpp"

#include "reduce/cuda/digit_total.cuh"
#include "reduce/cuda/fold_total.cuh"

#include <cmath>

namespace on_cpu {

namespace kernels = steadfold::cuda; // a macro gives it the name of its own

namespace {

template <class Function>
auto with_shape(int shape, Function const& f) {
    switch (shape) {
    case 0:
        return f(kernels::hot_pieces<1, 48>{});
    case 1:
        return f(kernels::hot_pieces<2, 48>{});
    case 2:
        return f(kernels::hot_pieces<3, 49>{});
    default:
        return f(kernels::hot_pieces<2, 32>{});
    }
}

} // namespace

rounded round_fold_total(int shape, std::array<std::int64_t, most_pieces> const& pieces, bool has_rests, int exponent) {
    return with_shape(shape, [&]<class Hot>(Hot) -> rounded {
        kernels::fold_total<Hot> const total{[&](int p) { return pieces[static_cast<std::size_t>(p)]; }, has_rests};
        kernels::rounded_sum const sum = total.rounded(exponent);
        return {sum.value, sum.left, sum.unsure, sum.exponent, sum.left_is_rounded};
    });
}

rounded round_digit_total(std::array<double, 4> const& sums, int exponent, int spacing) {
    double const numbers[4] = {sums[0], sums[1], sums[2], sums[3]};
    auto const magic = [&](int i) { return std::ldexp(1.5, 52 + exponent - i * spacing); };
    kernels::rounded_sum const sum = kernels::digit_total{numbers, magic}.rounded();
    return {sum.value, sum.left, sum.unsure, sum.exponent, sum.left_is_rounded};
}

int shift_of_piece(int shape, int p) {
    return with_shape(shape, [&]<class Hot>(Hot) { return p < Hot::all_pieces ? Hot::shift(p) : -1; });
}

} // namespace on_cpu
