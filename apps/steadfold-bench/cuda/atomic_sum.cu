#include "atomic_sum.hpp"

#include <algorithm>

namespace steadfold::inline v0::app {

namespace {

constexpr int threads_per_block = 256;

__global__ void __launch_bounds__(threads_per_block) add_atomically(float const* x, std::int64_t count, float* sum) {
    std::int64_t const step = std::int64_t{gridDim.x} * threads_per_block;
    float mine = 0;
    for (std::int64_t i = std::int64_t{blockIdx.x} * threads_per_block + threadIdx.x; i < count; i += step)
        mine += x[i];
    for (int distance = 16; distance > 0; distance /= 2) mine += __shfl_down_sync(0xffffffffu, mine, distance);
    if (threadIdx.x % 32 == 0) atomicAdd(sum, mine);
}

} // namespace

float atomic_sum(float const* x, std::int64_t count) {
    auto const sum = detail::allocate_device<float>(1, "an atomic sum");
    detail::check(cudaMemset(sum.get(), 0, sizeof(float)), "clearing an atomic sum");
    std::int64_t const blocks = std::clamp<std::int64_t>((count + threads_per_block - 1) / threads_per_block, 1, 8192);
    add_atomically<<<static_cast<unsigned>(blocks), threads_per_block>>>(x, count, sum.get());
    detail::check(cudaGetLastError(), "starting an atomic sum");
    float result = 0;
    detail::check(cudaMemcpy(&result, sum.get(), sizeof result, cudaMemcpyDeviceToHost), "copying an atomic sum");
    return result;
}

} // namespace steadfold::inline v0::app
