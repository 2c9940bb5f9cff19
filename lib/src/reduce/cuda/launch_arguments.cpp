#include "reduce/cuda/launch_arguments.hpp"

#include "reduce/finish.hpp"

#include <algorithm>
#include <bit>

namespace steadfold::inline v0::cuda {

described_elements::described_elements(reduce_detail::plan const& plan)
    : components{component_count(plan.type)}, component_bytes{static_cast<std::int64_t>(
                                                  size_bytes(component_type(plan.type)))},
      counts_zeros{(plan.features & reduce_detail::feature_zeros) != 0},
      has_missing{plan.missing.has_value()}, missing{plan.missing.value_or(0)} {}

void set_arrays(pass_arguments& arguments, array_view x, array_view y, described_elements const& what) {
    arguments.x = x.data;
    arguments.y = y.data;
    arguments.x_stride = x.contiguous() ? 1 : x.stride;
    arguments.y_stride = y.contiguous() ? 1 : y.stride;
    arguments.strided = arguments.x_stride != 1 || arguments.y_stride != 1;
    arguments.length = x.count * what.components;
    auto const misaligned = static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(x.data) % 16);
    if (!arguments.strided) arguments.head = std::min(arguments.length, (16 - misaligned) % 16 / what.component_bytes);
    if (what.components == 2 && arguments.head % 2 != 0) {
        arguments.head = 0;
        arguments.x_aligned = false;
    }
    arguments.vectors = (arguments.length - arguments.head) * what.component_bytes / 16;
    auto const y_start =
        reinterpret_cast<std::uintptr_t>(y.data) + static_cast<std::uintptr_t>(arguments.head * what.component_bytes);
    arguments.y_aligned = y.data == nullptr ? arguments.x_aligned : y_start % 16 == 0;
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
    arguments.whole_tiles = arguments.strided ? 0 : arguments.vectors / tile;
}

void set_block_tiles(pass_arguments& arguments, std::int64_t blocks) {
    arguments.block_tiles = arguments.bulk ? (arguments.whole_tiles + blocks - 1) / blocks : 0;
}

void set_small(pass_arguments& arguments, small_limits const& limits) {
    constexpr int most_bits = 44; // of the sums of a thread, 51
    arguments.small_bits = 0;
    // A third vector a thread takes longer than to meet. That costs as much in eight blocks as in two, so that two
    // folds are spread over many at once; four folds take longer, and fewer blocks while a thread of those has one
    // vector.
    std::int64_t const most_vectors = std::int64_t{limits.threads} * limits.vectors * limits.blocks;
    std::int64_t const alone = std::int64_t{limits.threads} * 2,
                       of_several = limits.folds == 2 ? limits.threads / 2 : limits.threads;
    if (limits.vectors == 0 || arguments.length > limits.elements || arguments.vectors > most_vectors) return;
    if (arguments.strided || arguments.integer_only) return;
    if (arguments.finish.operations == 0 || !arguments.finish.may_be_quick) return;
    // Some of four folds see both parts of a product, and take over what the sum of the next has above their unit.
    int const room = limits.folds == 2 ? 53 : 51;
    auto const others = static_cast<std::uint64_t>(arguments.length - 1); // there is one: may_be_quick
    arguments.small_bits = std::min(most_bits, room - static_cast<int>(std::bit_width(others)));
    std::int64_t blocks = 1;
    while (arguments.vectors > alone && blocks < limits.blocks && blocks * of_several < arguments.vectors) blocks *= 2;
    arguments.small_vectors = static_cast<int>((arguments.vectors + blocks - 1) / blocks);
}

small_grid grid_of_small(pass_arguments const& arguments, small_limits const& limits) {
    constexpr std::int64_t elements_of_warp = 256; // more take longer than to bring the sums of two warps together
    small_grid grid;
    if (arguments.small_vectors > 0)
        grid.blocks = static_cast<int>((arguments.vectors + arguments.small_vectors - 1) / arguments.small_vectors);
    bool const one_warp =
        arguments.length <= elements_of_warp && arguments.small_vectors <= warp_threads * limits.vectors;
    int const warps = one_warp ? 1 : (arguments.small_vectors + warp_threads - 1) / warp_threads;
    grid.threads = std::clamp(warps * warp_threads, warp_threads, limits.threads);
    return grid;
}

finish_request make_finish_request(reduce_detail::plan const& plan, reduce_options const& options,
                                   std::int64_t elements) {
    finish_request request;
    request.options = reduce_detail::make_finish_options(plan, options);
    request.operations = plan.operations.bits();
    request.elements = elements;
    operation_set const quick = sum | mean | sum_of_squares | l1 | l2 | operation_set{operation::dot};
    if (is_integer(plan.type)) {
        request.quick_type = default_result_type(plan.type);
        request.may_be_quick =
            (plan.operations == operation_set{operation::sum} || plan.operations == operation_set{operation::dot}) &&
            options.result.value_or(request.quick_type) == request.quick_type && elements > 0;
        return request;
    }
    request.quick_type = options.result.value_or(default_real_type(plan.type));
    bool const has_quick_type =
        !is_complex(plan.type) && (request.quick_type == dtype::float64 || request.quick_type == dtype::float32);
    request.may_be_quick = plan.operations.without(quick).empty() && has_quick_type && elements > 0;
    operation_set const sums = sum | l1 | sum_of_squares | operation_set{operation::dot};
    request.is_one_sum =
        request.may_be_quick && std::has_single_bit(request.operations) && plan.operations.without(sums).empty();
    request.keeps_negative_zero =
        !plan.operations.contains(operation::l1) && !plan.operations.contains(operation::sum_of_squares);
    request.some_are_quick = has_quick_type && plan.mode == reduction_mode::exact && elements > 0;
    return request;
}

} // namespace steadfold::inline v0::cuda
