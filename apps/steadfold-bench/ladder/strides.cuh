// What the later rungs share: sums of a warp and a block by shuffles, and arrays as 16-byte vectors.
#pragma once

#include <cstdint>

namespace steadfold::inline v0::app::ladder {

using index = std::int64_t;

/// The sum of all lanes, in lane 0.
template <class T>
__device__ T warp_sum(T value) {
    for (int offset = 16; offset > 0; offset /= 2) value += __shfl_down_sync(0xffffffffu, value, offset);
    return value;
}

/// The sum of all threads, in thread 0. Of whole warps; once a kernel.
template <class T>
__device__ T block_sum(T value) {
    __shared__ T of_warp[32];
    unsigned const lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    value = warp_sum(value);
    if (lane == 0) of_warp[warp] = value;
    __syncthreads();
    if (warp == 0) value = warp_sum(lane < blockDim.x / 32 ? of_warp[lane] : T{0});
    return value;
}

/// Loaded with one instruction.
template <class T>
struct alignas(16) vector {
    static constexpr int width = 16 / sizeof(T);
    T at[width];
};

__device__ inline float total(vector<float> const& v) {
    return (v.at[0] + v.at[1]) + (v.at[2] + v.at[3]);
}

/// The whole vectors of an array that begins anywhere. Fewer than a vector's elements lie before the first and after
/// the last: the first threads of block 0 take those.
template <class T>
struct aligned_part {
    __device__ aligned_part(T const* x, index n) {
        constexpr int width = vector<T>::width;
        auto const at = static_cast<index>(reinterpret_cast<std::uintptr_t>(x) / sizeof(T));
        index head = (width - at % width) % width;
        if (head > n) head = n;
        first = reinterpret_cast<vector<T> const*>(x + head);
        count = (n - head) / width;
        index const tail = head + count * width, t = threadIdx.x;
        if (blockIdx.x != 0) return;
        if (t < head) before = x + t;
        if (tail + t < n) after = x + tail + t;
    }
    /// The sum of this thread's elements outside.
    __device__ T edges() const { return (before == nullptr ? T{0} : *before) + (after == nullptr ? T{0} : *after); }

    vector<T> const* first;
    index count;
    T const *before = nullptr, *after = nullptr;
};

/// This thread's share of a sum, in batches of `InFlight` vectors that are all loaded before the first is used.
template <int InFlight>
__device__ float sum_of_vectors(float const* x, index n) {
    aligned_part<float> const all{x, n};
    float sum = all.edges();
    index const step = index{gridDim.x} * blockDim.x;
    index i = index{blockIdx.x} * blockDim.x + threadIdx.x;
#pragma unroll 1
    for (; i + (InFlight - 1) * step < all.count; i += InFlight * step) {
        vector<float> batch[InFlight];
#pragma unroll
        for (int j = 0; j < InFlight; ++j) batch[j] = all.first[i + j * step];
#pragma unroll
        for (int j = 0; j < InFlight; ++j) sum += total(batch[j]);
    }
#pragma unroll 1
    for (; i < all.count; i += step) sum += total(all.first[i]);
    return sum;
}

} // namespace steadfold::inline v0::app::ladder
