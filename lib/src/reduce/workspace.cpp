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
    reduce_detail::require_strides_available(x, state.where, "the array");
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
    reduce_detail::require_strides_available(x, state.where, "the first array");
    reduce_detail::require_strides_available(y, state.where, "the second array");
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

void enqueue(workspace_state& state, workspace_input const& input, std::span<result_value> out, stream_ref stream) {
    auto const results = static_cast<std::size_t>(std::popcount(state.plan.operations.bits()));
    if (out.size() != results)
        throw argument_error("the output has room for " + std::to_string(out.size()) + " results, but there are " +
                             std::to_string(results) + ": " + to_string(state.plan.operations));
    require_output(state, input, out.data(), out.size_bytes(), alignof(result_value));
    state.engine->require_stream(stream, false);
    state.engine->enqueue(input, {out.data(), nullptr}, stream);
}

void enqueue(workspace_state& state, workspace_input const& input, void* value, dtype type, stream_ref stream) {
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
    state.engine->require_stream(stream, false);
    state.engine->enqueue(input, {nullptr, value}, stream);
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
                                 execution const& where_)
    : options{computed_options(type, operations, options_)}, where{where_},
      plan{reduce_detail::make_plan(type, operations, options)}, engine{[&] {
          reduce_detail::require_threads(where);
          if (where.kind == processor_kind::host) return make_host_workspace(plan, options, where);
          reduce_detail::require_available_on_gpus(plan);
          return make_cuda_workspace(plan, options, where);
      }()} {}

workspace::workspace(dtype type, operation_set operations, reduce_options const& options, execution const& where)
    : state_{std::make_shared<workspace_state>(type, operations, options, where)} {}

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

std::shared_ptr<workspace_state> const& workspace::state() const {
    if (!state_) throw argument_error("this workspace was moved from");
    return state_;
}

void enqueue_reduce(workspace& work, array_view x, std::span<result_value> out, stream_ref stream,
                    std::int64_t first_index) {
    enqueue(*work.state(), checked_input(work, x, first_index), out, stream);
}

void enqueue_dot(workspace& work, array_view x, array_view y, std::span<result_value> out, stream_ref stream) {
    enqueue(*work.state(), checked_input(work, x, y), out, stream);
}

namespace detail {

void enqueue_value(workspace& work, array_view x, void* value, dtype type, stream_ref stream,
                   std::int64_t first_index) {
    enqueue(*work.state(), checked_input(work, x, first_index), value, type, stream);
}

void enqueue_dot_value(workspace& work, array_view x, array_view y, void* value, dtype type, stream_ref stream) {
    enqueue(*work.state(), checked_input(work, x, y), value, type, stream);
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
