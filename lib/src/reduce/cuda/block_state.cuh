// The block's superaccumulator in shared memory, and its way into the device's state.
#pragma once

#include "exact/element.hpp"
#include "exact/state.hpp"
#include "reduce/cuda/pass.hpp"

#include <cuda/atomic>

namespace steadfold::inline v0::cuda {

/// Adds to a 64-bit limb in shared memory with two native 32-bit atomics: a 64-bit one is a compare-and-swap loop
/// there. Each add sees its own wrap-around in the old value, so no carry is lost or counted twice; the limb is read
/// only after a barrier.
struct shared_add {
    __device__ void operator()(std::uint64_t* limb, std::uint64_t delta) const {
        auto* words = reinterpret_cast<std::uint32_t*>(limb);
        auto const low = static_cast<std::uint32_t>(delta);
        std::uint32_t const old = atomicAdd_block(words, low);
        std::uint32_t const high = static_cast<std::uint32_t>(delta >> 32) + (old + low < low ? 1u : 0u);
        if (high != 0) atomicAdd_block(words + 1, high);
    }
};

__device__ inline void shared_count(std::int64_t* counter, std::int64_t delta) {
    if (delta != 0) shared_add{}(reinterpret_cast<std::uint64_t*>(counter), static_cast<std::uint64_t>(delta));
}

/// Sets a flag that is kept as a count; any number of threads may set it.
__device__ inline void shared_mark(std::int64_t& flag) {
    atomicOr_block(reinterpret_cast<unsigned*>(&flag), 1u);
}

/// exact::reduction_state without its constructor, which shared memory cannot run.
union block_storage {
    __device__ block_storage() {}
    exact::reduction_state state;
    std::uint64_t word[sizeof(exact::reduction_state) / 8];
};

__device__ inline exact::reduction_state& clear(block_storage& storage) {
    for (unsigned i = threadIdx.x; i < sizeof(storage.word) / 8; i += blockDim.x) storage.word[i] = 0;
    __syncthreads();
    if (threadIdx.x == 0) storage.state.component[0].extrema = exact::extrema_state{};
    __syncthreads();
    return storage.state;
}

__device__ inline void device_add(std::uint64_t* target, std::uint64_t delta) {
    if (delta == 0) return;
    ::cuda::atomic_ref<unsigned long long, ::cuda::thread_scope_device> cell{
        *reinterpret_cast<unsigned long long*>(target)};
    cell.fetch_add(delta, ::cuda::memory_order_relaxed);
}

/// Adds the block's limbs to the device's. One carry step in parallel keeps every addend below 2^33, so that 2^29
/// blocks may add before the host normalises.
__device__ inline void add_limbs(std::uint64_t const* limbs, int count, std::uint64_t* target) {
    for (int i = static_cast<int>(threadIdx.x); i < count; i += static_cast<int>(blockDim.x)) {
        std::uint64_t const carry =
            i == 0 ? 0 : static_cast<std::uint64_t>(static_cast<std::int64_t>(limbs[i - 1]) >> 32);
        std::uint64_t const own = i + 1 < count ? limbs[i] & 0xffffffffu : limbs[i];
        device_add(target + i, own + carry);
    }
}

} // namespace steadfold::inline v0::cuda
