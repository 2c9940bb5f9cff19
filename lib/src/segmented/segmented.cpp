#include "steadfold/segmented.hpp"

#include "reduce/arguments.hpp"
#include "segmented/arguments.hpp"
#include "segmented/backend.hpp"
#include "steadfold/error.hpp"
#include "steadfold/reduce.hpp"

#include <string>

namespace steadfold {
inline namespace v0 {

dtype result_type(operation op, dtype input, reduce_options const& options) noexcept {
    dtype const real = options.result.value_or(default_real_type(input));
    auto const of_parts = [&](dtype type) {
        if (!is_complex(input)) return type;
        return component_type(type) == dtype::float64 ? dtype::complex128 : dtype::complex64;
    };
    switch (op) {
    case operation::sum:
    case operation::min:
    case operation::max:
    case operation::product:
    case operation::bit_and:
    case operation::bit_or:
    case operation::bit_xor:
    case operation::dot:
    case operation::dot_conjugated:
        return of_parts(options.result.value_or(default_result_type(input)));
    case operation::mean:
    case operation::weighted_mean:
        return of_parts(real);
    case operation::sum_of_squares:
    case operation::l1:
    case operation::linf:
        return is_integer(input) ? options.result.value_or(dtype::uint64) : real;
    case operation::l2:
    case operation::variance:
    case operation::stddev:
        return real;
    default:
        return dtype::int64;
    }
}

namespace segmented {

settings make_settings(dtype type, operation op, reduce_options const& options) {
    if (of_pairs.contains(op))
        throw argument_error(std::string(name(op)) + " takes two arrays: segments and axes of one array have none");
    reduce_options exact = options;
    exact.mode = reduction_mode::exact;
    return {op, reduce_detail::make_plan(type, op, exact), exact, result_type(op, type, exact)};
}

} // namespace segmented

struct segmented_reduction::implementation {
    segmented::settings settings;
    execution where;
    std::unique_ptr<segmented::backend> back_end;
};

namespace {

std::unique_ptr<segmented::backend> make_backend(segmented::settings const& settings, execution const& where) {
    reduce_detail::require_execution(where);
    return where.kind == processor_kind::cuda ? segmented::make_cuda_backend(settings, where)
                                              : segmented::make_host_backend(settings, where);
}

} // namespace

segmented_reduction::segmented_reduction(dtype type, operation op, reduce_options const& options,
                                         execution const& where)
    : implementation_{std::make_unique<implementation>()} {
    implementation_->settings = segmented::make_settings(type, op, options);
    implementation_->where = where;
    implementation_->back_end = make_backend(implementation_->settings, where);
}

segmented_reduction::~segmented_reduction() = default;
segmented_reduction::segmented_reduction(segmented_reduction&&) noexcept = default;
segmented_reduction& segmented_reduction::operator=(segmented_reduction&&) noexcept = default;

void segmented_reduction::reserve(std::int64_t elements, std::int64_t outputs) {
    if (elements < 0 || outputs < 0)
        throw argument_error("room for " + std::to_string(elements) + " elements and " + std::to_string(outputs) +
                             " outputs was asked for");
    implementation_->back_end->reserve(elements, outputs);
}

void segmented_reduction::segments(array_view x, view<std::int64_t const> offsets, output_view out, stream_ref stream) {
    implementation_->back_end->run(problem_of_segments(implementation_->settings, x, offsets, out), stream);
}

void segmented_reduction::axis(array_view x, std::span<std::int64_t const> extents, int axis, output_view out,
                               stream_ref stream) {
    implementation_->back_end->run(problem_of_axis(implementation_->settings, x, extents, axis, out), stream);
}

void segmented_reduction::wait() {
    implementation_->back_end->wait();
}

dtype segmented_reduction::type() const noexcept {
    return implementation_->settings.what.type;
}
dtype segmented_reduction::result_type() const noexcept {
    return implementation_->settings.result;
}

void segmented_reduce(array_view x, view<std::int64_t const> offsets, operation op, output_view out,
                      reduce_options const& options, stream_ref stream) {
    segmented_reduction once{x.type, op, options, where_it_lies(x)};
    once.segments(x, offsets, out, stream);
    once.wait();
}

void axis_reduce(array_view x, std::span<std::int64_t const> extents, int axis, operation op, output_view out,
                 reduce_options const& options, stream_ref stream) {
    segmented_reduction once{x.type, op, options, where_it_lies(x)};
    once.axis(x, extents, axis, out, stream);
    once.wait();
}

} // namespace v0
} // namespace steadfold
