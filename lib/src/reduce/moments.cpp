#include "steadfold/moments.hpp"

#include "base/floating_environment.hpp"
#include "exact/element.hpp"
#include "reduce/arguments.hpp"
#include "reduce/cuda/elementwise.hpp"
#include "reduce/host/isa.hpp"
#include "reduce/host/tile_kernels.hpp"
#include "reduce/strided.hpp"
#include "steadfold/error.hpp"
#include "steadfold/transform.hpp"

#include <bit>
#include <cfloat>
#include <cmath>
#include <cstddef>
#include <limits>
#include <optional>
#include <string>

namespace steadfold::inline v0 {

namespace {

static_assert(FLT_EVAL_METHOD == 0, "powers must be rounded to double");

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

struct centred {
    array_view x;
    double mean;
    std::optional<std::int64_t> missing;
    host::tile_kernels const* kernels;
};

template <class T>
void convert(centred const& c, void const* elements, std::int64_t count, double* out) {
    auto const* x = static_cast<T const*>(elements);
    for (std::int64_t i = 0; i < count; ++i) {
        bool const missing = std::is_integral_v<T> && c.missing && static_cast<std::int64_t>(x[i]) == *c.missing;
        out[i] = missing ? not_a_number : static_cast<double>(x[i]);
    }
}

void to_double(centred const& c, std::int64_t first, std::int64_t count, double* out) {
    alignas(double) std::byte room[host::tile_elements * sizeof(double)];
    void const* const x = reduce_detail::contiguous_part(c.x, first, count, room);
    switch (c.x.type) {
    case dtype::float64:
        return convert<double>(c, x, count, out);
    case dtype::float32:
        return convert<float>(c, x, count, out);
    case dtype::float16:
        return c.kernels->widen_half(x, static_cast<int>(count), out);
    case dtype::bfloat16:
        return c.kernels->widen_bfloat16(x, static_cast<int>(count), out);
    case dtype::int8:
        return convert<std::int8_t>(c, x, count, out);
    case dtype::int16:
        return convert<std::int16_t>(c, x, count, out);
    case dtype::int32:
        return convert<std::int32_t>(c, x, count, out);
    case dtype::int64:
        return convert<std::int64_t>(c, x, count, out);
    case dtype::uint8:
        return convert<std::uint8_t>(c, x, count, out);
    case dtype::uint16:
        return convert<std::uint16_t>(c, x, count, out);
    case dtype::uint32:
        return convert<std::uint32_t>(c, x, count, out);
    default:
        return convert<std::uint64_t>(c, x, count, out);
    }
}

template <int Power>
void powers(void const* context, std::int64_t first, std::int64_t count, void* out) {
    auto const& c = *static_cast<centred const*>(context);
    auto* const values = static_cast<double*>(out);
    to_double(c, first, count, values);
    for (std::int64_t i = 0; i < count; ++i) {
        double const d = values[i] - c.mean, d2 = d * d;
        values[i] = Power == 2 ? d2 : Power == 3 ? d2 * d : d2 * d2;
    }
}

double mean_of_powers(communicator const& ranks, centred const& of, int power, execution const& where,
                      reduce_options const& how) {
    auto const fill = power == 2 ? powers<2> : power == 3 ? powers<3> : powers<4>;
    reduce_detail::power_maker const on_gpu{of.x, of.mean, power, of.missing.has_value(), of.missing.value_or(0)};
    reduction_results const results =
        where.kind == processor_kind::cuda
            ? detail::reduce_source(ranks, dtype::float64, detail::device_source{cuda::enqueue_powers, &on_gpu}, where,
                                    of.x.count, mean, how)
            : detail::reduce_source(ranks, dtype::float64, detail::tile_source{fill, &of}, of.x.count, mean, how);
    return results[operation::mean].as_double();
}

bool is_finite(double x) {
    return exact::is_finite_bits(std::bit_cast<std::uint64_t>(x));
}

void add_ratios(moments& m) {
    auto const n = static_cast<double>(m.count);
    m.skewness = m.third / (m.second * std::sqrt(m.second));
    m.kurtosis = m.fourth / (m.second * m.second) - 3;
    m.corrected_skewness = m.count < 3 ? not_a_number : m.skewness * (std::sqrt(n * (n - 1)) / (n - 2));
    m.corrected_kurtosis = m.count < 4 ? not_a_number : ((n - 1) / ((n - 2) * (n - 3))) * ((n + 1) * m.kurtosis + 6);
    bool const finite = is_finite(m.second) && is_finite(m.third) && is_finite(m.fourth);
    if (finite && m.second * m.second > 0) return;
    m.skewness = m.kurtosis = m.corrected_skewness = m.corrected_kurtosis = not_a_number;
    m.status = status_flags::invalid;
}

} // namespace

moments central_moments(communicator const& ranks, array_view x, reduce_options const& options) {
    reduce_detail::require_elements(x, x.type, "the array");
    if (is_complex(x.type))
        throw argument_error("central moments of " + std::string(name(x.type)) + " are not available");
    execution const where = where_it_lies(x);
    reduce_options how{.nans = options.nans, .result = dtype::float64, .missing = options.missing};
    reduction_results const first = reduce(ranks, x, mean | count, how);
    // Missing elements become NaN, and both are left out; NaN that propagates has made the mean NaN already.
    if (how.missing) how.nans = nan_policy::ignore;
    how.missing.reset();
    moments m;
    m.count = first[operation::count].as_int64();
    m.mean = first[operation::mean].as_double();
    auto const moment = [&](int power) {
        // Of infinite data; Inf - Inf must not pass for a NaN that is left out.
        if (!is_finite(m.mean)) return not_a_number;
        return mean_of_powers(ranks, {x, m.mean, options.missing, &host::choose_level()}, power, where, how);
    };
    m.second = moment(2);
    m.third = moment(3);
    m.fourth = moment(4);
    base::default_floating_environment const environment;
    add_ratios(m);
    if (m.count == 0) m.status = status_flags::empty;
    return m;
}

} // namespace steadfold::inline v0
