#include "steadfold/workspace.hpp"

#include "reduce/arguments.hpp"
#include "reduce/strided.hpp"
#include "reduce/workspace_state.hpp"
#include "steadfold/error.hpp"
#include "steadfold/future.hpp"
#include "steadfold/segmented.hpp" // result_type

#include <bit>
#include <string>

namespace steadfold {
inline namespace v0 {

using detail::workspace_state;
using reduce_detail::workspace_input;
using reduce_detail::workspace_output;

namespace {

/// The mode that is computed: one pass gives all results, so plain sums beside exact parts become exact too.
reduce_options computed_options(dtype type, operation_set operations, reduce_options options) {
    if (reduce_detail::make_plan(type, operations, options).features != 0) options.mode = reduction_mode::exact;
    return options;
}

void require_free(workspace_state const& state) {
    if (state.at != workspace_state::stage::idle)
        throw argument_error("this workspace is busy: take or drop the future of the last call first, or use another");
}

/// @throws argument_error for whatever can be wrong with the input, and if the workspace is not free
workspace_input checked_input(workspace& work, array_view x, std::int64_t first_index) {
    workspace_state const& state = *work.state();
    reduce_detail::require_elements(x, state.plan.type, "the array");
    reduce_detail::require_indices(first_index, x.count);
    if (state.takes_pairs())
        throw argument_error("this workspace is for " + to_string(state.plan.operations) + ": give it two arrays");
    require_free(state);
    if (x.count > 0) state.engine->require_memory(x.data, "the array");
    return {x, {}, first_index};
}

workspace_input checked_input(workspace& work, array_view x, array_view y) {
    workspace_state const& state = *work.state();
    reduce_detail::require_elements(x, state.plan.type, "the first array");
    reduce_detail::require_elements(y, state.plan.type, "the second array");
    reduce_detail::require_pairs(x, y);
    if (!state.takes_pairs())
        throw argument_error("this workspace is for " + to_string(state.plan.operations) + ": give it one array");
    require_free(state);
    if (x.count > 0) {
        state.engine->require_memory(x.data, "the first array");
        state.engine->require_memory(y.data, "the second array");
    }
    return {x, y, 0};
}

void require_output(workspace_state const& state, workspace_input const& input, void const* out, std::size_t bytes,
                    std::size_t alignment) {
    if (out == nullptr) throw argument_error("the output is null");
    if (reinterpret_cast<std::uintptr_t>(out) % alignment != 0)
        throw argument_error("the output is not aligned to " + std::to_string(alignment) + " bytes");
    if (reduce_detail::overlaps(input.x, out, bytes) || reduce_detail::overlaps(input.y, out, bytes))
        throw argument_error("the output overlaps the data");
    state.engine->require_memory(out, "the output");
}

/// What messages to the other ranks need, besides room.
void require_streams(communicator const& ranks, execution const& where) {
    int const device = ranks.stream_device();
    if (device < 0)
        throw argument_error("ranks of transport " + std::string(ranks.transport()) +
                             " cannot be added up on a stream; make the communicator with nccl::create, or use "
                             "futures: reduce_async and dot_async");
    if (where.kind != processor_kind::cuda)
        throw argument_error("this workspace is on the host, but several ranks are added up on GPUs; make it with "
                             "execution{.kind = processor_kind::cuda, .device = " +
                             std::to_string(device) + "}, or use futures: reduce_async and dot_async");
    if (where.device != device)
        throw argument_error("this workspace is of device " + std::to_string(where.device) +
                             ", but the communicator is of device " + std::to_string(device));
}

/// `ranks` is null where this process is alone.
void require_room(communicator const* ranks, workspace_state const& state) {
    if (ranks == nullptr || ranks->size() == 1) return;
    require_streams(*ranks, state.where);
    if (state.most_ranks < ranks->size())
        throw argument_error("this workspace has room for the messages of " + std::to_string(state.most_ranks) +
                             " ranks, but the communicator has " + std::to_string(ranks->size()) +
                             "; give the communicator to the workspace's constructor");
}

void enqueue(communicator const* ranks, workspace_state& state, workspace_input const& input,
             workspace_output const& output, stream_ref stream) {
    state.engine->require_stream(stream, false);
    if (ranks == nullptr || ranks->size() == 1)
        state.engine->enqueue(input, output, stream);
    else
        state.engine->enqueue(*ranks, input, output, stream);
}

void enqueue(communicator const* ranks, workspace_state& state, workspace_input const& input,
             std::span<result_value> out, stream_ref stream) {
    require_room(ranks, state);
    auto const results = static_cast<std::size_t>(std::popcount(state.plan.operations.bits()));
    if (out.size() != results)
        throw argument_error("the output has room for " + std::to_string(out.size()) + " results, but there are " +
                             std::to_string(results) + ": " + to_string(state.plan.operations));
    require_output(state, input, out.data(), out.size_bytes(), alignof(result_value));
    enqueue(ranks, state, input, workspace_output{out.data(), nullptr}, stream);
}

void enqueue(communicator const* ranks, workspace_state& state, workspace_input const& input, void* value, dtype type,
             stream_ref stream) {
    require_room(ranks, state);
    unsigned const operations = state.plan.operations.bits();
    if (!std::has_single_bit(operations))
        throw argument_error("this workspace is for " + to_string(state.plan.operations) +
                             ": a value alone can be had of one operation only");
    dtype const expected =
        result_type(static_cast<operation>(std::countr_zero(operations)), state.plan.type, state.options);
    if (type != expected)
        throw argument_error("the output is of type " + std::string(name(type)) + ", but " +
                             to_string(state.plan.operations) + " of " + std::string(name(state.plan.type)) +
                             " gives " + std::string(name(expected)));
    require_output(state, input, value, size_bytes(type), size_bytes(component_type(type)));
    enqueue(ranks, state, input, workspace_output{nullptr, value}, stream);
}

detail::pending_results start(communicator const& ranks, workspace& work, workspace_input const& input,
                              stream_ref stream, bool typed) {
    std::shared_ptr<workspace_state> const& state = work.state();
    if (typed) detail::require_default_result(state->options);
    bool const several = ranks.size() > 1;
    state->engine->require_stream(stream, true);
    state->engine->start(input, several, stream);
    state->dropped = false;
    state->at = workspace_state::stage::started;
    if (several) detail::turns::of(ranks).push_back(state);
    return {state, ranks};
}

} // namespace

workspace_state::workspace_state(dtype type, operation_set operations, reduce_options const& options_,
                                 execution const& where_, int most_ranks_)
    : options{computed_options(type, operations, options_)}, where{where_},
      most_ranks{most_ranks_}, plan{reduce_detail::make_plan(type, operations, options)}, engine{[&] {
          reduce_detail::require_execution(where);
          if (where.kind == processor_kind::host) return make_host_workspace(plan, options, where);
          return make_cuda_workspace(plan, options, where, most_ranks);
      }()} {}

workspace::workspace(dtype type, operation_set operations, reduce_options const& options, execution const& where)
    : state_{std::make_shared<workspace_state>(type, operations, options, where, 1)} {}

workspace::workspace(dtype type, operation_set operations, reduce_options const& options, execution const& where,
                     communicator const& ranks) {
    if (ranks.size() > 1) require_streams(ranks, where);
    state_ = std::make_shared<workspace_state>(type, operations, options, where, ranks.size());
}

workspace::~workspace() = default;
workspace::workspace(workspace&&) noexcept = default;
workspace& workspace::operator=(workspace&&) noexcept = default;

dtype workspace::type() const noexcept {
    return state_->plan.type;
}
operation_set workspace::operations() const noexcept {
    return state_->plan.operations;
}
bool workspace::busy() const noexcept {
    return state_->at != workspace_state::stage::idle;
}

bool workspace::ranks_disagreed() const noexcept {
    return state_->engine->ranks_disagreed();
}

std::shared_ptr<workspace_state> const& workspace::state() const {
    if (!state_) throw argument_error("this workspace was moved from");
    return state_;
}

void enqueue_reduce(workspace& work, array_view x, std::span<result_value> out, stream_ref stream,
                    std::int64_t first_index) {
    enqueue(nullptr, *work.state(), checked_input(work, x, first_index), out, stream);
}

void enqueue_dot(workspace& work, array_view x, array_view y, std::span<result_value> out, stream_ref stream) {
    enqueue(nullptr, *work.state(), checked_input(work, x, y), out, stream);
}

void enqueue_reduce(communicator const& ranks, workspace& work, array_view x, std::span<result_value> out,
                    stream_ref stream, std::int64_t first_index) {
    enqueue(&ranks, *work.state(), checked_input(work, x, first_index), out, stream);
}

void enqueue_dot(communicator const& ranks, workspace& work, array_view x, array_view y, std::span<result_value> out,
                 stream_ref stream) {
    enqueue(&ranks, *work.state(), checked_input(work, x, y), out, stream);
}

namespace detail {

void enqueue_value(communicator const* ranks, workspace& work, array_view x, void* value, dtype type, stream_ref stream,
                   std::int64_t first_index) {
    enqueue(ranks, *work.state(), checked_input(work, x, first_index), value, type, stream);
}

void enqueue_dot_value(communicator const* ranks, workspace& work, array_view x, array_view y, void* value, dtype type,
                       stream_ref stream) {
    enqueue(ranks, *work.state(), checked_input(work, x, y), value, type, stream);
}

pending_results start_reduce(communicator const& ranks, array_view x, workspace& work, stream_ref stream,
                             std::int64_t first_index, bool typed) {
    return start(ranks, work, checked_input(work, x, first_index), stream, typed);
}

pending_results start_dot(communicator const& ranks, array_view x, array_view y, workspace& work, stream_ref stream,
                          bool typed) {
    if (work.state()->takes_pairs() && !work.operations().contains(operation::dot))
        throw argument_error("this workspace is for " + to_string(work.operations()) + ", not for dot");
    return start(ranks, work, checked_input(work, x, y), stream, typed);
}

} // namespace detail

} // namespace v0
} // namespace steadfold
