#include "ladder/check.hpp"

#include "ladder/inputs.hpp"
#include "measure.hpp"

#include <bit>
#include <cmath>
#include <cstdio>
#include <limits>
#include <utility>
#include <vector>

namespace steadfold::inline v0::app::ladder {

namespace {

constexpr std::int64_t longest = (1 << 17) + 3;
constexpr std::int64_t lengths[] = {1,    2,    3,    4,     5,     31,    32,    33,          63,     255,
                                    256,  257,  511,  512,   513,   1000,  1023,  1025,        2047,   2049,
                                    4099, 8191, 8195, 16384, 33333, 65537, 70001, longest - 1, longest};
constexpr std::int64_t offsets[] = {0, 1, 2, 3};
constexpr std::int64_t grids[] = {0, 1, 3}; // 0: as many blocks as fit

/// Compares the sums of all parts of an array. `sum_of(first, count)` is what they must be.
template <class T, class SumOf>
int check_parts(launcher const& rung, std::vector<T> const& values, SumOf const& sum_of, scratch const& memory) {
    auto const x = on_device(values.data(), static_cast<std::int64_t>(values.size()));
    int compared = 0;
    for (std::int64_t const n : lengths)
        for (std::int64_t const offset : offsets) {
            double const expected = sum_of(offset, n);
            for (std::int64_t const most_blocks : grids) {
                if (most_blocks > 0 && !rung.what().resident) continue;
                require_sum(rung, x.get() + offset, n, expected, memory, most_blocks);
                ++compared;
            }
        }
    return compared;
}

template <class T>
int check_whole_numbers(launcher const& rung, scratch const& memory) {
    std::vector<T> values;
    std::vector<std::int64_t> sums{0}; // of the first i
    for (std::int64_t i = 0; i < longest + 3; ++i) {
        values.push_back(static_cast<T>(whole_number(i)));
        sums.push_back(sums.back() + whole_number(i));
    }
    return check_parts(
        rung, values,
        [&](std::int64_t first, std::int64_t count) {
            return static_cast<double>(sums[static_cast<std::size_t>(first + count)] -
                                       sums[static_cast<std::size_t>(first)]);
        },
        memory);
}

template <class T>
int check_all_parts(launcher const& rung, std::vector<T> const& values, scratch const& memory) {
    return check_parts(
        rung, values,
        [&](std::int64_t first, std::int64_t count) { return exact_sum(values.data() + first, count, 1); }, memory);
}

/// Neighbours that cancel but for their last bit, of every exponent that the window holds whole.
template <class T>
std::vector<T> cancelling(host_array<T> const& gaussian) {
    std::vector<T> values;
    constexpr int lowest = exact_floor + std::numeric_limits<T>::digits, exponents = exact_top - 1 - lowest;
    for (std::int64_t i = 0; i + 1 < gaussian.size(); i += 2) {
        T const significand = 1 + std::fabs(gaussian.data()[i]) / 16; // below 2
        T const one = std::ldexp(significand, lowest + static_cast<int>(i / 2 % exponents));
        values.push_back(one);
        values.push_back(i % 3 == 0 ? -one : std::nextafter(-one, T{0}));
    }
    values.push_back(gaussian.data()[0]);
    return values;
}

/// One number that the window does not hold, at the beginning, the middle and the end of an array: the result must say
/// so.
template <class T>
int check_outsiders(launcher const& rung, std::vector<T> values, scratch const& memory) {
    using limits = std::numeric_limits<T>;
    T const outsiders[] = {std::ldexp(T{1.25}, exact_top),
                           -limits::max(),
                           limits::infinity(),
                           -limits::infinity(),
                           limits::quiet_NaN(),
                           limits::min(),
                           -limits::denorm_min(),
                           std::ldexp(T{3}, exact_floor - 2),
                           std::ldexp(T{1}, sizeof(T) == 8 ? -1043 : -149)};
    auto const n = static_cast<std::int64_t>(values.size());
    int compared = 0;
    for (T const outsider : outsiders)
        for (std::int64_t const place : {std::int64_t{0}, n / 2, n - 1}) {
            T const kept = std::exchange(values[static_cast<std::size_t>(place)], outsider);
            require_sum(rung, on_device(values.data(), n).get(), n, limits::quiet_NaN(), memory);
            values[static_cast<std::size_t>(place)] = kept;
            ++compared;
        }
    return compared;
}

/// As many of the largest numbers as one block may get.
template <class T>
int check_head_room(launcher const& rung, T value, scratch const& memory) {
    std::int64_t const n = rung.what().elements_per_thread * rung.what().threads;
    std::vector<T> const values(static_cast<std::size_t>(n), value);
    require_sum(rung, on_device(values.data(), n).get(), n, exact_sum(values.data(), n, 1), memory, 1);
    return 1;
}

template <class T>
int check_exact(launcher const& rung, scratch const& memory) {
    host_array<T> const made = generate<T>({}, longest + 3, 1, 1);
    std::vector<T> const gaussian(made.data(), made.data() + made.size());
    std::vector<T> const largest(gaussian.size(), std::ldexp(T{-1}, exact_top));
    // Just below: the upper fold rounds all of them up, and the lower one takes them down again.
    std::vector<T> const just_below(gaussian.size(), std::nextafter(std::ldexp(T{1}, exact_top), T{0}));
    return check_all_parts(rung, gaussian, memory) + check_all_parts(rung, cancelling(made), memory) +
           check_all_parts(rung, largest, memory) + check_all_parts(rung, just_below, memory) +
           check_head_room(rung, just_below.front(), memory) +
           check_outsiders(rung, std::vector<T>(gaussian.begin(), gaussian.begin() + 4099), memory);
}

int check_rung(launcher const& rung, scratch const& memory) {
    bool const exact = rung.what().merge == merging::digits;
    switch (rung.what().type) {
    case dtype::int32:
        return check_whole_numbers<std::int32_t>(rung, memory);
    case dtype::float64:
        return check_exact<double>(rung, memory);
    default:
        return exact ? check_exact<float>(rung, memory) : check_whole_numbers<float>(rung, memory);
    }
}

} // namespace

void require_sum(launcher const& rung, void const* x, std::int64_t n, double expected, scratch const& memory,
                 std::int64_t most_blocks) {
    rung.enqueue(x, n, memory, most_blocks);
    double const sum = rung.result(memory);
    bool const same = std::bit_cast<std::uint64_t>(sum) == std::bit_cast<std::uint64_t>(expected);
    if (same || (std::isnan(sum) && std::isnan(expected))) return;
    char text[256];
    std::snprintf(text, sizeof text,
                  "ladder, %s, %lld elements, at most %lld blocks: the sum is %a (%.17g), but must be %a (%.17g)",
                  rung.what().name.c_str(), static_cast<long long>(n), static_cast<long long>(most_blocks), sum, sum,
                  expected, expected);
    throw wrong_result(text);
}

int check_rungs(std::vector<launcher> const& rungs) {
    scratch const memory{longest};
    int compared = 0;
    for (launcher const& rung : rungs)
        if (rung.what().merge != merging::none) compared += check_rung(rung, memory);
    return compared;
}

} // namespace steadfold::inline v0::app::ladder
