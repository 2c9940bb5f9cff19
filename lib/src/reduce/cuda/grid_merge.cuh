// From the blocks' limbs to the results, in the same launch.
//
// Sums of one quantity meet in a few hot words of device memory: pieces of digits under the window of the launch
// before. Every word also counts the blocks that added to it, so one round trip of an atomic add tells the last block
// that it is the last and hands it the total, without a fence, a ticket and another read. Digits elsewhere, and
// everything else a block may have seen, go to the state with a fence; such a block says so in the last of the hot
// words. Other passes use the state and a ticket.
#pragma once

#include "reduce/cuda/block_state.cuh"
#include "reduce/cuda/hot_digits.cuh"

namespace steadfold::inline v0::cuda {

__device__ inline std::int64_t sum_of(std::uint64_t word) {
    return static_cast<std::int64_t>(word << (64 - arrival_shift)) >> (64 - arrival_shift);
}
__device__ inline unsigned arrivals_of(std::uint64_t word) {
    return static_cast<unsigned>((word - static_cast<std::uint64_t>(sum_of(word))) >> arrival_shift);
}

/// The last word, of three sums of 12 bits: blocks that used the state, that saw something else than -0, and that have
/// something below the folds' units.
struct hot_flags {
    unsigned used_state, not_negative_zero, has_rests;
    __device__ std::uint64_t packed() const {
        return used_state | (std::uint64_t{not_negative_zero} << 16) | (std::uint64_t{has_rests} << 32);
    }
    __device__ static hot_flags of(std::int64_t digit) {
        return {static_cast<unsigned>(digit) & 0xffffu, static_cast<unsigned>(digit >> 16) & 0xffffu,
                static_cast<unsigned>(digit >> 32)};
    }
};

/// Limb i after one carry step, which leaves every limb below 2^33 in magnitude.
__device__ inline std::int64_t carried(std::uint64_t const* limbs, int count, int i) {
    std::int64_t const carry = i == 0 ? 0 : static_cast<std::int64_t>(limbs[i - 1]) >> 32;
    std::uint64_t const own = i + 1 < count ? limbs[i] & 0xffffffffu : limbs[i];
    return static_cast<std::int64_t>(own) + carry;
}

/// Adds this block's hot words to those of the launch; called by one warp. True for the warp that completes them all,
/// whose lanes then hold the totals.
template <int Words>
__device__ bool meet(grid_memory& memory, std::uint64_t& word) {
    constexpr unsigned all = 0xffffffffu, wanted = (1u << Words) - 1;
    unsigned const lane = threadIdx.x % 32;
    bool const takes_part = lane < Words;
    if (takes_part) {
        ::cuda::atomic_ref<std::uint64_t, ::cuda::thread_scope_device> cell{memory.hot[lane]};
        word += cell.fetch_add(word, ::cuda::memory_order_relaxed);
    }
    bool const complete = takes_part && arrivals_of(word) == gridDim.x;
    unsigned const completed = __ballot_sync(all, complete);
    if (completed == 0) return false;
    if (complete) memory.hot[lane] = 0; // no block comes after the last
    if (completed == wanted) return true;
    // Different blocks were last at different words: who completes the set collects them.
    if (complete) __stcg(&memory.hot_total[lane], word);
    __threadfence(); // pairs with the fence of the warp that finds the set complete
    __syncwarp();
    unsigned sum = 0;
    if (lane == 0) sum = atomicAdd(&memory.hot_complete, static_cast<unsigned>(__popc(completed))) + __popc(completed);
    if (__shfl_sync(all, sum, 0) != Words) return false;
    __threadfence();
    if (lane == 0) memory.hot_complete = 0;
    if (takes_part) word = __ldcg(&memory.hot_total[lane]);
    return true;
}

/// True in every thread of the last block to arrive. Its reads come after every other block's writes.
__device__ inline bool is_last_block(std::uint32_t* ticket, bool& flag) {
    __syncthreads();
    if (threadIdx.x == 0) {
        // Releases what this block wrote, and acquires what the blocks before it did.
        ::cuda::atomic_ref<std::uint32_t, ::cuda::thread_scope_device> counter{*ticket};
        flag = gridDim.x == 1 || counter.fetch_add(1, ::cuda::memory_order_acq_rel) == gridDim.x - 1;
        if (flag) *ticket = 0;
    }
    __syncthreads();
    return flag;
}

} // namespace steadfold::inline v0::cuda
