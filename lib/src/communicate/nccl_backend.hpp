// The NCCL transport. Public face: steadfold/nccl.hpp.
#pragma once

#include "steadfold/communicator.hpp"

#include <cuda_runtime_api.h>
#include <memory>
#include <nccl.h>
#include <string>

namespace steadfold {
inline namespace v0 {
namespace nccl::detail {

/// A stream and staging memory on both sides: first half of each buffer to send, second half to receive.
class staging {
  public:
    static constexpr std::size_t half_bytes = std::size_t{1} << 20;

    explicit staging(int device);

    [[nodiscard]] cudaStream_t stream() const noexcept { return stream_.get(); }
    [[nodiscard]] std::byte* host_send() const noexcept { return host_.get(); }
    [[nodiscard]] std::byte* host_receive() const noexcept { return host_.get() + half_bytes; }
    [[nodiscard]] std::byte* device_send() const noexcept { return device_.get(); }
    [[nodiscard]] std::byte* device_receive() const noexcept { return device_.get() + half_bytes; }

  private:
    struct stream_deleter {
        void operator()(cudaStream_t stream) const noexcept { static_cast<void>(cudaStreamDestroy(stream)); }
    };
    struct host_deleter {
        void operator()(std::byte* p) const noexcept { static_cast<void>(cudaFreeHost(p)); }
    };
    struct device_deleter {
        void operator()(std::byte* p) const noexcept { static_cast<void>(cudaFree(p)); }
    };
    std::unique_ptr<std::byte, host_deleter> host_;
    std::unique_ptr<std::byte, device_deleter> device_;
    std::unique_ptr<std::remove_pointer_t<cudaStream_t>, stream_deleter> stream_; // dies first
};

/// NCCL in its non-blocking form: every call is followed by polling to the deadline.
class nccl_backend final : public communicator_backend {
  public:
    /// Collective over the `size` ranks that share `id`.
    nccl_backend(ncclUniqueId id, int rank, int size, int device, std::unique_ptr<staging> memory,
                 std::chrono::nanoseconds deadline);
    ~nccl_backend() override;
    nccl_backend(nccl_backend const&) = delete;
    nccl_backend& operator=(nccl_backend const&) = delete;

    int rank() const noexcept override { return rank_; }
    int size() const noexcept override { return size_; }
    std::string_view transport() const noexcept override { return "nccl"; }
    void all_reduce_sum(std::span<std::int64_t> words, std::chrono::nanoseconds deadline) override;
    void all_gather(std::span<std::byte const> mine, std::span<std::byte> all,
                    std::chrono::nanoseconds deadline) override;
    int stream_device() const noexcept override { return device_; }
    void enqueue_all_reduce_sum(std::int64_t* words, std::size_t count, stream_ref stream,
                                std::chrono::nanoseconds deadline) override;
    void synchronise(stream_ref stream, std::chrono::nanoseconds deadline) override;

  private:
    class watch;

    template <class Steps>
    void guarded(char const* name, std::chrono::nanoseconds deadline, Steps&& steps);
    template <class Enqueue>
    void exchange(watch& watch, std::size_t send_bytes, std::size_t receive_bytes, Enqueue&& enqueue);
    void abort() noexcept;
    void require_alive() const;

    ncclComm_t comm_ = nullptr;
    int rank_, size_, device_;
    std::unique_ptr<staging> memory_;
};

} // namespace nccl::detail
} // namespace v0
} // namespace steadfold
