/// What the threads of a warp do together by shuffles: reductions and scans in the order of lanes. All lanes that the
/// warp has take part: 32, but for the last warp of a block whose size is not a multiple of 32.
///
///     unsigned const lanes = sf::device::lanes_of_warp();
///     float const sum = sf::device::warp_reduce(x, sf::device::plus{}, lanes);         // in lane 0
///
/// Header only; needs no other part of the library. Values are trivially copyable, of any size.
#pragma once

#include "steadfold/device/operations.cuh"

#include <cstdint>
#include <cstring>
#include <type_traits>

namespace steadfold {
inline namespace v0 {
namespace device {

inline constexpr unsigned warp_threads = 32;

/// Of the thread in its block, x fastest.
__device__ inline unsigned thread_rank() {
    return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
}
__device__ inline unsigned block_threads() {
    return blockDim.x * blockDim.y * blockDim.z;
}
__device__ inline unsigned lane_of_thread() {
    return thread_rank() % warp_threads;
}
/// Of the warps of the block, 32 but for the last one.
__device__ inline unsigned lanes_of_warp() {
    unsigned const left = block_threads() - thread_rank() / warp_threads * warp_threads;
    return left < warp_threads ? left : warp_threads;
}
__device__ inline unsigned mask_of(unsigned lanes) {
    return 0xffffffffu >> (warp_threads - lanes);
}

namespace detail {

/// f(word) for every 32-bit word of a value.
template <class T, class Function>
__device__ T by_words(T const& value, Function const& f) {
    static_assert(std::is_trivially_copyable_v<T>, "values of threads are copied by their bytes");
    constexpr unsigned words = (sizeof(T) + 3) / 4;
    std::uint32_t word[words] = {};
    memcpy(word, &value, sizeof(T));
#pragma unroll
    for (unsigned i = 0; i < words; ++i) word[i] = f(word[i]);
    T result;
    memcpy(&result, word, sizeof(T));
    return result;
}

template <class T>
__device__ T from_lane(T const& value, unsigned lane, unsigned mask) {
    return by_words(value, [=](std::uint32_t word) { return __shfl_sync(mask, word, static_cast<int>(lane)); });
}
template <class T>
__device__ T from_above(T const& value, unsigned lanes, unsigned mask) {
    return by_words(value, [=](std::uint32_t word) { return __shfl_down_sync(mask, word, lanes); });
}
template <class T>
__device__ T from_below(T const& value, unsigned lanes, unsigned mask) {
    return by_words(value, [=](std::uint32_t word) { return __shfl_up_sync(mask, word, lanes); });
}

} // namespace detail

/// In lane 0; other lanes get what some lanes have.
///
/// @param lanes  that the warp has, the first ones
template <class T, class Operation>
__device__ T warp_reduce(T value, Operation operation, unsigned lanes = warp_threads) {
    unsigned const mask = mask_of(lanes), lane = lane_of_thread();
#pragma unroll
    for (unsigned step = 1; step < warp_threads; step *= 2) {
        T const above = detail::from_above(value, step, mask);
        if (lane + step < lanes) value = operation(value, above);
    }
    return value;
}

/// In every lane.
template <class T, class Operation>
__device__ T warp_all_reduce(T value, Operation operation, unsigned lanes = warp_threads) {
    return detail::from_lane(warp_reduce(value, operation, lanes), 0, mask_of(lanes));
}

/// Lane l gets that of lanes 0 to l.
template <class T, class Operation>
__device__ T warp_inclusive_scan(T value, Operation operation, unsigned lanes = warp_threads) {
    unsigned const mask = mask_of(lanes), lane = lane_of_thread();
#pragma unroll
    for (unsigned step = 1; step < warp_threads; step *= 2) {
        T const below = detail::from_below(value, step, mask);
        if (lane >= step) value = operation(below, value);
    }
    return value;
}

} // namespace device
} // namespace v0
} // namespace steadfold
