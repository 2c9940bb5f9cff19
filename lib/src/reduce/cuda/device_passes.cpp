#include "reduce/cuda/device_passes.hpp"

#include "base/cuda_check.hpp"
#include "reduce/cuda/elementwise.hpp"
#include "reduce/two_states.hpp"

#include <algorithm>
#include <limits>
#include <new>

namespace steadfold::inline v0::cuda {

namespace {

using namespace reduce_detail;
using namespace steadfold::detail;

constexpr unsigned only_factors = feature_bits | feature_factors;

/// What the kernels over elements, or over the real pairs of complex ones, are launched with.
plan kernel_plan(plan const& whole) {
    plan part = whole;
    if (is_complex_dot(whole)) part.type = component_type(whole.type);
    part.features &= ~only_factors;
    return part;
}

/// Of the weights alone, of a weighted mean.
plan sum_plan(plan part) {
    part.features = feature_sum;
    return part;
}

/// Bytes of what has to be made of a pair before it is reduced.
std::int64_t made_bytes_of_pair(plan const& plan) {
    auto const bytes = static_cast<std::int64_t>(size_bytes(plan.type));
    if (is_complex_dot(plan)) return 3 * bytes; // first factors, and the second ones of both parts
    return is_weighted_mean(plan) && !is_integer(plan.type) ? bytes : 0;
}

} // namespace

device_passes::device_passes(plan const& plan, execution const& where, stream_ref stream)
    : plan_{plan}, states_{is_complex_dot(plan) || is_weighted_mean(plan) ? 2 : 1} {
    std::int64_t const made = made_bytes_of_pair(plan);
    most_elements_ = made == 0 ? std::numeric_limits<std::int64_t>::max() : made_bytes / made / 8 * 8; // aligned parts
    reduce_detail::plan const part = kernel_plan(plan);
    execution grid = where;
    if (made != 0) grid.blocks = std::min(grid.blocks, most_blocks_of_chunk);
    if (plan.features != 0 || plan.fast_features == 0) exact_ = {part, false, grid};
    if (plan.fast_features != 0) fast_ = {part, true, grid};
    if (is_weighted_mean(plan)) weights_ = {sum_plan(part), false, grid};
    if ((plan.features & only_factors) != 0) factors_ = factor_pass{plan, where.device};
    int const blocks = std::max({exact_.most_blocks(), fast_.most_blocks(), weights_.most_blocks()});
    memory_ = allocate_device<grid_memory>(static_cast<std::size_t>(states_), "the state of a reduction");
    partials_ = allocate_device<block_partial>(static_cast<std::size_t>(blocks), "partial results of blocks");
    host_states_ =
        allocate_pinned<exact::reduction_state>(static_cast<std::size_t>(states_) + 1, "the state of a reduction");
    if (made != 0) {
        static_cast<void>(this->made());
        load_making_kernels();
    }
    new (host_states_.get() + states_) exact::reduction_state{}; // what an empty state looks like
    check(cudaMemsetAsync(memory_.get(), 0, static_cast<std::size_t>(states_) * sizeof(grid_memory), stream.get()),
          "clearing the memory of a reduction");
    clear(stream);
}

void device_passes::clear(stream_ref stream) {
    for (int i = 0; i < states_; ++i)
        check(cudaMemcpyAsync(&memory_.get()[i].state, host_states_.get() + states_, sizeof(exact::reduction_state),
                              cudaMemcpyHostToDevice, stream.get()),
              "clearing the state of a reduction");
    launched_blocks_ = 0;
    elements_ = 0;
}

void device_passes::read(stream_ref stream) {
    for (int i = 0; i < states_; ++i)
        check(cudaMemcpyAsync(host_states_.get() + i, &memory_.get()[i].state, sizeof(exact::reduction_state),
                              cudaMemcpyDeviceToHost, stream.get()),
              "reading the state of a reduction");
}

exact::reduction_state device_passes::state() const {
    exact::reduction_state const* const read = host_states_.get();
    exact::reduction_state state = states_ == 1 ? read[0] : joined(plan_, read[0], read[1]);
    state.elements = elements_;
    return state;
}

void device_passes::gather_on_device(exact::reduction_state const* empty, stream_ref stream) {
    launched_blocks_ = 0;
    elements_ = 0;
    if (states_ == 1) return;
    exact::reduction_state &first = memory_.get()[0].state, &second = memory_.get()[1].state;
    auto const copy = [stream](void* to, void const* from, std::size_t bytes) {
        check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, stream.get()),
              "joining the parts of a reduction");
    };
    exact::component_state &into = first.component[0], &other = second.component[0]; // as joined() does
    if (is_complex_dot(plan_)) {
        copy(&first.component[1], &other, sizeof other);
    } else {
        copy(into.sum, other.sum, sizeof other.sum);
        copy(&into.counts.infinite, &other.counts.infinite, sizeof other.counts.infinite);
    }
    copy(&second, empty, sizeof second);
}

