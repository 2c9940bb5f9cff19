// The smallest and largest integer of a block. As for floating-point data, elements and indices are looked at only
// where a batch may improve on what the block knows; widths are known at run time here.
#pragma once

#include "reduce/cuda/extremes.cuh"
#include "reduce/cuda/integer_words.cuh"

namespace steadfold::inline v0::cuda {

/// As exact::extrema_state has them.
template <bool Signed>
__device__ std::int64_t key_of_integer(std::int64_t x) {
    return Signed ? x : static_cast<std::int64_t>(static_cast<std::uint64_t>(x) ^ ranked::sign);
}

/// f(element, vector, its number there) for a batch.
template <bool Signed, class Batch, class Function>
__device__ void for_each_integer(Batch const& batch, int bytes, Function const& f) {
    int const in_half = batch.source.width() / 2;
#pragma unroll 1
    for (int u = 0; u < Batch::count; ++u) {
        vector16 x, y;
        batch.read(u, x, y);
#pragma unroll
        for (int half = 0; half < 2; ++half) {
            std::uint64_t word = long_word(x, half);
#pragma unroll 1
            for (int k = 0; k < in_half; ++k) {
                f(lowest_element<Signed>(word, bytes), u, half * in_half + k);
                word >>= 8 * bytes % 64; // not by all of it, which only the last one of a word would be
            }
        }
    }
}

/// Elements that equal `value`, padding left out.
template <bool Signed, class Batch>
__device__ unsigned count_equal(Batch const& batch, int bytes, std::int64_t value) {
    unsigned found = 0;
    for_each_integer<Signed>(batch, bytes, [&](std::int64_t x, int u, int j) {
        if (x == value && batch.component(u, j) >= 0) ++found;
    });
    return found;
}

/// What a block knows so far, zeroed before use. Whole elements are compared, not upper halves of them: small numbers
/// in wide integers would have them all equal.
struct integer_extremes {
    /// Ranks that must be beaten.
    struct limits {
        unsigned long long low, high; // which atomicMax takes

        /// What is read too early only lets through too much.
        template <bool Signed>
        [[nodiscard]] __device__ bool may_improve(integer_range<Signed> const& range) const {
            bool const lower = rank<Signed>(range.low, end_of_range::low) > low;
            bool const higher = rank<Signed>(range.high, end_of_range::high) > high;
            return static_cast<int>(lower) | static_cast<int>(higher);
        }
    };
    limits limit[warp_bests::warps];
    warp_bests bests;

    template <bool Signed, class Value>
    __device__ static std::uint64_t rank(Value x, end_of_range end) {
        return ranked::of_key(key_of_integer<Signed>(static_cast<std::int64_t>(x)), 0, end).rank;
    }

    /// The whole warp, with the best of some batch; see block_extremes. Unlike numbers there, integers may have rank 0,
    /// which never beats a limit: a warp looks until it has found an element, and that is the first one of rank 0 then.
    __device__ void offer(ranked const& found, end_of_range end) {
        unsigned const lane = threadIdx.x % warp_threads, warp = threadIdx.x / warp_threads;
        bests.keep(found, end);
        if (lane >= blockDim.x / warp_threads || found.rank == 0) return;
        atomicMax_block(end == end_of_range::low ? &limit[lane].low : &limit[lane].high,
                        lane == warp ? found.rank : found.rank - 1);
    }
};

/// Which elements count.
struct integer_filter {
    bool has_missing;
    std::int64_t missing;
};

/// The best of the thread's elements at one end of the range; padding and what is missing left out.
template <bool Signed, class Batch>
__device__ ranked best_integer(Batch const& batch, int bytes, integer_filter const& filter, std::int64_t first_index,
                               end_of_range end) {
    ranked best;
    for_each_integer<Signed>(batch, bytes, [&](std::int64_t x, int u, int j) {
        ranked mine = ranked::of_key(key_of_integer<Signed>(x), INT64_MAX, end);
        if (mine.rank < best.rank || (filter.has_missing && x == filter.missing)) return;
        std::int64_t const i = batch.component(u, j);
        mine.before = static_cast<std::uint64_t>(INT64_MAX - first_index - i);
        if (i >= 0 && mine.beats(best)) best = mine;
    });
    return best;
}

/// The whole warp, with a batch that may improve on what the block knows. Elements of a warp come in the order of their
/// indices, but for those at the ends of the array: `at_both` is true for them. True if there was any element.
template <bool Signed, class Batch>
__device__ bool look_for_integers(integer_extremes& extremes, integer_range<Signed> const& range, Batch const& batch,
                                  int bytes, integer_filter const& filter, std::int64_t first_index, bool at_both) {
    constexpr unsigned all = 0xffffffffu;
    integer_extremes::limits const known = extremes.limit[threadIdx.x / warp_threads];
    bool any = false;
#pragma unroll 1
    for (int k = 0; k < 2; ++k) {
        end_of_range const end = k == 0 ? end_of_range::low : end_of_range::high;
        bool const improves =
            integer_extremes::rank<Signed>(k == 0 ? range.low : range.high, end) > (k == 0 ? known.low : known.high);
        if (!at_both && !__any_sync(all, improves)) continue;
        ranked const found = best_of_warp(best_integer<Signed>(batch, bytes, filter, first_index, end));
        if (found.before == 0) continue;
        extremes.offer(found, end);
        any = true;
    }
    return any;
}

} // namespace steadfold::inline v0::cuda
