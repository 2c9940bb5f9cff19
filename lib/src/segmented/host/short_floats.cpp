#include "exact/element.hpp"
#include "segmented/host/short_segments.hpp"

#include <algorithm>
#include <bit>
#include <limits>

namespace steadfold::inline v0::segmented {

namespace {

std::uint64_t bits_of(double x) {
    return std::bit_cast<std::uint64_t>(x);
}

/// Every component `c` of the data is -0.
bool only_negative_zeros(double const* x, int n, int c, int components) {
    for (int i = c; i < n; i += components)
        if (bits_of(x[i]) != exact::negative_zero_bits) return false;
    return true;
}

template <class Test>
std::int64_t count_elements(double const* x, int n, int components, Test const& test) {
    std::int64_t count = 0;
    if (components == 1)
        for (int i = 0; i < n; ++i) count += test(bits_of(x[i]), bits_of(x[i]));
    else
        for (int i = 0; i < n; i += 2) count += test(bits_of(x[i]), bits_of(x[i + 1]));
    return count;
}

std::optional<result_value> number(std::int64_t value) {
    return result_value{dtype::int64, {static_cast<std::uint64_t>(value), 0}, status_flags::none};
}

} // namespace

result_value real_result(dtype type, exact::rounded const& value) noexcept {
    std::uint64_t bits = value.bits;
    if (is_signed_integer(type)) {
        int const spare = 64 - static_cast<int>(8 * size_bytes(type));
        bits = static_cast<std::uint64_t>(static_cast<std::int64_t>(bits << spare) >> spare);
    }
    return {type, {bits, 0}, value.status};
}

short_floats::short_floats(settings const& settings, host::tile_kernels const& kernels)
    : settings_{settings}, result_{settings.result},
      components_{component_count(settings.what.type)}, kernels_{kernels}, folds_{settings.what.type, kernels} {}

std::optional<result_value> short_floats::reduce(double const* x, int n) {
    wide_sum total;
    switch (settings_.op) {
    case operation::sum:
    case operation::mean:
        return sum(x, n);
    case operation::l1:
        if (!folds_.magnitudes(x, n, total)) return {};
        return real_result(result_, round(total, x, n, 0));
    case operation::sum_of_squares:
    case operation::l2:
        if (!folds_.squares(x, n, total)) return {};
        return real_result(result_, round(total, x, n, 0));
    case operation::linf:
    case operation::min:
    case operation::max:
    case operation::argmin:
    case operation::argmax:
        return extremum(x, n);
    case operation::count:
    case operation::nan_count:
    case operation::inf_count:
    case operation::zero_count:
    case operation::any:
    case operation::every:
        return counted(x, n);
    default:
        return {};
    }
}

std::optional<result_value> short_floats::sum(double const* x, int n) {
    wide_sum sums[2];
    if (!folds_.sum(x, n, sums)) return {};
    exact::rounded const real = round(sums[0], x, n, 0);
    if (components_ == 1) return real_result(result_, real);
    exact::rounded const imaginary = round(sums[1], x, n, 1);
    return result_value{result_, {real.bits, imaginary.bits}, real.status | imaginary.status};
}

exact::rounded short_floats::round(wide_sum const& sum, double const* x, int n, int component) const {
    return round_sum(sum, settings_.op, static_cast<std::uint64_t>(n / components_), component_type(result_),
                     [&] { return only_negative_zeros(x, n, component, components_); });
}

std::optional<result_value> short_floats::extremum(double const* x, int n) const {
    host::key_range range{std::numeric_limits<std::int64_t>::max(), std::numeric_limits<std::int64_t>::min()};
    int const body = n - n % host::tile_multiple;
    if (body > 0) kernels_.float_keys(x, body, &range);
    auto& [low, high] = range;
    for (int i = body; i < n; ++i) {
        std::int64_t const key = exact::ordered_key(bits_of(x[i]));
        low = std::min(low, key);
        high = std::max(high, key);
    }
    // NaN lies beyond the infinities in this order.
    if (!exact::is_finite_bits(exact::bits_of_key(low)) || !exact::is_finite_bits(exact::bits_of_key(high))) return {};
    if (settings_.op == operation::argmin || settings_.op == operation::argmax) {
        std::uint64_t const wanted = exact::bits_of_key(settings_.op == operation::argmin ? low : high);
        return number(std::find_if(x, x + n, [wanted](double v) { return bits_of(v) == wanted; }) - x);
    }
    std::uint64_t bits = exact::bits_of_key(settings_.op == operation::min ? low : high);
    if (settings_.op == operation::linf)
        bits = std::max(exact::bits_of_key(low) & exact::float64_magnitude_mask,
                        exact::bits_of_key(high) & exact::float64_magnitude_mask);
    return real_result(result_, exact::round_to(exact::leading_of_element(bits, dtype::float64), result_));
}

std::optional<result_value> short_floats::counted(double const* x, int n) const {
    auto const nan = [](std::uint64_t a, std::uint64_t b) { return exact::is_nan_bits(a) || exact::is_nan_bits(b); };
    auto const infinite = [&](std::uint64_t a, std::uint64_t b) {
        return !nan(a, b) && (exact::is_infinite_bits(a) || exact::is_infinite_bits(b));
    };
    auto const zero = [](std::uint64_t a, std::uint64_t b) { return exact::is_zero_bits(a) && exact::is_zero_bits(b); };
    switch (settings_.op) {
    case operation::nan_count:
        return number(count_elements(x, n, components_, nan));
    case operation::inf_count:
        return number(count_elements(x, n, components_, infinite));
    case operation::zero_count:
        return number(count_elements(x, n, components_, zero));
    default:
        break;
    }
    std::int64_t const left_out =
        settings_.options.nans == nan_policy::ignore ? count_elements(x, n, components_, nan) : 0;
    std::int64_t const taken = n / components_ - left_out;
    if (settings_.op == operation::count) return number(taken);
    if (taken == 0) return {}; // as good as empty
    std::int64_t const zeros = count_elements(x, n, components_, zero);
    return number(settings_.op == operation::any ? zeros < taken : zeros == 0);
}

} // namespace steadfold::inline v0::segmented
