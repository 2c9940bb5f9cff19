#include "base/cuda_check.hpp"
#include "reduce/cuda/factor_pass.hpp"
#include "reduce/cuda/factors.cuh"

#include <algorithm>

namespace steadfold::inline v0::cuda {

namespace {

using namespace reduce_detail;
using steadfold::detail::check;

constexpr int threads_per_block = 256, warps_per_block = threads_per_block / 32;

struct factor_data {
    void const* data;
    std::int64_t count, stride;
    std::int64_t head, vectors; // elements before the first aligned 16-byte vector, and vectors after them
    factor_rules rules;
};

__device__ void take_vector(factor_rules const& rules, std::size_t bytes, uint4 const& vector, factor_state& mine) {
    std::uint64_t const words[2] = {std::uint64_t{vector.y} << 32 | vector.x, std::uint64_t{vector.w} << 32 | vector.z};
    std::uint64_t const mask = ~std::uint64_t{0} >> (64 - 8 * bytes);
#pragma unroll
    for (std::uint64_t const word : words)
        for (unsigned shift = 0; shift < 64; shift += 8 * static_cast<unsigned>(bytes))
            rules.take(word >> shift & mask, mine);
}

/// All threads of a block together; valid in thread 0.
__device__ void merge_threads(factor_state& mine) {
    __shared__ __align__(16) unsigned char by_warp_bytes[warps_per_block * sizeof(factor_state)];
    auto* const by_warp = reinterpret_cast<factor_state*>(by_warp_bytes);
    merge_lanes(mine);
    if (threadIdx.x % 32 == 0) by_warp[threadIdx.x / 32] = mine;
    __syncthreads();
    if (threadIdx.x != 0) return;
    for (int w = 1; w < warps_per_block; ++w) mine.merge(by_warp[w]);
}

__global__ void __launch_bounds__(threads_per_block) gather_factors(factor_data const of, factor_state* partials) {
    std::size_t const bytes = size_bytes(of.rules.type);
    std::int64_t const thread = std::int64_t{blockIdx.x} * threads_per_block + threadIdx.x;
    std::int64_t const threads = std::int64_t{gridDim.x} * threads_per_block;
    auto const* const vectors =
        reinterpret_cast<uint4 const*>(static_cast<char const*>(of.data) + of.head * static_cast<std::int64_t>(bytes));
    factor_state mine;
    for (std::int64_t v = thread; v < of.vectors; v += threads) take_vector(of.rules, bytes, vectors[v], mine);
    // What is left: a few elements at the ends, or all of strided ones, in turn.
    std::int64_t const in_vectors = of.vectors * static_cast<std::int64_t>(16 / bytes);
    for (std::int64_t left = thread; left < of.count - in_vectors; left += threads) {
        std::int64_t const i = left < of.head ? left : in_vectors + left;
        of.rules.take(raw_element(of.data, bytes, i * of.stride), mine);
    }
    merge_threads(mine);
    if (threadIdx.x == 0) partials[blockIdx.x] = mine;
}

__global__ void __launch_bounds__(threads_per_block)
    merge_factors(factor_state const* partials, int count, exact::reduction_state* state) {
    factor_state mine;
    for (int b = static_cast<int>(threadIdx.x); b < count; b += threads_per_block) mine.merge(partials[b]);
    merge_threads(mine);
    if (threadIdx.x != 0) return;
    state->bits.merge(mine.bits);
    state->product.merge(mine.product);
}

} // namespace

factor_pass::factor_pass(plan const& plan, int device)
    : rules_{plan.type, (plan.features & feature_factors) != 0, plan.missing.has_value(), plan.missing.value_or(0)} {
    int multiprocessors = 0, each = 0;
    check(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device),
          "asking for the number of multiprocessors");
    check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&each, gather_factors, threads_per_block, 0),
          "asking how many blocks fit a multiprocessor");
    cudaFuncAttributes attributes{};
    check(cudaFuncGetAttributes(&attributes, merge_factors), "loading the kernel that merges products");
    most_blocks_ = std::max(1, multiprocessors * each);
    partials_ = steadfold::detail::allocate_device<factor_state>(static_cast<std::size_t>(most_blocks_),
                                                                 "partial products of blocks");
}

void factor_pass::enqueue(array_view data, exact::reduction_state* state, cudaStream_t stream) const {
    auto const bytes = static_cast<std::int64_t>(size_bytes(rules_.type));
    auto const misaligned = static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(data.data) % 16);
    factor_data all{data.data, data.count, data.stride, 0, 0, rules_};
    if (data.contiguous()) {
        all.stride = 1;
        all.head = std::min(data.count, (16 - misaligned) % 16 / bytes);
        all.vectors = (data.count - all.head) * bytes / 16;
    }
    std::int64_t const work = data.contiguous() ? all.vectors : data.count;
    auto const blocks =
        static_cast<int>(std::clamp<std::int64_t>((work + threads_per_block - 1) / threads_per_block, 1, most_blocks_));
    cudaLaunchConfig_t config{};
    config.gridDim = dim3(static_cast<unsigned>(blocks));
    config.blockDim = dim3(threads_per_block);
    config.stream = stream;
    check(cudaLaunchKernelEx(&config, gather_factors, all, partials_.get()), "starting a product");
    config.gridDim = dim3(1);
    check(cudaLaunchKernelEx(&config, merge_factors, partials_.get(), blocks, state), "merging products");
}

} // namespace steadfold::inline v0::cuda
