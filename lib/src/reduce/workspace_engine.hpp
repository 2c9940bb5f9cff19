// What a workspace does on the processor it was made for.
#pragma once

#include "exact/state.hpp"
#include "reduce/plan.hpp"
#include "steadfold/communicator.hpp"
#include "steadfold/options.hpp"
#include "steadfold/results.hpp"
#include "steadfold/stream.hpp"
#include "steadfold/view.hpp"

#include <cstdint>
#include <memory>

namespace steadfold::inline v0::reduce_detail {

/// The arrays of one call; `y` is empty and null unless there are pairs of two arrays. Either may be strided.
struct workspace_input {
    array_view x, y;
    std::int64_t first_index = 0;
};

/// Where its results go; one of the two.
struct workspace_output {
    result_value* results = nullptr; // in the order of `operation`
    void* value = nullptr;           // of the only operation
};

/// Arguments have been looked at but for where memory is.
class workspace_engine {
  public:
    virtual ~workspace_engine() = default;

    /// @throws argument_error, naming the argument, for memory that the processor cannot use
    virtual void require_memory(void const* data, char const* argument) const = 0;
    /// @throws argument_error for a stream of another device, and if `forbid_capture` for one that is capturing
    virtual void require_stream(stream_ref stream, bool forbid_capture) const = 0;

    virtual void enqueue(workspace_input const& input, workspace_output const& output, stream_ref stream) = 0;
    /// The results of all ranks, of which there are several, and not more than the workspace has room for.
    virtual void enqueue(communicator const& ranks, workspace_input const& input, workspace_output const& output,
                         stream_ref stream) = 0;
    /// Whether ranks were found to disagree on what enqueue() computes.
    [[nodiscard]] virtual bool ranks_disagreed() const noexcept = 0;

    /// Starts a reduction whose outcome stays here: rounded results, or the state that other ranks' states are added
    /// to.
    virtual void start(workspace_input const& input, bool keep_state, stream_ref stream) = 0;
    /// Of what was started; never waits. @throws library_error if the device failed
    [[nodiscard]] virtual bool done() = 0;
    /// Once done.
    [[nodiscard]] virtual reduction_results results() const = 0;
    [[nodiscard]] virtual exact::reduction_state state() const = 0;
};

[[nodiscard]] std::unique_ptr<workspace_engine> make_host_workspace(plan const& plan, reduce_options const& options,
                                                                    execution const& where);
/// With room for the messages of `most_ranks` ranks if there are several.
/// @throws argument_error if the library was built without CUDA or there is no such device
[[nodiscard]] std::unique_ptr<workspace_engine> make_cuda_workspace(plan const& plan, reduce_options const& options,
                                                                    execution const& where, int most_ranks);

} // namespace steadfold::inline v0::reduce_detail
