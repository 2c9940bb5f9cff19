// The smallest and largest element of a block. Batches are compared by 32-bit words, two instructions an element;
// elements and indices are looked at only where a batch may improve on what the block knows.
#pragma once

#include "exact/state.hpp"
#include "reduce/cuda/pass.hpp"
#include "reduce/cuda/peak.cuh"

namespace steadfold::inline v0::cuda {

/// Smallest and largest of some float32 patterns: the elements, or the high words of float64 (see peak.cuh). NaN wins.
struct word_range {
    float low = __builtin_huge_valf(), high = -__builtin_huge_valf();

    __device__ void take(float x) {
        low = smaller(low, x);
        high = larger(high, x);
    }
    /// Bits of the larger magnitude.
    [[nodiscard]] __device__ std::uint32_t peak() const {
        return __float_as_uint(max_magnitude(max_magnitude(0.0f, __float_as_uint(low)), __float_as_uint(high)));
    }
};

template <dtype Real>
__device__ float compared_word(vector16 const& v, int i) {
    if constexpr (Real == dtype::float64)
        return __uint_as_float(v.word[2 * i + 1]);
    else if constexpr (Real == dtype::float32)
        return __uint_as_float(v.word[i]);
    else
        return element<Real>::template as<float>(v, i);
}

template <dtype Real, int Count>
__device__ word_range range_of(vector16 const (&x)[Count]) {
    word_range range;
#pragma unroll
    for (int u = 0; u < Count; ++u)
#pragma unroll
        for (int j = 0; j < per_vector<Real>; ++j) range.take(compared_word<Real>(x[u], j));
    return range;
}

/// What is compared at one end, the smallest elements or the largest, as unsigned numbers: larger is better, and 0,
/// which no number has, is nothing yet.
enum class end_of_range : std::uint8_t { low, high };

__device__ inline std::uint32_t rank_of_word(word_range const& range, end_of_range end) {
    std::uint32_t const bits = __float_as_uint(end == end_of_range::low ? range.low : range.high);
    std::uint32_t const ordered = bits ^ (static_cast<std::uint32_t>(static_cast<int>(bits) >> 31) | 0x80000000u);
    return end == end_of_range::low ? ~ordered : ordered;
}

/// Of an element, or of none.
struct ranked {
    std::uint64_t rank = 0, before = 0; // before: 2^63 - 1 - index, so that the first is the largest

    static constexpr std::uint64_t sign = std::uint64_t{1} << 63;

    __device__ static ranked of_key(std::int64_t key, std::int64_t index, end_of_range end) {
        std::uint64_t const ordered = static_cast<std::uint64_t>(key) ^ sign;
        return {end == end_of_range::low ? ~ordered : ordered, static_cast<std::uint64_t>(INT64_MAX - index)};
    }
    [[nodiscard]] __device__ std::int64_t key(end_of_range end) const {
        return static_cast<std::int64_t>((end == end_of_range::low ? ~rank : rank) ^ sign);
    }
    [[nodiscard]] __device__ std::int64_t index() const { return INT64_MAX - static_cast<std::int64_t>(before); }

    [[nodiscard]] __device__ bool beats(ranked const& other) const {
        return rank > other.rank || (rank == other.rank && before > other.before);
    }
};

/// The largest of the lanes' words, high halves first.
__device__ inline std::uint64_t largest_of_warp(std::uint64_t mine) {
    constexpr unsigned all = 0xffffffffu;
    auto const high = static_cast<std::uint32_t>(mine >> 32);
    std::uint32_t const top = __reduce_max_sync(all, high);
    std::uint32_t const low = __reduce_max_sync(all, high == top ? static_cast<std::uint32_t>(mine) : 0u);
    return (static_cast<std::uint64_t>(top) << 32) | low;
}

/// The best of the lanes, in all of them.
__device__ inline ranked best_of_warp(ranked const& mine) {
    std::uint64_t const rank = largest_of_warp(mine.rank);
    return {rank, largest_of_warp(mine.rank == rank ? mine.before : 0)};
}

/// The best of every warp of a block, which only the warp itself looks at. Zeroed before use.
struct warp_bests {
    static constexpr int warps = max_threads_per_block / warp_threads;
    ranked best[2][warps]; // at either end

    /// The whole warp, with the best of some batch.
    __device__ void keep(ranked const& found, end_of_range end) {
        ranked& mine = best[end == end_of_range::low ? 0 : 1][threadIdx.x / warp_threads];
        if (threadIdx.x % warp_threads == 0 && found.beats(mine)) mine = found;
    }

    /// The warp's best as one of the threads of the first warp contributes it; nothing in others.
    __device__ void contribute(exact::extrema_state& extrema) const {
        if (threadIdx.x >= blockDim.x / warp_threads) return;
        ranked const low = best[0][threadIdx.x], high = best[1][threadIdx.x];
        extrema.min_key = low.key(end_of_range::low);
        extrema.min_index = low.index();
        extrema.max_key = high.key(end_of_range::high);
        extrema.max_index = high.index();
    }
};

/// What a block knows so far, zeroed before use: also the words that a warp's next batches must beat to be looked at.
/// One warp's record spares all of them the look: else each would have to find smaller and larger elements of its own,
/// again and again.
struct block_extremes {
    struct limits {
        std::uint32_t low, high;

        /// False if nothing in the range can be a smaller or larger element, or an earlier one that is equal. What is
        /// read too early only lets through too much.
        [[nodiscard]] __device__ bool may_improve(word_range const& range) const {
            bool const lower = rank_of_word(range, end_of_range::low) > low;
            bool const higher = rank_of_word(range, end_of_range::high) > high;
            return static_cast<int>(lower) | static_cast<int>(higher); // both at once: no branch
        }
    };
    limits limit[warp_bests::warps];
    warp_bests bests;

    [[nodiscard]] __device__ limits const& of_this_warp() const { return limit[threadIdx.x / warp_threads]; }

    /// The whole warp, with the best of some batch. Later elements of the same warp have larger indices, those of other
    /// warps may have smaller ones: theirs are looked at if they are equal.
    template <dtype Real>
    __device__ void offer(ranked const& found, end_of_range end) {
        unsigned const lane = threadIdx.x % warp_threads, warp = threadIdx.x / warp_threads;
        bests.keep(found, end);
        std::uint32_t word = static_cast<std::uint32_t>(found.rank >> 32);
        bool whole = static_cast<std::uint32_t>(found.rank) == 0xffffffffu; // nothing better has the same high word
        if constexpr (Real != dtype::float64) {
            float const x = __double2float_rn(__longlong_as_double(exact::bits_of_key(found.key(end))));
            word = rank_of_word({x, x}, end);
            whole = true;
        }
        if (lane >= blockDim.x / warp_threads) return;
        atomicMax_block(end == end_of_range::low ? &limit[lane].low : &limit[lane].high,
                        lane == warp && whole ? word : word - 1);
    }
};

} // namespace steadfold::inline v0::cuda
