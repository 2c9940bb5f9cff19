#include "reference.hpp"

#include "expansion.hpp"
#include "measure.hpp"
#include "parallel.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdio>
#include <limits>
#include <vector>

namespace steadfold::inline v0::app {

namespace {

template <class T>
struct partial {
    expansion sum, l1, dot;
    long double squares = 0, deviations = 0;
    std::int64_t argmin = -1, argmax = -1;
};

template <class T>
void read(partial<T>& p, host_array<T> const& x, host_array<T> const& y, index_range range) {
    for (std::int64_t i = range.first; i < range.last(); ++i) {
        T const value = x.data()[i];
        p.sum.add(value);
        p.l1.add(std::fabs(value));
        if (y.size() > 0) p.dot.add_product(value, y.data()[i]);
        p.squares += static_cast<long double>(value) * value;
        if (p.argmin < 0 || value < x.data()[p.argmin]) p.argmin = i;
        if (p.argmax < 0 || value > x.data()[p.argmax]) p.argmax = i;
    }
}

[[noreturn]] void refuse(char const* what, double value, double expected) {
    char text[160];
    std::snprintf(text, sizeof text, "%s is %a (%.17g), but must be %a (%.17g)", what, value, value, expected,
                  expected);
    throw wrong_result(text);
}

void require_within(double value, double expected, double tolerance, char const* what) {
    if (!(std::fabs(value - expected) <= tolerance)) refuse(what, value, expected);
}

void require_index(std::int64_t value, std::int64_t expected, char const* what) {
    if (value != expected) refuse(what, static_cast<double>(value), static_cast<double>(expected));
}

} // namespace

template <class T>
reference<T> reference_of(host_array<T> const& x, host_array<T> const& y, int threads) {
    std::vector<partial<T>> parts(static_cast<std::size_t>(threads));
    for_ranges(x.size(), threads,
               [&](int thread, index_range range) { read(parts[static_cast<std::size_t>(thread)], x, y, range); });
    partial<T> all;
    for (partial<T> const& part : parts) { // in the order of the ranges: the first of equal extrema stays
        all.sum.add(part.sum);
        all.l1.add(part.l1);
        all.dot.add(part.dot);
        all.squares += part.squares;
        if (part.argmin < 0) continue;
        if (all.argmin < 0 || x.data()[part.argmin] < x.data()[all.argmin]) all.argmin = part.argmin;
        if (all.argmax < 0 || x.data()[part.argmax] > x.data()[all.argmax]) all.argmax = part.argmax;
    }
    auto const n = static_cast<long double>(x.size());
    long double const mean = static_cast<long double>(all.sum.template rounded<double>()) / n;
    for_ranges(x.size(), threads, [&](int thread, index_range range) {
        long double deviations = 0; // second pass: no cancellation
        for (std::int64_t i = range.first; i < range.last(); ++i) {
            long double const d = x.data()[i] - mean;
            deviations += d * d;
        }
        parts[static_cast<std::size_t>(thread)].deviations = deviations;
    });
    for (partial<T> const& part : parts) all.deviations += part.deviations;
    return {.count = x.size(),
            .sum = all.sum.template rounded<T>(),
            .l1 = all.l1.template rounded<T>(),
            .dot = all.dot.template rounded<T>(),
            .l2 = static_cast<double>(std::sqrt(all.squares)),
            .mean = static_cast<double>(mean),
            .variance = static_cast<double>(all.deviations / n),
            .min = x.data()[all.argmin],
            .max = x.data()[all.argmax],
            .argmin = all.argmin,
            .argmax = all.argmax};
}

template <class T>
void require_same_bits(T value, T expected, char const* what) {
    using bits = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;
    if (std::bit_cast<bits>(value) != std::bit_cast<bits>(expected)) refuse(what, value, expected);
}

template <class T>
void require_equal(reduction_results const& results, reference<T> const& expected) {
    auto const has = [&](operation op) { return results.operations().contains(op); };
    auto const exact = [&](operation op, T right, char const* what) {
        if (has(op)) require_same_bits(detail::value_as<T>(results[op]), right, what);
    };
    auto const close = [&](operation op, double right, char const* what) {
        double const tolerance = std::max(2.0 * std::numeric_limits<T>::epsilon(), 1e-12) * std::fabs(right);
        if (has(op)) require_within(results[op].as_double(), right, tolerance, what);
    };
    auto const whole = [&](operation op, std::int64_t right, char const* what) {
        if (has(op)) require_index(results[op].as_int64(), right, what);
    };
    exact(operation::sum, expected.sum, "sum");
    exact(operation::l1, expected.l1, "l1");
    exact(operation::dot, expected.dot, "dot");
    exact(operation::min, expected.min, "min");
    exact(operation::max, expected.max, "max");
    exact(operation::linf, std::max(std::fabs(expected.min), std::fabs(expected.max)), "linf");
    close(operation::l2, expected.l2, "l2");
    close(operation::sum_of_squares, expected.l2 * expected.l2, "sum of squares");
    close(operation::mean, expected.mean, "mean");
    close(operation::variance, expected.variance, "variance");
    close(operation::stddev, std::sqrt(expected.variance), "standard deviation");
    whole(operation::argmin, expected.argmin, "argmin");
    whole(operation::argmax, expected.argmax, "argmax");
    whole(operation::count, expected.count, "count");
    whole(operation::nan_count, 0, "count of NaN");
    whole(operation::inf_count, 0, "count of Inf");
}

template <class T>
void require_close(T sum, reference<T> const& expected) {
    // Each of n additions may be off by an epsilon of a partial sum, itself a walk of n steps as long as the data's
    // root mean square; four of their standard deviations.
    double const walk = std::sqrt(static_cast<double>(expected.count)) * expected.l2;
    require_within(sum, expected.sum, 4.0 * std::numeric_limits<T>::epsilon() * walk, "sum");
}

template reference<float> reference_of(host_array<float> const&, host_array<float> const&, int);
template reference<double> reference_of(host_array<double> const&, host_array<double> const&, int);
template void require_same_bits(float, float, char const*);
template void require_same_bits(double, double, char const*);
template void require_equal(reduction_results const&, reference<float> const&);
template void require_equal(reduction_results const&, reference<double> const&);
template void require_close(float, reference<float> const&);
template void require_close(double, reference<double> const&);

} // namespace steadfold::inline v0::app
