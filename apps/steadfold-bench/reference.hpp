// What the results must be, computed without steadfold.
#pragma once

#include "data.hpp"
#include "measure.hpp"
#include "steadfold/results.hpp"
#include "values.hpp"

#include <cstdint>
#include <vector>

namespace steadfold::inline v0::app {

template <class T>
struct reference {
    std::int64_t count = 0;
    sum_type<T> sum{}, dot{}; // correctly rounded; exact for integers. No dot of integers
    typename detail::result_types<T>::magnitude l1{};
    double l2 = 0, mean = 0, variance = 0; // not of random exponents, whose squares overflow
    sum_type<T> min{}, max{};
    std::int64_t argmin = -1, argmax = -1;
};

/// Of the first `count` elements, all finite. `y` is the other array of the dot product; empty: none.
template <class T>
[[nodiscard]] reference<T> reference_of(host_array<T> const& x, host_array<T> const& y, std::int64_t count,
                                        int threads);

/// Of segments of `size` elements one after another: correctly rounded sums, and about how much was added.
template <class T>
struct segment_reference {
    int size = 0;
    std::vector<sum_type<T>> sums;
    std::vector<double> magnitudes;
};
template <class T>
[[nodiscard]] segment_reference<T> segment_reference_of(host_array<T> const& x, std::int64_t segments, int size,
                                                        int threads);
/// @param exact  every sum must have the reference's bits; else it must be within what rounding explains
template <class T>
void require_segments(std::vector<sum_type<T>> const& sums, segment_reference<T> const& expected, bool exact);

/// Exact results must have the reference's bits; roots and quotients must be within two units of the last place, or of
/// long double's own error; operations that the reference does not have are not looked at.
/// @throws wrong_result naming the operation and both values
template <class T>
void require_equal(reduction_results const& results, reference<T> const& expected);

/// Two values of a result type: float, double, std::int64_t or std::uint64_t.
template <class R>
void require_same_bits(R value, R expected, char const* what);

/// For plain and compensated sums: within what rounding explains, with room. Refuses sums that leave a part of the data
/// out or take it twice; of single elements only while there are not too many (float: 10^6). Integers must be equal.
template <class T>
void require_close(sum_type<T> sum, reference<T> const& expected);
/// The same for sums of products, magnitudes and squares.
void require_within(double value, double expected, double tolerance, char const* what);
template <class T>
[[nodiscard]] double sum_tolerance(reference<T> const& expected, double sum_of_magnitudes);

} // namespace steadfold::inline v0::app
