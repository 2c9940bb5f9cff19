/// Reductions and scans over a block, of one value a thread, in the order of threads (x fastest): the same bits on
/// every call, also for operations that are not commutative.
///
///     __global__ void norms(double const* x, double* out) {
///         using block = sf::device::block_reduce<double>;
///         __shared__ block::storage room;
///         double const v = x[blockIdx.x * blockDim.x + threadIdx.x];
///         double const sum = block{room}.reduce(__dmul_rn(v, v), sf::device::plus{});  // in thread 0
///         if (threadIdx.x == 0) out[blockIdx.x] = sum;
///     }
///
/// Blocks of one to three dimensions and 1 to 1024 threads; the number need not be a multiple of 32. All threads of the
/// block call, together. Every function has one __syncthreads, in blocks of more than 32 threads; put another one
/// before the storage is used again, for whatever it may be.
///
/// Header only; needs no other part of the library. Values are trivially copyable, of any size.
#pragma once

#include "steadfold/device/warp.cuh"

#include <cstddef>

namespace steadfold {
inline namespace v0 {
namespace device {

inline constexpr unsigned max_warps_of_block = 32;

/// What the warps of a block tell each other, in shared memory. Bytes, for constructors do not run there.
template <class T>
struct alignas(alignof(T) < 4 ? 4 : alignof(T)) warp_values {
    unsigned char bytes[max_warps_of_block][sizeof(T)];

    __device__ void put(unsigned warp, T const& value) { memcpy(bytes[warp], &value, sizeof(T)); }
    __device__ T get(unsigned warp) const {
        T value;
        memcpy(&value, bytes[warp], sizeof(T));
        return value;
    }
};

template <class T>
class block_reduce {
  public:
    using storage = warp_values<T>;
    static constexpr std::size_t storage_bytes = sizeof(storage);

    __device__ explicit block_reduce(storage& room) : room_{room} {}

    /// In thread 0; other threads get something.
    template <class Operation>
    __device__ T reduce(T value, Operation operation) {
        T const of_warp = warp_reduce(value, operation, lanes_of_warp());
        unsigned const warps = count_warps();
        if (warps == 1) return of_warp;
        tell(of_warp);
        return thread_rank() < warp_threads ? of_warps(of_warp, operation, warps) : of_warp;
    }

    /// In every thread.
    template <class Operation>
    __device__ T all_reduce(T value, Operation operation) {
        unsigned const lanes = lanes_of_warp(), warps = count_warps();
        T const of_warp = warp_reduce(value, operation, lanes);
        if (warps == 1) return detail::from_lane(of_warp, 0, mask_of(lanes));
        tell(of_warp);
        if (lanes == warp_threads) return detail::from_lane(of_warps(of_warp, operation, warps), 0, mask_of(lanes));
        return tree<max_warps_of_block>(0, operation, warps); // too few lanes to have one for each warp
    }

  private:
    __device__ static unsigned count_warps() { return (block_threads() + warp_threads - 1) / warp_threads; }

    __device__ void tell(T const& of_warp) {
        if (lane_of_thread() == 0) room_.put(thread_rank() / warp_threads, of_warp);
        __syncthreads();
    }

    /// A whole warp; in its lane 0.
    template <class Operation>
    __device__ T of_warps(T const& own, Operation operation, unsigned warps) {
        unsigned const lane = lane_of_thread();
        T value = lane < warps ? room_.get(lane) : own;
#pragma unroll
        for (unsigned step = 1; step < max_warps_of_block; step *= 2) {
            T const above = detail::from_above(value, step, mask_of(warp_threads));
            if (lane + step < warps) value = operation(value, above);
        }
        return value;
    }

    /// What of_warps() computes, in the same order, by one thread: of warps `first` to first + Span - 1.
    template <unsigned Span, class Operation>
    __device__ T tree(unsigned first, Operation operation, unsigned warps) const {
        if constexpr (Span == 1) {
            return room_.get(first);
        } else {
            T const low = tree<Span / 2>(first, operation, warps);
            unsigned const middle = first + Span / 2;
            return middle < warps ? operation(low, tree<Span / 2>(middle, operation, warps)) : low;
        }
    }

    storage& room_;
};

template <class T>
class block_scan {
  public:
    using storage = warp_values<T>;
    static constexpr std::size_t storage_bytes = sizeof(storage);

    __device__ explicit block_scan(storage& room) : room_{room} {}

    /// Thread i gets that of threads 0 to i.
    template <class Operation>
    __device__ T inclusive(T value, Operation operation) {
        T const within = warp_inclusive_scan(value, operation, lanes_of_warp());
        return has_warps_before(within) ? operation(of_warps_before(operation), within) : within;
    }

    /// Thread i gets `initial` and then that of threads 0 to i - 1; thread 0 gets `initial`.
    template <class Operation>
    __device__ T exclusive(T value, Operation operation, T initial) {
        unsigned const lanes = lanes_of_warp();
        T const within = warp_inclusive_scan(value, operation, lanes);
        T const below = detail::from_below(within, 1, mask_of(lanes));
        T const start = has_warps_before(within) ? operation(initial, of_warps_before(operation)) : initial;
        return lane_of_thread() == 0 ? start : operation(start, below);
    }

  private:
    /// Tells the others what the warp has, if there are others.
    __device__ bool has_warps_before(T const& within) {
        if (block_threads() <= warp_threads) return false;
        if (lane_of_thread() + 1 == lanes_of_warp()) room_.put(thread_rank() / warp_threads, within);
        __syncthreads();
        return thread_rank() >= warp_threads;
    }

    template <class Operation>
    __device__ T of_warps_before(Operation operation) const {
        unsigned const own = thread_rank() / warp_threads;
        T before = room_.get(0);
        for (unsigned warp = 1; warp < own; ++warp) before = operation(before, room_.get(warp));
        return before;
    }

    storage& room_;
};

} // namespace device
} // namespace v0
} // namespace steadfold
