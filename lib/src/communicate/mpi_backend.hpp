// The MPI transport. Public face: steadfold/mpi.hpp.
#pragma once

#include "communicate/mpi_roll_call.hpp"
#include "steadfold/communicator.hpp"

#include <memory>
#include <mpi.h>

namespace steadfold {
inline namespace v0 {
namespace mpi::detail {

/// Owns a duplicate of the caller's communicator. Collectives run on its own buffers, so that a timeout can leave
/// them to MPI for ever while the caller's memory goes away.
class mpi_backend final : public communicator_backend {
  public:
    /// One MPI call moves at most this many bytes altogether; counts and displacements stay within `int`.
    static constexpr std::size_t default_chunk_bytes = std::size_t{1} << 28;

    /// Collective over `comm`. @param chunk_bytes  at least 8; tests pass small ones
    mpi_backend(MPI_Comm comm, std::chrono::nanoseconds deadline, std::size_t chunk_bytes = default_chunk_bytes);
    ~mpi_backend() override;
    mpi_backend(mpi_backend const&) = delete;
    mpi_backend& operator=(mpi_backend const&) = delete;

    int rank() const noexcept override { return rank_; }
    int size() const noexcept override { return size_; }
    std::string_view transport() const noexcept override { return "mpi"; }
    void all_reduce_sum(std::span<std::int64_t> words, std::chrono::nanoseconds deadline) override;
    void all_gather(std::span<std::byte const> mine, std::span<std::byte> all,
                    std::chrono::nanoseconds deadline) override;

  private:
    struct transfer;

    void begin_call();
    template <class Start>
    void complete(char const* name, Start&& start, std::chrono::nanoseconds deadline);
    void wait(char const* name, std::chrono::nanoseconds deadline);
    void poison() noexcept;

    MPI_Comm comm_ = MPI_COMM_NULL;
    int rank_ = 0, size_ = 1;
    std::size_t chunk_bytes_;
    bool main_thread_only_ = false, poisoned_ = false;
    std::uint64_t call_ = 0;
    std::unique_ptr<roll_call> roll_call_;
    std::unique_ptr<transfer> transfer_;
};

} // namespace mpi::detail
} // namespace v0
} // namespace steadfold
