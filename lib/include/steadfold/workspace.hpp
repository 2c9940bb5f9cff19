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
/// Results are those of reduce() and dot(), with the same bits and special values. future.hpp brings them to the host
/// and adds up ranks.
///
/// On a GPU a call enqueues one kernel on `stream` and returns. It can be captured into a CUDA graph: a replay reads
/// what is in the arrays then. Keep arrays, outputs and workspace until the work is done, and the workspace as long as
/// a graph that was captured with it. On a host workspace everything has happened on return, and `stream` is not looked
/// at.
///
/// In mode `fast` a set of operations that also has exact ones (variances, extrema) is computed exactly as a whole.
#pragma once

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
    ~workspace();
    workspace(workspace&&) noexcept;
    workspace& operator=(workspace&&) noexcept;

    [[nodiscard]] dtype type() const noexcept;
    [[nodiscard]] operation_set operations() const noexcept;
    /// True from a call that gave a future until the future was taken or dropped; other calls are refused then.
    [[nodiscard]] bool busy() const noexcept;

    /// For the library's own functions. @throws argument_error if the workspace was moved from
    [[nodiscard]] std::shared_ptr<detail::workspace_state> const& state() const;

  private:
    std::shared_ptr<detail::workspace_state> state_;
};

/// One result for each operation of `work`, in the order of `operation`, once what was put on `stream` before is done.
///
/// @param x            n >= 0 elements in device memory of the workspace's GPU, managed or pinned memory (host memory
///                     on a host workspace); aligned to its components, no more is needed; on a host workspace it may
///                     be strided
/// @param out          as many results as `work` has operations, in the same kinds of memory; must not overlap `x`
/// @param first_index  row-major index of x[0] in the whole array, for argmin and argmax
/// @throws argument_error before anything is enqueued: another element type, null or misaligned pointers, memory or a
///         stream of another device, overlapping or missing output, a workspace for dot or one that is busy;
///         library_error in CUDA's words for a foreign stream that is capturing, which cannot be asked beforehand
void enqueue_reduce(workspace& work, array_view x, std::span<result_value> out, stream_ref stream,
                    std::int64_t first_index = 0);

/// Sum of x[i] * y[i]: as enqueue_reduce(), for a workspace of operation::dot; arrays of one length.
void enqueue_dot(workspace& work, array_view x, array_view y, std::span<result_value> out, stream_ref stream);

namespace detail {
void enqueue_value(workspace& work, array_view x, void* value, dtype type, stream_ref stream, std::int64_t first_index);
void enqueue_dot_value(workspace& work, array_view x, array_view y, void* value, dtype type, stream_ref stream);
} // namespace detail

/// The value alone of a workspace's only operation, without status, for kernels that go on from it.
/// @param value  aligned to its components; R must be the type of the result, or argument_error names it
template <class R>
void enqueue_reduce(workspace& work, array_view x, R* value, stream_ref stream, std::int64_t first_index = 0) {
    detail::enqueue_value(work, x, value, dtype_of<R>, stream, first_index);
}

template <class R>
void enqueue_dot(workspace& work, array_view x, array_view y, R* value, stream_ref stream) {
    detail::enqueue_dot_value(work, x, y, value, dtype_of<R>, stream);
}

} // namespace v0
} // namespace steadfold
