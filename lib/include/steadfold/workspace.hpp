/// Reductions put on a stream: enqueued at once, nothing allocated, nothing waited for, results left where the next
/// kernel wants them.
///
///     sf::execution const gpu{.kind = sf::processor_kind::cuda, .device = 0};
///     sf::workspace work{sf::dtype::float64, sf::sum | sf::mean, {}, gpu};
///     sf::enqueue_reduce(work, sf::view{d_x, n}, {d_results, 2}, stream);           // {sum, mean} with their status
///
///     sf::workspace dots{sf::dtype::float64, sf::operation::dot, {}, gpu};
///     sf::enqueue_dot(dots, sf::view{d_r, n}, sf::view{d_z, n}, d_rho, stream);     // one double on the device
///
/// Results are those of reduce() and dot(), with the same bits and special values. future.hpp brings them to the host.
///
/// On a GPU a call enqueues one kernel on `stream`, a few for products, bitwise operations, weighted means and every 5
/// MiB of an array of complex dots, and returns. It can be captured into a CUDA graph: a replay reads what is in the
/// arrays then. Keep arrays, outputs and workspace until the work is done, and the workspace as long as a graph that
/// was captured with it. On a host workspace everything has happened on return, and `stream` is not looked at.
///
/// Several ranks, one GPU each, are added up on the stream by a communicator of nccl.hpp:
///
///     sf::communicator gpus = sf::nccl::create(world, device);
///     sf::workspace dots{sf::dtype::float64, sf::operation::dot, {}, gpu, gpus};
///     sf::enqueue_dot(gpus, dots, sf::view{d_r, n}, sf::view{d_z, n}, d_rho, stream); // one double, on every rank
///
/// Ranks of MPI are added up by the host: see future.hpp.
///
/// segmented.hpp has calls of this kind, too. Distances, moments, histograms, transforms and batches have not: they
/// return when their results are there.
///
/// In mode `fast` a set of operations that also has exact ones (variances, extrema) is computed exactly as a whole.
#pragma once

#include "steadfold/communicator.hpp"
#include "steadfold/dtype.hpp"
#include "steadfold/operations.hpp"
#include "steadfold/options.hpp"
#include "steadfold/results.hpp"
#include "steadfold/stream.hpp"
#include "steadfold/view.hpp"

#include <cstdint>
#include <memory>
#include <span>

