// Every combination of numbers that need care.
#pragma once

#include <array>
#include <limits>

namespace oracle {

/// f(numbers) for all choices of four special or ordinary numbers.
template <class Function>
void for_each_four(Function const& f) {
    constexpr double inf = std::numeric_limits<double>::infinity();
    double const values[] = {std::numeric_limits<double>::quiet_NaN(), inf, -inf, 0.0, -0.0, 1.5, -2.0};
    for (double const a : values)
        for (double const b : values)
            for (double const c : values)
                for (double const d : values) f(std::array{a, b, c, d});
}

/// Complex pairs a + ib, c + id whose product is -0 in its real part, or in its imaginary one.
inline constexpr std::array<std::array<double, 4>, 2> negative_zero_pairs = {
    {{0.0, 0.0, -1.0, 1.0}, {0.0, 0.0, -1.0, -1.0}}};

} // namespace oracle
