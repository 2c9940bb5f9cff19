// Little data, in float64 alone: two folds so far apart that the sums of all their digits are float64 numbers, which
// add up to the exact sum, so that one more addition rounds it. No digits, limbs or words of memory; the blocks of a
// cluster meet in the shared memory of each.
//
// The window is that of the launch before. Data that does not fit it, or that leaves a rest, goes the usual way.
#pragma once

#include "reduce/cuda/hot_finish.cuh"
#include "reduce/cuda/small_folds.cuh"

namespace steadfold::inline v0::cuda {

/// What the threads of a block leave for its first warp, and the blocks of a cluster for each other.
struct small_area {
    double high[max_threads_per_block], low[max_threads_per_block];
    std::uint32_t not_negative_zero[max_threads_per_block];
    struct block_part {
        double high, low;
        std::uint32_t not_negative_zero, fits;
    } of_block[most_small_blocks];
};

template <class Pass, bool Exists = (Pass::most_small_vectors > 0)>
class small_sum {
  public:
    using block_type = typename Pass::block_type;

    /// Everything that can be known before the data may be read.
    __device__ small_sum(pass_arguments const& arguments, vector_source<Pass> const& source)
        : arguments_{arguments}, folds_{arguments, source} {
        if (arguments.small_bits != 0 && gridDim.x > 1) arrive_in_cluster();
    }

    /// All threads. False if the data is left to the usual way.
    __device__ bool run(block_type& block, finish_area& finish) {
        if (arguments_.small_bits == 0) return false;
        __shared__ small_area area;
        folds_.take_all();
        bool fits = folds_.fit();
        high_ = folds_.high();
        low_ = folds_.low();
        seen_ = folds_.other_than_negative_zero();
        // Few branches on the way of one warp, and of one block.
        if (blockDim.x == warp_threads && gridDim.x == 1) {
            if (!__all_sync(all, fits)) return false;
            add_lanes();
            write(block, finish);
            return true;
        }
        area.high[threadIdx.x] = high_;
        area.low[threadIdx.x] = low_;
        area.not_negative_zero[threadIdx.x] = seen_;
        fits = !__syncthreads_or(!fits);
        if (threadIdx.x < warp_threads) {
            add_warps(area);
            add_lanes();
        }
        if (gridDim.x > 1) fits = meet(area, fits);
        if (fits && threadIdx.x < warp_threads && (gridDim.x == 1 || blockIdx.x == 0)) write(block, finish);
        return fits;
    }

  private:
    static constexpr unsigned all = 0xffffffffu;
    static constexpr double least_sum = 0x1p-800; // where a mean's and a root's residuals are normal numbers, too

    /// Adds what the other warps left to the first one's.
    __device__ void add_warps(small_area const& area) {
#pragma unroll
        for (unsigned w = 1; w < max_threads_per_block / warp_threads; ++w) {
            unsigned const i = threadIdx.x + w * warp_threads;
            bool const there = i < blockDim.x;
            high_ = __dadd_rn(high_, there ? area.high[i] : 0);
            low_ = __dadd_rn(low_, there ? area.low[i] : 0);
            seen_ |= there ? area.not_negative_zero[i] : 0;
        }
    }

    /// One warp: the sums of its lanes, in all of them.
    __device__ void add_lanes() {
#pragma unroll
        for (int lanes = 16; lanes > 0; lanes /= 2) {
            high_ = __dadd_rn(high_, __shfl_xor_sync(all, high_, lanes));
            low_ = __dadd_rn(low_, __shfl_xor_sync(all, low_, lanes));
        }
    }

    /// The blocks of the cluster tell each other their sums: those of all of them, if all of them fit.
    __device__ bool meet(small_area& area, bool fits) {
        wait_for_cluster(); // all of them have begun
        if (threadIdx.x < warp_threads) {
            bool const seen = __any_sync(all, seen_ != 0);
            small_area::block_part const mine{high_, low_, seen ? 1u : 0u, fits ? 1u : 0u};
            if (threadIdx.x < gridDim.x) store_in_block(area.of_block[blockIdx.x], mine, threadIdx.x);
            __syncwarp();
        }
        arrive_in_cluster();
        wait_for_cluster();
        high_ = low_ = 0;
        for (unsigned i = 0; i < gridDim.x; ++i) {
            small_area::block_part const& part = area.of_block[i];
            high_ = __dadd_rn(high_, part.high);
            low_ = __dadd_rn(low_, part.low);
            seen_ |= part.not_negative_zero;
            fits = fits && part.fits != 0;
        }
        return fits;
    }

    /// One warp, with the same sums in all lanes.
    __device__ void write(block_type& block, finish_area& finish) const {
        rounded_sum sum{__dadd_rn(high_, low_), 0, 0, 0};
        double const of_low = __dsub_rn(sum.value, high_); // Knuth's TwoSum
        sum.left = __dadd_rn(__dsub_rn(high_, __dsub_rn(sum.value, of_low)), __dsub_rn(low_, of_low));
        bool const negative_zero = sum.value == 0 && !__any_sync(all, seen_ != 0);
        bool const is_tiny = sum.value != 0 && fabs(sum.value) < least_sum;
        if (!is_tiny && write_quick_results(arguments_.finish, sum, negative_zero)) return;
        hot_finish<Pass>{arguments_, block, finish, 0}.finish_sum(high_, low_, !negative_zero);
    }

    pass_arguments const& arguments_;
    small_folds<Pass> folds_;
    double high_ = 0, low_ = 0;
    std::uint32_t seen_ = 0;
};

template <class Pass>
class small_sum<Pass, false> {
  public:
    __device__ small_sum(pass_arguments const&, vector_source<Pass> const&) {}
    __device__ static bool run(typename Pass::block_type&, finish_area&) { return false; }
};

} // namespace steadfold::inline v0::cuda
