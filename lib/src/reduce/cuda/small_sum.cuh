// Little data, in float64 alone: two folds so far apart that the sums of all their digits are float64 numbers, which
// add up to the exact sum, so that one more addition rounds it; four folds for products of float64, see
// digit_total.cuh. No limbs or words of memory; the blocks of a cluster meet in the shared memory of each.
//
// The window is that of the launch before. Data that does not fit it, or that leaves a rest, goes the usual way.
#pragma once

#include "reduce/cuda/cluster_parts.cuh"
#include "reduce/cuda/digit_total.cuh"
#include "reduce/cuda/hot_finish.cuh"
#include "reduce/cuda/small_folds.cuh"

namespace steadfold::inline v0::cuda {

/// What the threads of a block leave for its first warp, and the blocks of a cluster for each other.
template <int Folds>
struct small_area {
    double digits[Folds][max_threads_per_block];
    std::uint32_t not_negative_zero[max_threads_per_block];
    struct block_part {
        double digits[Folds];
        std::uint32_t not_negative_zero, fits;
    };
    cluster_parts<block_part> parts;
};

template <class Pass, bool Exists = (Pass::most_small_vectors > 0)>
class small_sum {
  public:
    using block_type = typename Pass::block_type;

    /// Everything that can be known before the data may be read.
    __device__ small_sum(pass_arguments const& arguments, vector_source<Pass> const& source,
                         first_addresses<Pass> const& first)
        : arguments_{arguments}, folds_{arguments, source, first} {
        if (arguments.small_bits != 0 && gridDim.x > 1) area().parts.prepare();
    }

    /// Of the thread, in such a launch.
    [[nodiscard]] __device__ static std::int64_t first_vector(pass_arguments const& arguments) {
        return small_folds<Pass>::first_vector(arguments);
    }

    /// All threads. False if the data is left to the usual way.
    __device__ bool run(block_type& block, finish_area& finish) {
        if (arguments_.small_bits == 0) return false;
        area_type& area = small_sum::area();
        folds_.take_all();
        bool fits = folds_.fit();
        for_each_fold([&](int i) { digits_[i] = folds_.digits(i); });
        seen_ = folds_.other_than_negative_zero();
        // Few branches on the way of one warp, and of one block.
        if (blockDim.x == warp_threads && gridDim.x == 1) {
            if (!__all_sync(all, fits)) return false;
            add_lanes();
            write(block, finish);
            return true;
        }
        for_each_fold([&](int i) { area.digits[i][threadIdx.x] = digits_[i]; });
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
    static constexpr int folds = Pass::small_folds;
    using area_type = small_area<folds>;
    /// The upper half of 2^-800: the residuals of means and roots are normal numbers, too.
    static constexpr int least_sum = (1023 - 800) << 20;

    template <class Function>
    __device__ static void for_each_fold(Function const& f) {
#pragma unroll
        for (int i = 0; i < folds; ++i) f(i);
    }

    /// The way from the first number to the last is short.
    template <unsigned Count>
    __device__ static double sum_in_pairs(double (&x)[Count]) {
#pragma unroll
        for (unsigned step = 1; step < Count; step *= 2)
#pragma unroll
            for (unsigned i = 0; i + step < Count; i += 2 * step) x[i] = __dadd_rn(x[i], x[i + step]);
        return x[0];
    }

    /// Adds what the other warps left to the first one's.
    __device__ void add_warps(area_type const& area) {
#pragma unroll
        for (unsigned w = 1; w < max_threads_per_block / warp_threads; ++w) {
            unsigned const i = threadIdx.x + w * warp_threads;
            bool const there = i < blockDim.x;
            for_each_fold([&](int k) { digits_[k] = __dadd_rn(digits_[k], there ? area.digits[k][i] : 0); });
            seen_ |= there ? area.not_negative_zero[i] : 0;
        }
    }

    /// One warp: the sums of its lanes, in all of them.
    __device__ void add_lanes() {
#pragma unroll
        for (int lanes = 16; lanes > 0; lanes /= 2)
            for_each_fold([&](int i) { digits_[i] = __dadd_rn(digits_[i], __shfl_xor_sync(all, digits_[i], lanes)); });
    }

    /// The blocks of the cluster tell each other their sums: those of all of them, if all of them fit.
    __device__ bool meet(area_type& area, bool fits) {
        area.parts.wait_for_blocks();
        if (threadIdx.x < warp_threads) {
            bool const seen = __any_sync(all, seen_ != 0);
            typename area_type::block_part mine{};
            for_each_fold([&](int i) { mine.digits[i] = digits_[i]; });
            mine.not_negative_zero = seen ? 1 : 0;
            mine.fits = fits ? 1 : 0;
            area.parts.tell(mine);
        }
        area.parts.wait();
        double of_block[folds][most_small_blocks];
#pragma unroll
        for (unsigned b = 0; b < most_small_blocks; ++b) {
            typename area_type::block_part const& part = area.parts.of_block(b);
            bool const there = b < gridDim.x;
            for_each_fold([&](int i) { of_block[i][b] = there ? part.digits[i] : 0; });
            seen_ |= there ? part.not_negative_zero : 0;
            fits = fits && (!there || part.fits != 0);
        }
        for_each_fold([&](int i) { digits_[i] = sum_in_pairs(of_block[i]); });
        return fits;
    }

    __device__ static area_type& area() {
        __shared__ area_type place;
        return place;
    }

    /// One warp, with the same sums in all lanes.
    __device__ void write(block_type& block, finish_area& finish) const {
        rounded_sum const sum = rounded();
        bool const negative_zero = !__any_sync(all, seen_ != 0) && is_zero(sum.value);
        bool const is_tiny = !is_zero(sum.value) && (__double2hiint(sum.value) & 0x7fffffff) < least_sum;
        if (!is_tiny && write_quick_results(arguments_.finish, sum, negative_zero)) return;
        hot_finish<Pass>{arguments_, block, finish, 0}.finish_sum(digits_, !negative_zero);
    }

    [[nodiscard]] __device__ rounded_sum rounded() const {
        if constexpr (folds == 2) {
            two_numbers const sum = quick_two_sum(digits_[0], digits_[1]);
            return {sum.value, sum.left, 0, 0};
        } else {
            return digit_total{digits_, [&](int i) { return folds_.magic(i); }}.rounded();
        }
    }

    pass_arguments const& arguments_;
    small_folds<Pass> folds_;
    double digits_[folds] = {};
    std::uint32_t seen_ = 0;
};

template <class Pass>
class small_sum<Pass, false> {
  public:
    __device__ small_sum(pass_arguments const&, vector_source<Pass> const&, first_addresses<Pass> const&) {}
    [[nodiscard]] __device__ static std::int64_t first_vector(pass_arguments const&) { return 0; }
    __device__ static bool run(typename Pass::block_type&, finish_area&) { return false; }
};

} // namespace steadfold::inline v0::cuda
