// Adding to limbs in shared memory and in device memory.
#pragma once

#include "exact/element.hpp"
#include "exact/state.hpp"

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

/// What a block sums, and the limbs of a state that belong to it.
enum class quantity : std::uint8_t { sum, magnitudes, products };

__device__ inline std::uint64_t* limbs_of(exact::reduction_state& state, quantity which, int component) {
    exact::component_state& part = state.component[component];
    return which == quantity::sum ? part.sum : which == quantity::magnitudes ? part.magnitudes : part.products;
}

__device__ inline void device_add(std::uint64_t* target, std::uint64_t delta) {
    if (delta == 0) return;
    ::cuda::atomic_ref<unsigned long long, ::cuda::thread_scope_device> cell{
        *reinterpret_cast<unsigned long long*>(target)};
    cell.fetch_add(delta, ::cuda::memory_order_relaxed);
}

} // namespace steadfold::inline v0::cuda
