/// Reductions of two arrays besides dot(): conjugated products, weighted sums and means, distances.
///
///     std::complex<double> rho = sf::dot_conjugated(world, sf::view{r.data(), n}, sf::view{z.data(), n});
///     double mean = sf::weighted_mean(world, sf::view{volumes.data(), n}, sf::view{pressure.data(), n});
///
/// Every result is the mathematically exact value rounded once, as in reduce.hpp, and for the same pairs the same bits
/// everywhere. A pair with a NaN counts as NaN. All calls are collective; both arrays have the same type and length.
/// They may lie in host memory or on a GPU, which then does the work; each may be strided.
#pragma once

#include "steadfold/reduce.hpp"

namespace steadfold {
inline namespace v0 {

/// Sum of conj(x[i]) * y[i] (BLAS dotc, NumPy's vdot; dot() is dotu); of real data the same as dot(). Each part is the
/// exact sum of its 2n real products, rounded once; infinities follow the rules of sums of these real products.
[[nodiscard]] result_value dot_conjugated(communicator const& ranks, array_view x, array_view y,
                                          reduce_options const& options = {});

/// Sum of w[i] * x[i]: dot() by another name.
[[nodiscard]] inline result_value weighted_sum(communicator const& ranks, array_view w, array_view x,
                                               reduce_options const& options = {}) {
    return dot(ranks, w, x, options);
}

/// Sum of w[i] * x[i] over sum of w[i], both exact, the quotient rounded once; always exact, in `fast` mode too.
///
/// Weights may be negative. NaN with status `invalid` if they add up to 0 or one of them is infinite; of nothing NaN
/// with status `empty`. An infinite element with weight other than 0 makes the mean infinite. Result: the real type of
/// means, or options.result.
/// @throws argument_error for complex data, besides what reduction throws
[[nodiscard]] result_value weighted_mean(communicator const& ranks, array_view w, array_view x,
                                         reduce_options const& options = {});

/// Euclidean distance: the L2 norm of x - y. The differences are rounded element by element, to the type of the
/// elements (half and bfloat16: to float; integers: not at all); the sum of their squares is exact and its root
/// correctly rounded. Inf - Inf is a NaN like others. Result: as l2 of the differences: float64 for float64 and
/// integers, else float32.
/// @throws argument_error for arrays of different type or length, one in device memory and the other one where that GPU
///         cannot read it, or a missing value
[[nodiscard]] result_value distance(communicator const& ranks, array_view x, array_view y,
                                    reduce_options const& options = {});

/// Typed forms, of views and strided views; `options.result` must not be set.
template <typed_view X, typed_view Y>
[[nodiscard]] auto dot_conjugated(communicator const& ranks, X x, Y y, reduce_options const& options = {}) {
    static_assert(views_of_one_type<X, Y>, "two arrays of one type are needed");
    detail::require_default_result(options);
    return detail::value_as<typename detail::result_types<typename X::value_type>::sum>(
        dot_conjugated(ranks, array_view(x), array_view(y), options));
}

template <typed_view W, typed_view X>
[[nodiscard]] auto weighted_mean(communicator const& ranks, W w, X x, reduce_options const& options = {}) {
    static_assert(views_of_one_type<W, X>, "two arrays of one type are needed");
    detail::require_default_result(options);
    return detail::value_as<typename detail::result_types<typename W::value_type>::mean>(
        weighted_mean(ranks, array_view(w), array_view(x), options));
}

template <typed_view X, typed_view Y>
[[nodiscard]] auto distance(communicator const& ranks, X x, Y y, reduce_options const& options = {}) {
    static_assert(views_of_one_type<X, Y>, "two arrays of one type are needed");
    detail::require_default_result(options);
    return detail::value_as<typename detail::result_types<typename X::value_type>::real>(
        distance(ranks, array_view(x), array_view(y), options));
}

} // namespace v0
} // namespace steadfold
