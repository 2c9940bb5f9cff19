#include "reduce/cuda/launch_arguments.hpp"

#include "reduce/finish.hpp"

#include <algorithm>

namespace steadfold::inline v0::cuda {

described_elements::described_elements(reduce_detail::plan const& plan)
    : components{component_count(plan.type)}, component_bytes{static_cast<std::int64_t>(
                                                  size_bytes(component_type(plan.type)))},
      counts_zeros{(plan.features & reduce_detail::feature_zeros) != 0},
      has_missing{plan.missing.has_value()}, missing{plan.missing.value_or(0)} {}

void set_arrays(pass_arguments& arguments, void const* x, void const* y, std::int64_t count,
                described_elements const& what) {
    arguments.x = x;
    arguments.y = y;
    arguments.length = count * what.components;
    auto const misaligned = static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(x) % 16);
    arguments.head = std::min(arguments.length, (16 - misaligned) % 16 / what.component_bytes);
    if (what.components == 2 && arguments.head % 2 != 0) {
        arguments.head = 0;
        arguments.x_aligned = false;
    }
    arguments.vectors = (arguments.length - arguments.head) * what.component_bytes / 16;
    auto const y_start =
        reinterpret_cast<std::uintptr_t>(y) + static_cast<std::uintptr_t>(arguments.head * what.component_bytes);
    arguments.y_aligned = y_start % 16 == 0;
    arguments.has_ends =
        arguments.head > 0 || arguments.head + arguments.vectors * 16 / what.component_bytes != arguments.length;
    arguments.counts_zeros = what.counts_zeros;
    arguments.has_missing = what.has_missing;
    arguments.missing = what.missing;
    arguments.integer_bytes = static_cast<int>(what.component_bytes);
}

void set_tiles(pass_arguments& arguments, int vectors_in_flight) {
    std::int64_t const tile = warp_threads * vectors_in_flight;
    arguments.tiles = (arguments.vectors + (arguments.has_ends ? 2 : 0) + tile - 1) / tile;
    arguments.whole_tiles = arguments.vectors / tile;
}

finish_request make_finish_request(reduce_detail::plan const& plan, reduce_options const& options,
                                   std::int64_t elements) {
    finish_request request;
    request.options = reduce_detail::make_finish_options(plan, options);
    request.operations = plan.operations.bits();
    request.elements = elements;
    operation_set const quick = sum | mean | sum_of_squares | l1 | l2 | operation_set{operation::dot};
    request.quick_type = options.result.value_or(default_real_type(plan.type));
    bool const has_quick_type = !is_integer(plan.type) && !is_complex(plan.type) &&
                                (request.quick_type == dtype::float64 || request.quick_type == dtype::float32);
    request.may_be_quick = plan.operations.without(quick).empty() && has_quick_type && elements > 0;
    request.some_are_quick = has_quick_type && plan.mode == reduction_mode::exact && elements > 0;
    return request;
}

} // namespace steadfold::inline v0::cuda
