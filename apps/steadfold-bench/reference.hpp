// What the results must be, computed without steadfold.
#pragma once

#include "data.hpp"
#include "steadfold/results.hpp"

#include <cstdint>

namespace steadfold::inline v0::app {

template <class T>
struct reference {
    std::int64_t count = 0;
    T sum = 0, l1 = 0, dot = 0; // correctly rounded
    double l2 = 0, mean = 0, variance = 0;
    T min = 0, max = 0;
    std::int64_t argmin = -1, argmax = -1;
};

/// Of finite data. `y` is the other array of the dot product; empty: none.
template <class T>
[[nodiscard]] reference<T> reference_of(host_array<T> const& x, host_array<T> const& y, int threads);

/// Exact results must have the reference's bits; roots and quotients must be within two units of the last place, or of
/// long double's own error; operations that the reference does not have are not looked at.
/// @throws wrong_result naming the operation and both values
template <class T>
void require_equal(reduction_results const& results, reference<T> const& expected);
template <class T>
void require_same_bits(T value, T expected, char const* what);

/// For plain and compensated sums of data of both signs: within what rounding explains, with room. Refuses sums that
/// leave a part of the data out or take it twice; of single elements only while there are not too many (float: 10^6).
template <class T>
void require_close(T sum, reference<T> const& expected);

} // namespace steadfold::inline v0::app
