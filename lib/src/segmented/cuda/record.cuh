// Records in device memory, where several warps gather one output together. Zero between calls.
#pragma once

#include "reduce/cuda/block_state.cuh"
#include "segmented/cuda/call.hpp"
#include "segmented/cuda/lane_group.cuh"

#include <cuda/atomic>

namespace steadfold::inline v0::segmented {

/// Adds to a limb of a record, from any warp of the device.
struct record_add {
    __device__ void operator()(std::uint64_t* limb, std::uint64_t delta) const { cuda::device_add(limb, delta); }
};

/// The last word of a record.
struct record_control {
    std::uint32_t arrived, locked;
};
__device__ inline record_control& control_of(call const& c, std::uint64_t* record) {
    return *reinterpret_cast<record_control*>(record + c.shape.words());
}

/// True in the warp that arrives last of `expected`: everything the others added to the record is there then.
__device__ inline bool arrives_last(record_control& control, std::uint32_t expected) {
    __threadfence(); // every lane's adds come before the arrival
    __syncwarp();
    bool last = false;
    if (lane_number() == 0) {
        ::cuda::atomic_ref<std::uint32_t, ::cuda::thread_scope_device> arrived{control.arrived};
        last = arrived.fetch_add(1, ::cuda::memory_order_acq_rel) == expected - 1;
        if (last) arrived.store(0, ::cuda::memory_order_relaxed); // ready for the next call
    }
    last = __shfl_sync(whole_warp, last, 0);
    if (last) __threadfence();
    return last;
}

/// Extrema of a record are kept so that zeros mean none.
__device__ inline void merge_extrema(call const& c, std::uint64_t* record, exact::extrema_state const& extrema) {
    ::cuda::atomic_ref<std::uint32_t, ::cuda::thread_scope_device> lock{control_of(c, record).locked};
    while (lock.exchange(1, ::cuda::memory_order_acquire) != 0) {
    } // held for a few instructions
    exact::extrema_state const none;
    auto* const kept = record + c.shape.extrema_at();
    exact::extrema_state state;
    auto* const words = reinterpret_cast<std::uint64_t*>(&state);
    auto const* const empty = reinterpret_cast<std::uint64_t const*>(&none);
    for (int i = 0; i < static_cast<int>(sizeof(state) / 8); ++i) words[i] = __ldcg(kept + i) ^ empty[i];
    state.merge(extrema);
    for (int i = 0; i < static_cast<int>(sizeof(state) / 8); ++i) __stcg(kept + i, words[i] ^ empty[i]);
    lock.store(0, ::cuda::memory_order_release);
}

} // namespace steadfold::inline v0::segmented
