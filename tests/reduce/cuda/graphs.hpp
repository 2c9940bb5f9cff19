// Streams, graphs and buffers for tests of workspaces.
#pragma once

#include "reduce/cuda/device_memory.hpp"
#include "steadfold/results.hpp"

#include <cuda_runtime_api.h>
#include <memory>
#include <span>
#include <vector>

namespace oracle {

namespace sf = steadfold;

class own_stream {
  public:
    own_stream() { require(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking)); }
    ~own_stream() { cudaStreamDestroy(stream_); }
    own_stream(own_stream const&) = delete;
    own_stream& operator=(own_stream const&) = delete;
    [[nodiscard]] cudaStream_t get() const noexcept { return stream_; }
    void wait() const { require(cudaStreamSynchronize(stream_)); }

  private:
    cudaStream_t stream_ = nullptr;
};

/// What `work` enqueues on the stream, captured in the mode in which every call that allocates or waits fails, on any
/// stream and in any thread.
class captured_graph {
  public:
    template <class Work>
    captured_graph(own_stream const& stream, Work const& work) {
        require(cudaStreamBeginCapture(stream.get(), cudaStreamCaptureModeGlobal));
        cudaGraph_t graph = nullptr;
        try {
            work();
        } catch (...) {
            cudaStreamEndCapture(stream.get(), &graph);
            cudaGetLastError();
            throw;
        }
        require(cudaStreamEndCapture(stream.get(), &graph));
        require(cudaGraphGetNodes(graph, nullptr, &nodes_));
        cudaError_t const made = cudaGraphInstantiate(&exec_, graph, 0);
        cudaGraphDestroy(graph);
        require(made);
    }
    ~captured_graph() { cudaGraphExecDestroy(exec_); }
    captured_graph(captured_graph const&) = delete;
    captured_graph& operator=(captured_graph const&) = delete;

    [[nodiscard]] std::size_t nodes() const noexcept { return nodes_; }
    void launch(own_stream const& stream) const { require(cudaGraphLaunch(exec_, stream.get())); }

  private:
    cudaGraphExec_t exec_ = nullptr;
    std::size_t nodes_ = 0;
};

/// Room for results in pinned memory, which kernels can write too.
template <class R>
class pinned {
  public:
    explicit pinned(std::size_t count = 1) : count_{count} {
        void* memory = nullptr;
        require(cudaMallocHost(&memory, count * sizeof(R)));
        data_ = static_cast<R*>(memory);
        std::uninitialized_value_construct_n(data_, count);
    }
    ~pinned() { cudaFreeHost(data_); }
    pinned(pinned const&) = delete;
    pinned& operator=(pinned const&) = delete;
    [[nodiscard]] R* data() const noexcept { return data_; }
    [[nodiscard]] std::span<R> span() const noexcept { return {data_, count_}; }
    [[nodiscard]] R& operator[](std::size_t i) const noexcept { return data_[i]; }

  private:
    std::size_t count_;
    R* data_ = nullptr;
};

/// Room for `count` results in device memory.
class device_results {
  public:
    explicit device_results(std::size_t count) : count_{count}, memory_{count * sizeof(sf::result_value)} {}
    [[nodiscard]] std::span<sf::result_value> span() const {
        return {reinterpret_cast<sf::result_value*>(memory_.data()), count_};
    }
    /// Waits for the stream.
    [[nodiscard]] std::vector<sf::result_value> read(own_stream const& stream) const {
        std::vector<sf::result_value> values(count_);
        require(cudaMemcpyAsync(values.data(), memory_.data(), count_ * sizeof(sf::result_value),
                                cudaMemcpyDeviceToHost, stream.get()));
        stream.wait();
        return values;
    }

  private:
    std::size_t count_;
    device_bytes memory_;
};

} // namespace oracle
