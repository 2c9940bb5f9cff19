#include "communicate/nccl_backend.hpp"

#include "base/current_device.hpp"
#include "base/patience.hpp"
#include "base/relaxed_capture.hpp"
#include "communicate/nccl_devices.hpp"
#include "reduce/message.hpp"
#include "steadfold/error.hpp"
#include "steadfold/nccl.hpp"

#include <algorithm>
#include <cstring>
#include <source_location>
#include <type_traits>
#include <vector>

namespace steadfold {
inline namespace v0 {
namespace nccl::detail {

using std::chrono::nanoseconds;
using steadfold::detail::check;
using steadfold::detail::current_device;

namespace {

void nccl_check(ncclResult_t result, ncclComm_t comm, std::string const& what,
                std::source_location where = std::source_location::current()) {
    if (result == ncclSuccess || result == ncclInProgress) return;
    throw library_error(what + ": NCCL says \"" + ncclGetErrorString(result) + "\", " + ncclGetLastError(comm) + " (" +
                        where.file_name() + ":" + std::to_string(where.line()) + ")");
}

} // namespace

staging::staging(int device) {
    current_device const on(device);
    void* memory = nullptr;
    check(cudaMallocHost(&memory, 2 * half_bytes), "allocating 2 MiB of pinned memory for NCCL");
    host_.reset(static_cast<std::byte*>(memory));
    check(cudaMalloc(&memory, 2 * half_bytes), "allocating 2 MiB of device memory for NCCL");
    device_.reset(static_cast<std::byte*>(memory));
    cudaStream_t stream = nullptr;
    check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "creating a stream for NCCL");
    stream_.reset(stream);
}

/// One deadline over all the polling of one call.
class nccl_backend::watch {
  public:
    watch(char const* name, nanoseconds deadline) : name_(name), deadline_(deadline), patience_(deadline) {}

    /// Until NCCL has taken the last call: only then is its kernel on the stream.
    void taken(ncclComm_t comm) {
        while (still_working(comm)) pause();
    }
    /// Until the stream has run dry.
    void finished(ncclComm_t comm, cudaStream_t stream) {
        for (;;) {
            cudaError_t const state = query(stream);
            if (state == cudaSuccess) return;
            if (state != cudaErrorNotReady) check(state, name_);
            static_cast<void>(still_working(comm)); // a peer that failed shows here, never on the stream
            pause();
        }
    }

  private:
    bool still_working(ncclComm_t comm) const {
        ncclResult_t state = ncclSuccess;
        nccl_check(ncclCommGetAsyncError(comm, &state), comm, name_);
        nccl_check(state, comm, name_);
        return state == ncclInProgress;
    }
    static cudaError_t query(cudaStream_t stream) {
        steadfold::detail::relaxed_capture const mode;
        cudaError_t const state = cudaStreamQuery(stream);
        if (state == cudaErrorNotReady) static_cast<void>(cudaGetLastError());
        return state;
    }
    void pause() {
        if (patience_.wait()) return;
        auto const ms = std::chrono::duration_cast<std::chrono::milliseconds>(deadline_).count();
        throw timeout_error(std::string(name_) + " did not finish within " + std::to_string(ms) +
                            " ms; NCCL does not say which ranks did not arrive. Save your work and leave with _exit");
    }

    char const* name_;
    nanoseconds deadline_;
    steadfold::detail::patience patience_;
};

/// Whatever fails or times out ends NCCL's communicator; the memory its kernels may still touch is leaked.
template <class Steps>
void nccl_backend::guarded(char const* name, nanoseconds deadline, Steps&& steps) {
    current_device const on(device_);
    watch watch(name, deadline);
    try {
        steps(watch);
    } catch (error const&) {
        abort();
        throw;
    }
}

void nccl_backend::abort() noexcept {
    if (comm_ != nullptr) static_cast<void>(ncclCommAbort(comm_));
    comm_ = nullptr;
    static_cast<void>(memory_.release());
}

void nccl_backend::require_alive() const {
    if (comm_ == nullptr) throw timeout_error("this NCCL communicator was aborted after an earlier failure");
}

nccl_backend::nccl_backend(ncclUniqueId id, int rank, int size, int device, std::unique_ptr<staging> memory,
                           nanoseconds deadline)
    : rank_(rank), size_(size), device_(device), memory_(std::move(memory)) {
    guarded("nccl::create", deadline, [&](watch& watch) {
        ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
        config.blocking = 0;
        nccl_check(ncclCommInitRankConfig(&comm_, size, id, rank, &config), nullptr, "setting up NCCL");
        watch.taken(comm_);
    });
}

nccl_backend::~nccl_backend() {
    if (comm_ == nullptr) return;
    try {
        // Peers may still read our buffers: finalising waits for them, within reason.
        guarded("ending NCCL", std::chrono::seconds(10), [&](watch& watch) {
            nccl_check(ncclCommFinalize(comm_), comm_, "finalising NCCL");
            watch.taken(comm_);
            static_cast<void>(ncclCommDestroy(comm_));
        });
    } catch (error const&) {
        // aborted by guarded(), or CUDA has been shut down before us: nothing is left to free
        static_cast<void>(memory_.release());
    }
}

/// Host -> device, the collective, device -> host, all on our stream.
template <class Enqueue>
void nccl_backend::exchange(watch& watch, std::size_t send_bytes, std::size_t receive_bytes, Enqueue&& enqueue) {
    staging const& m = *memory_;
    check(cudaMemcpyAsync(m.device_send(), m.host_send(), send_bytes, cudaMemcpyHostToDevice, m.stream()),
          "copying a message to the GPU");
    nccl_check(enqueue(m), comm_, "starting a collective");
    watch.taken(comm_);
    check(cudaMemcpyAsync(m.host_receive(), m.device_receive(), receive_bytes, cudaMemcpyDeviceToHost, m.stream()),
          "copying a message from the GPU");
    watch.finished(comm_, m.stream());
}

void nccl_backend::all_reduce_sum(std::span<std::int64_t> words, nanoseconds deadline) {
    require_alive();
    guarded("all_reduce_sum", deadline, [&](watch& watch) {
        constexpr std::size_t most = staging::half_bytes / sizeof(std::int64_t);
        for (std::size_t begin = 0; begin < words.size(); begin += most) {
            auto const chunk = words.subspan(begin, std::min(most, words.size() - begin));
            std::memcpy(memory_->host_send(), chunk.data(), chunk.size_bytes());
            exchange(watch, chunk.size_bytes(), chunk.size_bytes(), [&](staging const& m) {
                return ncclAllReduce(m.device_send(), m.device_receive(), chunk.size(), ncclInt64, ncclSum, comm_,
                                     m.stream());
            });
            std::memcpy(chunk.data(), memory_->host_receive(), chunk.size_bytes());
        }
    });
}

void nccl_backend::all_gather(std::span<std::byte const> mine, std::span<std::byte> all, nanoseconds deadline) {
    require_alive();
    guarded("all_gather", deadline, [&](watch& watch) {
        auto const ranks = static_cast<std::size_t>(size_);
        std::size_t const most = std::max<std::size_t>(1, staging::half_bytes / ranks);
        for (std::size_t begin = 0; begin < mine.size(); begin += most) {
            auto const chunk = mine.subspan(begin, std::min(most, mine.size() - begin));
            std::memcpy(memory_->host_send(), chunk.data(), chunk.size());
            exchange(watch, chunk.size(), chunk.size() * ranks, [&](staging const& m) {
                return ncclAllGather(m.device_send(), m.device_receive(), chunk.size(), ncclUint8, comm_, m.stream());
            });
            for (std::size_t r = 0; r < ranks; ++r)
                std::memcpy(all.data() + r * mine.size() + begin, memory_->host_receive() + r * chunk.size(),
                            chunk.size());
        }
    });
}

/// NCCL may launch from a thread of its own after the call has returned. What comes next on the stream must wait for
/// that, in a capture too; asking NCCL how far it is calls nothing of CUDA that a capture forbids.
void nccl_backend::enqueue_all_reduce_sum(std::int64_t* words, std::size_t count, stream_ref stream,
                                          nanoseconds deadline) {
    require_alive();
    guarded("enqueue_all_reduce_sum", deadline, [&](watch& watch) {
        nccl_check(ncclAllReduce(words, words, count, ncclInt64, ncclSum, comm_, stream.get()), comm_,
                   "putting a sum over all ranks on a stream");
        watch.taken(comm_);
    });
}

void nccl_backend::synchronise(stream_ref stream, nanoseconds deadline) {
    require_alive();
    if (steadfold::detail::is_capturing(stream.get()))
        throw argument_error("synchronise: the stream is being captured into a graph, and nothing on it runs; wait for "
                             "the stream that the graph is launched into");
    guarded("synchronise", deadline, [&](watch& watch) { watch.finished(comm_, stream.get()); });
}

} // namespace nccl::detail

namespace nccl {

bool available(communicator const& bootstrap, int device) {
    return detail::device_conflict(bootstrap, device).empty();
}

communicator create(communicator const& bootstrap, int device) {
    if (auto const conflict = detail::device_conflict(bootstrap, device); !conflict.empty())
        throw argument_error("nccl::create: " + conflict);

    // What can fail on one rank alone comes first, and the others are told, so that nobody waits for nothing.
    struct invitation {
        ncclUniqueId id;
        int ready;
    };
    invitation mine{};
    std::unique_ptr<detail::staging> memory;
    std::string failure;
    try {
        memory = std::make_unique<detail::staging>(device);
        if (bootstrap.rank() == 0) detail::nccl_check(ncclGetUniqueId(&mine.id), nullptr, "asking NCCL for an id");
        mine.ready = 1;
    } catch (error const& e) {
        failure = e.what();
    }
    std::vector<invitation> all(static_cast<std::size_t>(bootstrap.size()));
    bootstrap.all_gather(std::as_bytes(std::span(&mine, 1)), std::as_writable_bytes(std::span(all)));
    if (!failure.empty()) throw library_error("nccl::create: " + failure);
    for (std::size_t r = 0; r < all.size(); ++r)
        if (!all[r].ready) throw library_error("nccl::create: the set-up failed on rank " + std::to_string(r));

    communicator result(std::make_shared<detail::nccl_backend>(all[0].id, bootstrap.rank(), bootstrap.size(), device,
                                                               std::move(memory), bootstrap.deadline()));
    result.set_deadline(bootstrap.deadline());
    // NCCL connects ranks at the first message of a kind, which waits for all of them and allocates: not in a capture.
    std::vector<std::int64_t> words(static_cast<std::size_t>(reduce_detail::message_words(bootstrap.size())));
    result.all_reduce_sum(words);
    return result;
}

} // namespace nccl
} // namespace v0
} // namespace steadfold