bool device_passes::are_needed(plan const& plan) noexcept {
    return is_complex_dot(plan) || is_weighted_mean(plan) || (plan.features & only_factors) != 0;
}

void device_passes::add(array_view x, array_view y, std::int64_t first_index, stream_ref stream) {
    if (is_complex_dot(plan_))
        add_complex_pairs(x, y, stream);
    else
        launch_all(0, x, y, first_index, stream);
    if (weights_) add_weights(x, y, stream);
    if ((plan_.features & only_factors) != 0) factors_.enqueue(x, &memory_.get()->state, stream.get());
    elements_ += x.count;
}

void device_passes::add_complex_pairs(array_view x, array_view y, stream_ref stream) {
    std::int64_t const part_bytes = most_elements_ * static_cast<std::int64_t>(size_bytes(plan_.type));
    pair_maker::outputs const out{made(), made() + part_bytes, made() + 2 * part_bytes};
    bool const conjugated = plan_.operations.contains(operation::dot_conjugated);
    enqueue_pairs({x, y, conjugated}, out, stream);
    auto const numbers = [&](void const* data) { return array_view{data, 2 * x.count, component_type(plan_.type)}; };
    launch_all(0, numbers(out.x), numbers(out.real), 0, stream);
    launch_all(1, numbers(out.x), numbers(out.imaginary), 0, stream);
}

void device_passes::add_weights(array_view w, array_view x, stream_ref stream) {
    if (!is_integer(plan_.type)) {
        enqueue_weights({w, x}, made(), stream);
        w = {made(), w.count, w.type};
    }
    launch(weights_, 1, weights_.arguments_for(w, {}, 0), stream);
}

void device_passes::launch_all(int state, array_view x, array_view y, std::int64_t first_index, stream_ref stream) {
    if (exact_) launch(exact_, state, exact_.arguments_for(x, y, first_index), stream);
    if (!fast_) return;
    pass_arguments arguments = fast_.arguments_for(x, y, first_index);
    arguments.counts_specials = !exact_;
    launch(fast_, state, arguments, stream);
}

void device_passes::launch(launcher const& with, int state, pass_arguments arguments, stream_ref stream) {
    arguments.memory = memory_.get() + state;
    arguments.partials = partials_.get();
    launched_blocks_ += with.blocks_for(arguments);
    with.launch(arguments, stream.get());
}

std::byte* device_passes::made() {
    if (!made_) made_ = allocate_device<std::byte>(static_cast<std::size_t>(made_bytes), "elements that are made");
    return made_.get();
}

void device_passes::leak() noexcept {
    static_cast<void>(memory_.release());
    static_cast<void>(partials_.release());
    static_cast<void>(made_.release());
    static_cast<void>(host_states_.release());
    factors_.leak();
}

} // namespace steadfold::inline v0::cuda
