#include "reference.hpp"

#include "parallel.hpp"
#include "wide_sum.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdio>
#include <limits>
#include <vector>

namespace steadfold::inline v0::app {

namespace {

__extension__ using wide_integer = __int128;

/// Integers are summed in 128 bits, everything else in a wide_sum.
template <class T>
struct exact_sums {
    wide_sum sum, l1, dot;
    void add(T x) {
        double const value = to_double(x);
        sum.add(value);
        l1.add(std::fabs(value));
    }
    void add(exact_sums const& other) {
        sum.add(other.sum);
        l1.add(other.l1);
        dot.add(other.dot);
    }
};
template <class T>
requires std::is_integral_v<T>
struct exact_sums<T> {
    wide_integer sum = 0, l1 = 0;
    void add(T x) {
        sum += x;
        l1 += x < 0 ? -static_cast<wide_integer>(x) : x;
    }
    void add(exact_sums const& other) {
        sum += other.sum;
        l1 += other.l1;
    }
};

template <class T>
auto as_number(T x) {
    if constexpr (is_floating_element<T>)
        return to_double(x);
    else
        return static_cast<std::int64_t>(x);
}

template <class T>
struct partial {
    exact_sums<T> exact;
    long double squares = 0, deviations = 0;
    std::int64_t argmin = -1, argmax = -1;
};

template <class T>
partial<T> read(host_array<T> const& x, host_array<T> const& y, index_range range) {
    partial<T> p;
    if (range.count == 0) return p;
    p.argmin = p.argmax = range.first;
    auto least = as_number(x.data()[range.first]), greatest = least;
    for (std::int64_t i = range.first; i < range.last(); ++i) {
        auto const value = as_number(x.data()[i]);
        p.exact.add(x.data()[i]);
        if constexpr (is_floating_element<T>)
            if (y.size() > 0) p.exact.dot.add_product(value, to_double(y.data()[i]));
        p.squares += static_cast<long double>(value) * static_cast<long double>(value);
        if (value < least) {
            least = value;
            p.argmin = i;
        }
        if (value > greatest) {
            greatest = value;
            p.argmax = i;
        }
    }
    return p;
}

/// In the order of the ranges, so that the first of equal extrema stays.
template <class T>
partial<T> merged(host_array<T> const& x, std::vector<partial<T>> const& parts) {
    partial<T> all;
    auto const value = [&x](std::int64_t i) { return as_number(x.data()[i]); };
    for (partial<T> const& part : parts) {
        all.exact.add(part.exact);
        all.squares += part.squares;
        if (part.argmin < 0) continue;
        if (all.argmin < 0 || value(part.argmin) < value(all.argmin)) all.argmin = part.argmin;
        if (all.argmax < 0 || value(part.argmax) > value(all.argmax)) all.argmax = part.argmax;
    }
    return all;
}

template <class T>
void round_sums(exact_sums<T> const& exact, reference<T>& r) {
    if constexpr (is_floating_element<T>) {
        using sum = sum_type<T>;
        r.sum = exact.sum.template rounded<sum>();
        r.l1 = exact.l1.template rounded<sum>();
        r.dot = exact.dot.template rounded<sum>();
        r.mean = exact.sum.template rounded<double>() / static_cast<double>(r.count);
    } else {
        r.sum = static_cast<std::int64_t>(exact.sum);
        r.l1 = static_cast<std::uint64_t>(exact.l1);
        r.mean = static_cast<double>(static_cast<long double>(exact.sum) / static_cast<long double>(r.count));
    }
}

/// A second pass over the data: no cancellation.
template <class T>
double variance_of(host_array<T> const& x, reference<T> const& r, int threads) {
    std::vector<long double> deviations(static_cast<std::size_t>(threads));
    for_ranges(r.count, threads, [&](int thread, index_range range) {
        long double sum = 0, mean = r.mean;
        for (std::int64_t i = range.first; i < range.last(); ++i) {
            long double const d = static_cast<long double>(as_number(x.data()[i])) - mean;
            sum += d * d;
        }
        deviations[static_cast<std::size_t>(thread)] = sum;
    });
    long double all = 0;
    for (long double const part : deviations) all += part;
    return static_cast<double>(all / static_cast<long double>(r.count));
}

[[noreturn]] void refuse(char const* what, double value, double expected) {
    char text[160];
    std::snprintf(text, sizeof text, "%s is %a (%.17g), but must be %a (%.17g)", what, value, value, expected,
                  expected);
    throw wrong_result(text);
}

} // namespace

template <class T>
reference<T> reference_of(host_array<T> const& x, host_array<T> const& y, std::int64_t count, int threads) {
    std::vector<partial<T>> parts(static_cast<std::size_t>(threads));
    for_ranges(count, threads,
               [&](int thread, index_range range) { parts[static_cast<std::size_t>(thread)] = read(x, y, range); });
    partial<T> const all = merged(x, parts);
    reference<T> r;
    r.count = count;
    round_sums(all.exact, r);
    r.l2 = static_cast<double>(std::sqrt(all.squares));
    r.variance = variance_of(x, r, threads);
    r.argmin = all.argmin;
    r.argmax = all.argmax;
    r.min = static_cast<sum_type<T>>(as_number(x.data()[all.argmin]));
    r.max = static_cast<sum_type<T>>(as_number(x.data()[all.argmax]));
    return r;
}

template <class T>
segment_reference<T> segment_reference_of(host_array<T> const& x, std::int64_t segments, int size, int threads) {
    auto const count = static_cast<std::size_t>(segments);
    segment_reference<T> r{size, std::vector<sum_type<T>>(count), std::vector<double>(count)};
    for_ranges(segments, threads, [&](int, index_range range) {
        for (std::int64_t s = range.first; s < range.last(); ++s) {
            wide_sum sum;
            double magnitude = 0;
            for (std::int64_t i = s * size; i < (s + 1) * size; ++i) {
                double const value = to_double(x.data()[i]);
                sum.add(value);
                magnitude += std::fabs(value);
            }
            r.sums[static_cast<std::size_t>(s)] = sum.rounded<sum_type<T>>();
            r.magnitudes[static_cast<std::size_t>(s)] = magnitude;
        }
    });
    return r;
}

template <class T>
void require_segments(std::vector<sum_type<T>> const& sums, segment_reference<T> const& expected, bool exact) {
    if (sums.size() != expected.sums.size()) throw wrong_result("there are not as many sums as segments");
    double const most = expected.size * static_cast<double>(std::numeric_limits<sum_type<T>>::epsilon());
    for (std::size_t i = 0; i < sums.size(); ++i)
        if (exact)
            require_same_bits(sums[i], expected.sums[i], "sum of a segment");
        else
            require_within(sums[i], expected.sums[i], most * expected.magnitudes[i], "sum of a segment");
}

void require_within(double value, double expected, double tolerance, char const* what) {
    if (value == expected) return; // Inf too
    if (!(std::fabs(value - expected) <= tolerance)) refuse(what, value, expected);
}

template <class R>
void require_same_bits(R value, R expected, char const* what) {
    using bits = std::conditional_t<sizeof(R) == 8, std::uint64_t, std::uint32_t>;
    if (std::bit_cast<bits>(value) != std::bit_cast<bits>(expected))
        refuse(what, static_cast<double>(value), static_cast<double>(expected));
}

template <class T>
void require_equal(reduction_results const& results, reference<T> const& expected) {
    auto const has = [&](operation op) { return results.operations().contains(op); };
    auto const exact = [&]<class R>(operation op, R right, char const* what) {
        if (has(op)) require_same_bits(detail::value_as<R>(results[op]), right, what);
    };
    auto const close = [&](operation op, double right, char const* what) {
        using real = typename detail::result_types<T>::real; // whose range is smaller
        double const value = static_cast<real>(right);
        constexpr double epsilon = sizeof(real) == 4 ? std::numeric_limits<float>::epsilon() : 0;
        if (has(op))
            require_within(results[op].as_double(), value, std::max(2 * epsilon, 1e-12) * std::fabs(value), what);
    };
    exact(operation::sum, expected.sum, "sum");
    exact(operation::l1, expected.l1, "l1");
    exact(operation::dot, expected.dot, "dot");
    exact(operation::min, expected.min, "min");
    exact(operation::max, expected.max, "max");
    if constexpr (is_floating_element<T>)
        exact(operation::linf, std::max(std::fabs(expected.min), std::fabs(expected.max)), "linf");
    close(operation::l2, expected.l2, "l2");
    close(operation::sum_of_squares, expected.l2 * expected.l2, "sum of squares");
    close(operation::mean, expected.mean, "mean");
    close(operation::variance, expected.variance, "variance");
    close(operation::stddev, std::sqrt(expected.variance), "standard deviation");
    exact(operation::argmin, expected.argmin, "argmin");
    exact(operation::argmax, expected.argmax, "argmax");
    exact(operation::count, expected.count, "count");
    exact(operation::nan_count, std::int64_t{0}, "count of NaN");
    exact(operation::inf_count, std::int64_t{0}, "count of Inf");
}

template <class T>
double sum_tolerance(reference<T> const& expected, double sum_of_magnitudes) {
    // Each of n additions may be off by an epsilon of a partial sum. Partial sums of both signs walk as far as the
    // root of n times the data's root mean square, those of one sign go straight; then errors of n additions walk
    // themselves. Four of their standard deviations.
    constexpr double epsilon =
        sizeof(sum_type<T>) == 4 ? std::numeric_limits<float>::epsilon() : std::numeric_limits<double>::epsilon();
    return 4 * epsilon * std::sqrt(static_cast<double>(expected.count)) * (expected.l2 + sum_of_magnitudes);
}

template <class T>
void require_close(sum_type<T> sum, reference<T> const& expected) {
    if constexpr (is_floating_element<T>)
        require_within(sum, expected.sum, sum_tolerance(expected, std::fabs(expected.sum)), "sum");
    else
        require_same_bits(sum, expected.sum, "sum");
}

template void require_same_bits(float, float, char const*);
template void require_same_bits(double, double, char const*);
template void require_same_bits(std::int64_t, std::int64_t, char const*);
template void require_same_bits(std::uint64_t, std::uint64_t, char const*);

#define STEADFOLD_INSTANTIATE(T)                                                                                       \
    template reference<T> reference_of(host_array<T> const&, host_array<T> const&, std::int64_t, int);                 \
    template void require_equal(reduction_results const&, reference<T> const&);                                        \
    template double sum_tolerance(reference<T> const&, double);                                                        \
    template void require_close(sum_type<T>, reference<T> const&);
STEADFOLD_INSTANTIATE(double)
STEADFOLD_INSTANTIATE(float)
STEADFOLD_INSTANTIATE(half)
STEADFOLD_INSTANTIATE(bfloat16)
STEADFOLD_INSTANTIATE(std::int8_t)
STEADFOLD_INSTANTIATE(std::int16_t)
STEADFOLD_INSTANTIATE(std::int32_t)
STEADFOLD_INSTANTIATE(std::int64_t)
#undef STEADFOLD_INSTANTIATE

template segment_reference<double> segment_reference_of(host_array<double> const&, std::int64_t, int, int);
template segment_reference<float> segment_reference_of(host_array<float> const&, std::int64_t, int, int);
template void require_segments(std::vector<double> const&, segment_reference<double> const&, bool);
template void require_segments(std::vector<float> const&, segment_reference<float> const&, bool);

} // namespace steadfold::inline v0::app