namespace steadfold {
inline namespace v0 {

namespace detail {
class workspace_state;
}

/// The memory of reductions of one element type and one set of operations: everything a call needs is made here.
///
/// One call at a time uses it: the calls must follow each other on one stream (or on streams that wait for each other),
/// and come from one thread at a time. Different workspaces are independent. Making one on a GPU waits for the device;
/// destroying one frees device memory, which waits for the kernels that use it. Move-only. The caller's current device
/// and floating-point environment are left as they were.
class workspace {
  public:
    /// @throws argument_error for operations the type does not have and for devices that do not exist, naming them
    workspace(dtype type, operation_set operations, reduce_options const& options = {}, execution const& where = {});
    /// For calls with a communicator: with room for the messages of as many ranks as `ranks` has. Not collective.
    /// @throws argument_error also if `ranks` are several and cannot be added up on streams of the workspace's device
    workspace(dtype type, operation_set operations, reduce_options const& options, execution const& where,
              communicator const& ranks);
    ~workspace();
    workspace(workspace&&) noexcept;
    workspace& operator=(workspace&&) noexcept;

    [[nodiscard]] dtype type() const noexcept;
    [[nodiscard]] operation_set operations() const noexcept;
    /// True from a call that gave a future until the future was taken or dropped; other calls are refused then.
    [[nodiscard]] bool busy() const noexcept;
    /// True once the device found, in a call with a communicator, that ranks asked for different things; for good. Look
    /// at it when the stream has come so far. See enqueue_reduce().
    [[nodiscard]] bool ranks_disagreed() const noexcept;

    /// For the library's own functions. @throws argument_error if the workspace was moved from
    [[nodiscard]] std::shared_ptr<detail::workspace_state> const& state() const;

  private:
    std::shared_ptr<detail::workspace_state> state_;
};

/// One result for each operation of `work`, in the order of `operation`, once what was put on `stream` before is done.
///
/// @param x            n >= 0 elements in device memory of the workspace's GPU, managed or pinned memory (host memory
///                     on a host workspace); aligned to its components, no more is needed; may be strided
/// @param out          as many results as `work` has operations, in the same kinds of memory; must not overlap
///                     elements of `x`
/// @param first_index  row-major index of x[0] in the whole array, for argmin and argmax
/// @throws argument_error before anything is enqueued: another element type, null or misaligned pointers, memory or a
///         stream of another device, overlapping or missing output, a workspace for dot or one that is busy;
///         library_error in CUDA's words for a foreign stream that is capturing, which cannot be asked beforehand
void enqueue_reduce(workspace& work, array_view x, std::span<result_value> out, stream_ref stream,
                    std::int64_t first_index = 0);

/// Sum of x[i] * y[i]: as enqueue_reduce(), for a workspace of operation::dot, or of another operation
/// of two arrays; they have one length, and each a stride of its own.
void enqueue_dot(workspace& work, array_view x, array_view y, std::span<result_value> out, stream_ref stream);

/// The same over all ranks: every rank gets the results of all elements of all ranks. One rank: as above.
///
/// Enqueues a kernel that leaves the exact state, one that makes a message of it, the sum of the messages by NCCL, and
/// one that rounds. Nothing waits for other ranks or the device. Collective: all ranks make their calls with one
/// communicator in one order, capture them on every rank or on none, and launch the graphs in one order too. The
/// communicator's other collective calls (reduce(), get() of a future, barrier()) run on a stream of its own: make them
/// when the streams of enqueued ones are done, or use another communicator.
///
/// A rank that does not come leaves the others' streams waiting: communicator::synchronise() waits with a deadline.
/// Graphs must be gone before the communicator is, and not be launched after it was poisoned.
///
/// Ranks that disagree on operations, element type or options, all get results NaN (0 for integers) with status
/// `invalid`, and ranks_disagreed() of their workspaces says why. No call throws for it: it would on one rank earlier
/// than on another, which then waits in vain.
///
/// @param first_index  row-major index of x[0] in the array of all ranks, for argmin and argmax
/// @throws argument_error also for several ranks of a communicator that knows no streams, as those of MPI; of another
///         device than the workspace; or more of them than the workspace has room for
/// @throws library_error  if NCCL refuses the call; the communicator is poisoned then
/// @throws timeout_error  if the communicator is poisoned
void enqueue_reduce(communicator const& ranks, workspace& work, array_view x, std::span<result_value> out,
                    stream_ref stream, std::int64_t first_index = 0);

void enqueue_dot(communicator const& ranks, workspace& work, array_view x, array_view y, std::span<result_value> out,
                 stream_ref stream);

namespace detail {
// Without a communicator: of this process alone.
void enqueue_value(communicator const* ranks, workspace& work, array_view x, void* value, dtype type, stream_ref stream,
                   std::int64_t first_index);
void enqueue_dot_value(communicator const* ranks, workspace& work, array_view x, array_view y, void* value, dtype type,
                       stream_ref stream);
} // namespace detail

/// The value alone of a workspace's only operation, without status, for kernels that go on from it.
/// @param value  aligned to its components; R must be the type of the result, or argument_error names it
template <class R>
void enqueue_reduce(workspace& work, array_view x, R* value, stream_ref stream, std::int64_t first_index = 0) {
    detail::enqueue_value(nullptr, work, x, value, dtype_of<R>, stream, first_index);
}

template <class R>
void enqueue_dot(workspace& work, array_view x, array_view y, R* value, stream_ref stream) {
    detail::enqueue_dot_value(nullptr, work, x, y, value, dtype_of<R>, stream);
}

template <class R>
void enqueue_reduce(communicator const& ranks, workspace& work, array_view x, R* value, stream_ref stream,
                    std::int64_t first_index = 0) {
    detail::enqueue_value(&ranks, work, x, value, dtype_of<R>, stream, first_index);
}

template <class R>
void enqueue_dot(communicator const& ranks, workspace& work, array_view x, array_view y, R* value, stream_ref stream) {
    detail::enqueue_dot_value(&ranks, work, x, y, value, dtype_of<R>, stream);
}

} // namespace v0
} // namespace steadfold
