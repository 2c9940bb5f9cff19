// Who has arrived at a collective call: known only because waiting ranks tell each other.
#pragma once

#include <cstdint>
#include <memory>
#include <mpi.h>
#include <string>
#include <vector>

namespace steadfold {
inline namespace v0 {
namespace mpi::detail {

/// A rank that has waited a while sends every other rank the number of the call it waits in (8 bytes,
/// point to point). At the deadline the ranks that sent nothing are named. Costs nothing while calls are quick.
class roll_call {
  public:
    /// Above this many ranks nobody is told: ranks^2 messages would add to the trouble.
    static constexpr int most_ranks = 1024;

    explicit roll_call(MPI_Comm comm);

    /// Reads what the others have sent; true if one of them waits in `call` or a later one.
    bool listen(std::uint64_t call);
    /// Tells everyone, once a call, that this rank waits in `call`.
    void announce(std::uint64_t call);
    /// For the message of a timeout in `call`.
    [[nodiscard]] std::string missing(std::uint64_t call) const;
    /// Gives the sends up; for the destructor of a healthy communicator.
    void close() noexcept;
    /// Leaves the buffers of pending sends to MPI for ever; for a poisoned communicator.
    void abandon() noexcept;

  private:
    struct outbox {
        std::uint64_t call = 0;
        std::vector<MPI_Request> requests;
    };

    MPI_Comm comm_;
    int rank_ = 0, size_ = 1;
    std::uint64_t announced_ = 0;
    std::vector<std::uint64_t> seen_; ///< by rank: the latest call it has announced
    std::unique_ptr<outbox> outbox_ = std::make_unique<outbox>();
};

} // namespace mpi::detail
} // namespace v0
} // namespace steadfold
