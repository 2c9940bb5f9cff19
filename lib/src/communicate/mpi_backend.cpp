#include "communicate/mpi_backend.hpp"

#include "communicate/mpi_check.hpp"
#include "base/patience.hpp"
#include "steadfold/error.hpp"
#include "steadfold/mpi.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <string>
#include <vector>

namespace steadfold {
inline namespace v0 {
namespace mpi::detail {

using std::chrono::nanoseconds;

/// What MPI may write to or read from until a request is done; lives for ever once a request has timed out.
struct mpi_backend::transfer {
    std::vector<std::byte> send, receive;
    MPI_Comm comm = MPI_COMM_NULL; ///< filled by the pending duplication
    MPI_Request request = MPI_REQUEST_NULL;
};

namespace {

std::atomic<bool> process_poisoned{false};

std::string seconds_text(nanoseconds time) {
    auto const ms = std::chrono::duration_cast<std::chrono::milliseconds>(time).count();
    return std::to_string(ms / 1000) + "." + std::to_string(1000 + ms % 1000).substr(1) + " s";
}

/// True if only the main thread may call MPI.
bool check_thread_level() {
    int initialised = 0, finalised = 0, level = MPI_THREAD_SINGLE;
    check(MPI_Initialized(&initialised), "asking whether MPI is initialised");
    if (!initialised)
        throw argument_error(
            "mpi::duplicate: MPI is not initialised; call MPI_Init_thread with MPI_THREAD_FUNNELED first");
    check(MPI_Finalized(&finalised), "asking whether MPI is finalised");
    if (finalised) throw argument_error("mpi::duplicate: MPI is already finalised");
    check(MPI_Query_thread(&level), "asking for the thread level");
    if (level < MPI_THREAD_FUNNELED)
        throw argument_error("mpi::duplicate: MPI was initialised with MPI_THREAD_SINGLE, but steadfold runs threads; "
                             "call MPI_Init_thread with MPI_THREAD_FUNNELED or above");
    return level == MPI_THREAD_FUNNELED;
}

} // namespace

/// Starts one non-blocking operation and sees it through; whatever fails poisons the communicator.
template <class Start>
void mpi_backend::complete(char const* name, Start&& start, nanoseconds deadline) {
    try {
        check(start(*transfer_), name);
        wait(name, deadline);
    } catch (library_error const&) {
        poison();
        throw;
    }
}

mpi_backend::mpi_backend(MPI_Comm comm, nanoseconds deadline, std::size_t chunk_bytes)
    : chunk_bytes_(std::clamp<std::size_t>(chunk_bytes, sizeof(std::int64_t), std::size_t{1} << 30)),
      main_thread_only_(check_thread_level()), transfer_(std::make_unique<transfer>()) {
    if (comm == MPI_COMM_NULL) throw argument_error("mpi::duplicate: the communicator is MPI_COMM_NULL");
    int between = 0;
    check(MPI_Comm_test_inter(comm, &between), "asking for the kind of communicator");
    if (between) throw argument_error("mpi::duplicate: inter-communicators cannot be used; merge it first");
    begin_call();
    complete(
        "mpi::duplicate", [&](transfer& t) { return MPI_Comm_idup(comm, &t.comm, &t.request); }, deadline);
    comm_ = transfer_->comm;
    check(MPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN), "setting the error handler");
    check(MPI_Comm_rank(comm_, &rank_), "asking for the rank");
    check(MPI_Comm_size(comm_, &size_), "asking for the number of ranks");
    roll_call_ = std::make_unique<roll_call>(comm_);
}

mpi_backend::~mpi_backend() {
    int finalised = 0;
    if (any_poisoned() || MPI_Finalized(&finalised) != MPI_SUCCESS || finalised) {
        roll_call_->abandon();
        return;
    }
    roll_call_->close();
    MPI_Comm_free(&comm_);
}

void mpi_backend::poison() noexcept {
    poisoned_ = true;
    process_poisoned.store(true, std::memory_order_relaxed);
    static_cast<void>(transfer_.release());
}

void mpi_backend::begin_call() {
    if (poisoned_) throw timeout_error("this MPI communicator is poisoned by an earlier failure");
    int is_main = 1, finalised = 0;
    check(MPI_Finalized(&finalised), "asking whether MPI is finalised");
    if (finalised) throw argument_error("MPI is already finalised; end collective work before MPI_Finalize");
    if (main_thread_only_) check(MPI_Is_thread_main(&is_main), "asking for the main thread");
    if (!is_main)
        throw argument_error("MPI was initialised with MPI_THREAD_FUNNELED: collective calls must come from the main "
                             "thread; ask for MPI_THREAD_SERIALIZED to call from another one");
    ++call_;
}

void mpi_backend::wait(char const* name, nanoseconds deadline) {
    steadfold::detail::patience patience(deadline);
    for (;;) {
        int done = 0;
        check(MPI_Test(&transfer_->request, &done, MPI_STATUS_IGNORE), name);
        if (done) return;
        // Only a wait long enough to sleep is worth asking who is there.
        bool const others_wait = roll_call_ && patience.sleeping() && roll_call_->listen(call_);
        if (roll_call_ && patience.sleeping() && (others_wait || patience.elapsed() > deadline / 4))
            roll_call_->announce(call_);
        if (patience.wait()) continue;
        std::string const who =
            roll_call_ ? roll_call_->missing(call_) : "which ranks did not arrive is unknown this early";
        poison();
        throw timeout_error(std::string(name) + " did not finish within " + seconds_text(deadline) + ": " + who +
                            ". Save your work and leave with _exit; MPI cannot be used further");
    }
}

void mpi_backend::all_reduce_sum(std::span<std::int64_t> words, nanoseconds deadline) {
    begin_call();
    auto const end = std::chrono::steady_clock::now() + deadline;
    std::size_t const most = chunk_bytes_ / sizeof(std::int64_t);
    for (std::size_t begin = 0; begin < words.size(); begin += most) {
        auto const chunk = words.subspan(begin, std::min(most, words.size() - begin));
        transfer_->receive.resize(chunk.size_bytes());
        std::memcpy(transfer_->receive.data(), chunk.data(), chunk.size_bytes());
        // Unsigned words, because they wrap by definition.
        auto const start = [&](transfer& t) {
            return MPI_Iallreduce(MPI_IN_PLACE, t.receive.data(), static_cast<int>(chunk.size()), MPI_UINT64_T, MPI_SUM,
                                  comm_, &t.request);
        };
        complete("all_reduce_sum", start, begin == 0 ? deadline : end - std::chrono::steady_clock::now());
        std::memcpy(chunk.data(), transfer_->receive.data(), chunk.size_bytes());
    }
}

void mpi_backend::all_gather(std::span<std::byte const> mine, std::span<std::byte> all, nanoseconds deadline) {
    begin_call();
    auto const end = std::chrono::steady_clock::now() + deadline;
    auto const ranks = static_cast<std::size_t>(size_);
    std::size_t const most = std::max<std::size_t>(1, chunk_bytes_ / ranks);
    for (std::size_t begin = 0; begin < mine.size(); begin += most) {
        auto const chunk = mine.subspan(begin, std::min(most, mine.size() - begin));
        transfer_->send.assign(chunk.begin(), chunk.end());
        transfer_->receive.resize(chunk.size() * ranks);
        auto const start = [&](transfer& t) {
            int const count = static_cast<int>(chunk.size());
            return MPI_Iallgather(t.send.data(), count, MPI_BYTE, t.receive.data(), count, MPI_BYTE, comm_, &t.request);
        };
        complete("all_gather", start, begin == 0 ? deadline : end - std::chrono::steady_clock::now());
        for (std::size_t r = 0; r < ranks; ++r)
            std::memcpy(all.data() + r * mine.size() + begin, transfer_->receive.data() + r * chunk.size(),
                        chunk.size());
    }
}

} // namespace mpi::detail

namespace mpi {

communicator duplicate(MPI_Comm comm) {
    return communicator(std::make_shared<detail::mpi_backend>(comm, std::chrono::minutes(5)));
}

bool any_poisoned() noexcept {
    return detail::process_poisoned.load(std::memory_order_relaxed);
}

} // namespace mpi
} // namespace v0
} // namespace steadfold
