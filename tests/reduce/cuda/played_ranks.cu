#include "reduce/cuda/played_ranks.hpp"

namespace oracle {

namespace {

__global__ void add_kernel(std::int64_t* words, std::int64_t const* others, std::size_t count) {
    for (std::size_t i = threadIdx.x; i < count; i += blockDim.x) words[i] += others[i];
}

} // namespace

void add_words(std::int64_t* words, std::int64_t const* others, std::size_t count, cudaStream_t stream) {
    add_kernel<<<1, 256, 0, stream>>>(words, others, count);
    require(cudaGetLastError());
}

} // namespace oracle
