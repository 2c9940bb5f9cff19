/// The ranks that reduce together, behind an interface that knows neither MPI nor NCCL.
///
///     sf::communicator alone;                                          // one process, no MPI needed
///     sf::communicator world = sf::mpi::duplicate(MPI_COMM_WORLD);     // steadfold/mpi.hpp
#pragma once

#include "steadfold/stream.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

namespace steadfold {
inline namespace v0 {

namespace detail {
struct turns;
}

/// What a transport must provide. All calls are collective and block until done or until `deadline` has passed.
/// Not thread-safe: one thread at a time.
class communicator_backend {
  public:
    virtual ~communicator_backend() = default;
    [[nodiscard]] virtual int rank() const noexcept = 0;
    [[nodiscard]] virtual int size() const noexcept = 0;
    /// "self", "mpi" or "nccl".
    [[nodiscard]] virtual std::string_view transport() const noexcept = 0;
    /// Adds the words of all ranks, in place, modulo 2^64. Every rank passes the same length.
    virtual void all_reduce_sum(std::span<std::int64_t> words, std::chrono::nanoseconds deadline) = 0;
    /// `all` holds size() blocks of mine.size() bytes, in rank order.
    virtual void all_gather(std::span<std::byte const> mine, std::span<std::byte> all,
                            std::chrono::nanoseconds deadline) = 0;

    // What transports of GPUs can do besides, see communicator; unless overridden the answer is an argument_error.
    [[nodiscard]] virtual int stream_device() const noexcept { return -1; }
    virtual void enqueue_all_reduce_sum(std::int64_t* words, std::size_t count, stream_ref stream,
                                        std::chrono::nanoseconds deadline);
    virtual void synchronise(stream_ref stream, std::chrono::nanoseconds deadline);
};

/// A cheap handle on a transport; copies share it. Default: one rank, no transport at all.
///
/// After a `timeout_error` or `library_error` the communicator is poisoned: every later call throws `timeout_error`
/// at once, its buffers are leaked on purpose and the transport is not called again; leave with `_exit` after saving
/// your work. Other ranks notice only at their own deadline. Not thread-safe: one thread at a time, copies included.
class communicator {
  public:
    communicator();
    /// @throws argument_error  if `backend` is null
    explicit communicator(std::shared_ptr<communicator_backend> backend);

    [[nodiscard]] int rank() const noexcept;
    [[nodiscard]] int size() const noexcept;
    [[nodiscard]] std::string_view transport() const noexcept;
    [[nodiscard]] bool poisoned() const noexcept;

    /// The longest wait of a collective call; 5 minutes unless set. Shared by all copies, local to this rank.
    /// @throws argument_error  if not positive
    void set_deadline(std::chrono::nanoseconds deadline);
    [[nodiscard]] std::chrono::nanoseconds deadline() const noexcept;

    /// Adds the words of all ranks, in place, modulo 2^64. Collective; every rank passes the same length.
    /// @throws timeout_error  when the deadline has passed, naming the ranks that gave no sign where that is known
    void all_reduce_sum(std::span<std::int64_t> words) const;
    /// Gathers one block a rank into `all`, in rank order. Collective; every rank passes the same block length.
    /// @throws argument_error  before any work, if all.size() is not size() * mine.size()
    void all_gather(std::span<std::byte const> mine, std::span<std::byte> all) const;
    /// Returns once every rank has called it.
    void barrier() const;

    /// The CUDA device on whose streams this communicator can put collectives, as those of nccl::create() can; else -1.
    [[nodiscard]] int stream_device() const noexcept;
    /// Puts on `stream` the addition of `count` words of all ranks, in place, in memory of stream_device(). Collective,
    /// in the order of the calls; see nccl.hpp for what that asks of streams and graphs. Returns once the transport has
    /// taken the call, without waiting for other ranks or the device, and can be captured into a CUDA graph.
    /// @throws argument_error  if stream_device() is -1
    void enqueue_all_reduce_sum(std::int64_t* words, std::size_t count, stream_ref stream) const;
    /// Waits until all that was put on `stream` is done, work of the caller's own too. A rank that never came leaves
    /// the stream waiting in the middle of a collective; after the deadline that is ended, and the communicator with
    /// it.
    /// @throws timeout_error   when the deadline has passed: results of the stream's last work are not to be used
    /// @throws argument_error  if stream_device() is -1, or the stream is being captured
    void synchronise(stream_ref stream) const;

    /// Blocks of different lengths, one a rank, concatenated in rank order; `lengths` receives every rank's length.
    /// Travels in rounds of at most 1 MiB a rank, so scratch memory stays small where lengths differ much.
    [[nodiscard]] std::vector<std::byte> all_gather_varying(std::span<std::byte const> mine,
                                                            std::vector<std::size_t>& lengths) const;

  private:
    friend struct detail::turns;
    struct shared_state;
    std::shared_ptr<shared_state> state_;
};

} // namespace v0
} // namespace steadfold
