/// Results that are on their way to the host: of one rank, or added up over the ranks of a communicator.
///
///     sf::workspace work{sf::dtype::float64, sf::operation::dot, {}, {.kind = sf::processor_kind::cuda}};
///     sf::future<double> rho = sf::dot_async(world, sf::view{d_r, n}, sf::view{d_z, n}, work, stream);
///     ...                                                  // the host is free
///     double r = rho.get(50ms);                            // every wait has a deadline
///
/// The start enqueues on `stream`, as workspace.hpp says, and returns; it cannot be captured into a graph. One rank:
/// the kernel rounds the results and writes them to pinned memory of the workspace. Several ranks: the kernel leaves
/// the exact state, which is copied to the host; get() adds the states of all ranks and rounds. The bits are those of
/// reduce() and dot() either way.
///
/// Several ranks: starting a future is a promise of one collective call. The promises of one communicator are kept in
/// the order in which the futures were made: get() of a later one first does what the earlier ones wait for. So every
/// rank must make its futures in the same order and get() the last of them at least; one that was dropped takes part
/// when its turn comes. Other collective calls (reduce(), barrier()) do not wait for futures: make them at points where
/// every rank has got the same futures. MPI is called inside get() and progress() only, by the calling thread. A rank
/// with other work to do keeps the others from waiting for it by calling progress() now and then:
///
///     while (!sf::progress(world)) do_some_of_the_other_work();
#pragma once

#include "steadfold/communicator.hpp"
#include "steadfold/results.hpp"
#include "steadfold/workspace.hpp"

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

namespace steadfold {
inline namespace v0 {

namespace detail {

/// A future of results whose type is known at run time.
class pending_results {
  public:
    pending_results() = default;
    pending_results(std::shared_ptr<workspace_state> state, communicator const& ranks);
    pending_results(pending_results&&) noexcept = default;
    pending_results& operator=(pending_results&& other) noexcept;
    ~pending_results();

    [[nodiscard]] bool valid() const noexcept { return state_ != nullptr; }
    [[nodiscard]] bool ready();
    /// No deadline: those of the workspace's execution and of the communicator.
    [[nodiscard]] reduction_results take(std::optional<std::chrono::nanoseconds> deadline);

  private:
    void drop() noexcept;

    std::shared_ptr<workspace_state> state_;
    std::optional<communicator> ranks_;
};

[[nodiscard]] pending_results start_reduce(communicator const& ranks, array_view x, workspace& work, stream_ref stream,
                                           std::int64_t first_index, bool typed);
[[nodiscard]] pending_results start_dot(communicator const& ranks, array_view x, array_view y, workspace& work,
                                        stream_ref stream, bool typed);

} // namespace detail

/// A result that will be there. Move-only. The workspace it came from is busy until it was taken or dropped; dropping
/// it neither waits nor stops the work. One thread at a time, together with its workspace and the other futures of its
/// communicator.
template <class R>
class future {
  public:
    /// Not valid: of no work.
    future() = default;
    /// For the library: `convert` makes the result from what was computed.
    future(detail::pending_results results, R (*convert)(reduction_results const&))
        : results_{std::move(results)}, convert_{convert} {}

    /// False after get(), after a move, and for a future() of nothing.
    [[nodiscard]] bool valid() const noexcept { return results_.valid(); }

    /// Never waits. True once this process's own device is done: get() then returns at once with one rank, and waits
    /// for nothing but the other ranks with several.
    /// @throws argument_error if not valid; library_error if the device failed
    [[nodiscard]] bool ready() { return results_.ready(); }

    /// The result; once. Waits for at most `deadline`, or without one for execution::deadline of the workspace and then
    /// for the deadline of the communicator. Collective with several ranks.
    ///
    /// @throws timeout_error   if this process's own device is not done by then: nothing is lost, call it again. If
    ///                         other ranks do not arrive: then the communicator is poisoned
    /// @throws mismatch_error  on every rank, if the ranks disagree on what is computed
    /// @throws argument_error  if not valid; library_error if the device failed
    [[nodiscard]] R get(std::chrono::nanoseconds deadline) { return convert_(results_.take(deadline)); }
    [[nodiscard]] R get() { return convert_(results_.take({})); }

  private:
    detail::pending_results results_;
    R (*convert_)(reduction_results const&) = nullptr;
};

/// Starts a reduction of `x` on every rank; parameters and errors are those of enqueue_reduce() and, in get(),
/// reduce().
[[nodiscard]] inline future<reduction_results> reduce_async(communicator const& ranks, array_view x, workspace& work,
                                                            stream_ref stream, std::int64_t first_index = 0) {
    return {detail::start_reduce(ranks, x, work, stream, first_index, false),
            [](reduction_results const& results) { return results; }};
}

/// Typed form, of a view<T> or strided_view<T>; the workspace's options.result must not be set.
template <typed_view View>
[[nodiscard]] future<statistics<typename View::value_type>>
reduce_async(communicator const& ranks, View x, workspace& work, stream_ref stream, std::int64_t first_index = 0) {
    return {detail::start_reduce(ranks, x, work, stream, first_index, true),
            [](reduction_results const& results) { return detail::typed<typename View::value_type>(results); }};
}

/// Starts a dot product on every rank; `work` must be made for operation::dot.
[[nodiscard]] inline future<result_value> dot_async(communicator const& ranks, array_view x, array_view y,
                                                    workspace& work, stream_ref stream) {
    return {detail::start_dot(ranks, x, y, work, stream, false),
            [](reduction_results const& results) { return results[operation::dot]; }};
}

template <typed_view X, typed_view Y>
[[nodiscard]] auto dot_async(communicator const& ranks, X x, Y y, workspace& work, stream_ref stream) {
    static_assert(views_of_one_type<X, Y>, "dot takes two arrays of one type");
    using result = typename detail::result_types<typename X::value_type>::sum;
    return future<result>{detail::start_dot(ranks, x, y, work, stream, true), [](reduction_results const& results) {
                              return detail::value_as<result>(results[operation::dot]);
                          }};
}

/// Keeps the promises of `ranks`, in the order they were made, as far as this process's own devices are done; ready()
/// does not: it calls no MPI. Never waits for a device, but each collective call may wait for the other ranks, which
/// come to it in their own get() or progress(), for up to the deadline of the communicator.
///
/// What a call results in, an error too, is kept for the get() of its future, which then waits for nothing. A device
/// that failed cannot keep its promise: its future gets the library_error, and the communicator is poisoned, since the
/// ranks would no longer meet; futures after it get a timeout_error that says so, and other ranks notice at their own
/// deadlines.
///
/// @return  true if no promise is left; always with one rank, whose futures need no other's help
bool progress(communicator const& ranks);

} // namespace v0
} // namespace steadfold
