#include "communicate/mpi_roll_call.hpp"

#include "communicate/mpi_check.hpp"

#include <algorithm>

namespace steadfold {
inline namespace v0 {
namespace mpi::detail {

namespace {
constexpr int tag = 0; // the communicator is ours alone
constexpr int most_named = 16;
} // namespace

roll_call::roll_call(MPI_Comm comm) : comm_(comm) {
    check(MPI_Comm_rank(comm_, &rank_), "asking for the rank");
    check(MPI_Comm_size(comm_, &size_), "asking for the number of ranks");
    seen_.assign(static_cast<std::size_t>(size_), 0);
}

bool roll_call::listen(std::uint64_t call) {
    if (size_ > most_ranks) return false;
    for (;;) {
        int there = 0;
        MPI_Message message = MPI_MESSAGE_NULL;
        MPI_Status status;
        check(MPI_Improbe(MPI_ANY_SOURCE, tag, comm_, &there, &message, &status), "looking for notices");
        if (!there) break;
        std::uint64_t word = 0;
        check(MPI_Mrecv(&word, 1, MPI_UINT64_T, &message, MPI_STATUS_IGNORE), "reading a notice");
        auto& seen = seen_[static_cast<std::size_t>(status.MPI_SOURCE)];
        seen = std::max(seen, word);
    }
    return std::any_of(seen_.begin(), seen_.end(), [call](std::uint64_t seen) { return seen >= call; });
}

void roll_call::announce(std::uint64_t call) {
    if (size_ > most_ranks || announced_ >= call) return;
    auto& requests = outbox_->requests;
    if (!requests.empty()) {
        int done = 0;
        check(MPI_Testall(static_cast<int>(requests.size()), requests.data(), &done, MPI_STATUSES_IGNORE),
              "finishing notices");
        if (!done) return; // the last ones are still on their way; their buffer cannot be reused yet
    }
    requests.assign(static_cast<std::size_t>(size_), MPI_REQUEST_NULL);
    outbox_->call = call;
    for (int r = 0; r < size_; ++r)
        if (r != rank_)
            check(MPI_Isend(&outbox_->call, 1, MPI_UINT64_T, r, tag, comm_, &requests[static_cast<std::size_t>(r)]),
                  "sending a notice");
    announced_ = call;
}

std::string roll_call::missing(std::uint64_t call) const {
    if (size_ > most_ranks) return "which ranks did not arrive is unknown (more than 1024 ranks)";
    std::string names;
    int count = 0;
    for (int r = 0; r < size_; ++r) {
        if (r == rank_ || seen_[static_cast<std::size_t>(r)] >= call) continue;
        if (++count <= most_named) names.append(count == 1 ? "" : ", ").append(std::to_string(r));
    }
    if (count == 0) return "all ranks have arrived, but the transport did not finish";
    if (count > most_named) names += " and " + std::to_string(count - most_named) + " more";
    return "no sign that rank" + std::string(count == 1 ? " " : "s ") + names + " arrived";
}

void roll_call::close() noexcept {
    for (auto& request : outbox_->requests)
        if (request != MPI_REQUEST_NULL) MPI_Request_free(&request);
    outbox_->requests.clear();
}

void roll_call::abandon() noexcept {
    static_cast<void>(outbox_.release());
}

} // namespace mpi::detail
} // namespace v0
} // namespace steadfold
