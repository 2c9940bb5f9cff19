// Several ranks on one GPU, one after another: first every rank's message is recorded, then the others' are played to
// each. What NCCL does between GPUs, without NCCL.
//
//     ranks_on_one_gpu ranks{3};
//     ... every rank r enqueues with ranks.record(r) ...
//     ... every rank r enqueues with ranks.play(r): its results are those of all ranks ...
#pragma once

#include "reduce/cuda/device_memory.hpp"
#include "reduce/message.hpp"
#include "steadfold/communicator.hpp"

#include <cuda_runtime_api.h>
#include <memory>
#include <stdexcept>
#include <vector>

namespace oracle {

namespace sf = steadfold;

/// words[i] += others[i], on the stream.
void add_words(std::int64_t* words, std::int64_t const* others, std::size_t count, cudaStream_t stream);

class ranks_on_one_gpu {
  public:
    explicit ranks_on_one_gpu(int size) {
        for (int r = 0; r < size; ++r) messages_.push_back(std::make_shared<device_bytes>(8 * length(size)));
        add_words(nullptr, nullptr, 0, nullptr); // loads the kernel, which a capture might forbid
        require(cudaDeviceSynchronize());
    }

    [[nodiscard]] sf::communicator record(int rank) const { return make(rank, false); }
    [[nodiscard]] sf::communicator play(int rank) const { return make(rank, true); }

  private:
    using messages = std::vector<std::shared_ptr<device_bytes>>;

    static std::size_t length(int size) {
        return static_cast<std::size_t>(steadfold::reduce_detail::message_words(size));
    }

    class backend final : public sf::communicator_backend {
      public:
        backend(messages all, int rank, bool plays) : all_{std::move(all)}, rank_{rank}, plays_{plays} {}
        int rank() const noexcept override { return rank_; }
        int size() const noexcept override { return static_cast<int>(all_.size()); }
        std::string_view transport() const noexcept override { return "played"; }
        int stream_device() const noexcept override { return 0; }
        void all_reduce_sum(std::span<std::int64_t>, std::chrono::nanoseconds) override { refuse(); }
        void all_gather(std::span<std::byte const>, std::span<std::byte>, std::chrono::nanoseconds) override {
            refuse();
        }
        void enqueue_all_reduce_sum(std::int64_t* words, std::size_t count, sf::stream_ref stream,
                                    std::chrono::nanoseconds) override {
            if (count != length(size())) throw std::logic_error("a message of another length");
            for (std::size_t r = 0; r < all_.size(); ++r) {
                auto* const other = reinterpret_cast<std::int64_t*>(all_[r]->data());
                bool const mine = r == static_cast<std::size_t>(rank_);
                if (!plays_ && mine)
                    require(cudaMemcpyAsync(other, words, 8 * count, cudaMemcpyDeviceToDevice, stream.get()));
                if (plays_ && !mine) add_words(words, other, count, stream.get());
            }
        }

      private:
        [[noreturn]] static void refuse() { throw std::logic_error("a collective call of the host"); }

        messages all_;
        int rank_;
        bool plays_;
    };

    [[nodiscard]] sf::communicator make(int rank, bool plays) const {
        return sf::communicator{std::make_shared<backend>(messages_, rank, plays)};
    }

    messages messages_;
};

} // namespace oracle
