#include "reduce/cuda/held_stream.hpp"

#include <cuda/atomic>
#include <stdexcept>

namespace oracle {

namespace {

__device__ long long global_nanoseconds() {
    long long now;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
    return now;
}

__global__ void wait_for(int const* flag, long long most) {
    ::cuda::atomic_ref<int const, ::cuda::thread_scope_system> word{*flag};
    long long const end = global_nanoseconds() + most;
    while (word.load(::cuda::memory_order_acquire) == 0 && global_nanoseconds() < end) __nanosleep(200);
}

void require(cudaError_t result) {
    if (result != cudaSuccess) throw std::runtime_error(cudaGetErrorString(result));
}

} // namespace

void hold(cudaStream_t stream, int const* flag, std::chrono::nanoseconds most) {
    wait_for<<<1, 1, 0, stream>>>(flag, most.count());
    require(cudaGetLastError());
}

held_stream::held_stream() {
    require(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
    require(cudaMallocHost(&flag_, sizeof(int)));
    *flag_ = 0;
    hold(stream_, flag_, std::chrono::seconds{20});
}

held_stream::~held_stream() {
    release();
    cudaStreamSynchronize(stream_);
    cudaStreamDestroy(stream_);
    cudaFreeHost(flag_);
}

bool held_stream::held() const {
    cudaError_t const state = cudaStreamQuery(stream_);
    if (state == cudaErrorNotReady) return true;
    require(state);
    return false;
}

void held_stream::release() noexcept {
    ::cuda::atomic_ref<int, ::cuda::thread_scope_system>{*flag_}.store(1, ::cuda::memory_order_release);
}

} // namespace oracle
