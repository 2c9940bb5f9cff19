// Little data, by one block and in float64 alone: two folds so far apart that the sums of all their digits are float64
// numbers, which add up to the exact sum, so that one more addition rounds it. No digits, limbs or words of memory.
//
// The window is that of the launch before. Data that does not fit it, or that leaves a rest, goes the usual way.
#pragma once

#include "reduce/cuda/device_finish.cuh"
#include "reduce/cuda/vector_loads.cuh"
#include "reduce/cuda/window_choice.cuh"

namespace steadfold::inline v0::cuda {

/// What the threads of a block leave for its first warp.
struct small_area {
    double high[max_threads_per_block], low[max_threads_per_block];
    std::uint32_t not_negative_zero[max_threads_per_block];
};

template <class Pass, bool Exists = (Pass::most_small_vectors > 0)>
class small_sum {
  public:
    using shape = typename Pass::shape;

    /// Everything that can be known before the data may be read.
    __device__ small_sum(pass_arguments const& arguments, vector_source<Pass> const& source)
        : arguments_{arguments}, source_{source}, hot_top_{reinterpret_cast<char const*>(&arguments.memory->hot_top)},
          x_first_{source.x_address(threadIdx.x)}, y_first_{source.y_address(threadIdx.x)},
          end_{source.run_of(arguments.vectors + threadIdx.x)}, has_end_{arguments.has_ends && threadIdx.x < 2} {
        keep(hot_top_);
        keep(x_first_);
        if constexpr (Pass::takes_two) keep(y_first_);
    }

    /// All threads. False if the data is left to the usual way.
    __device__ bool run() {
        if (arguments_.small_bits == 0) return false;
        __shared__ small_area area;
        int const top = __ldcg(reinterpret_cast<int const*>(hot_top_)); // beside the vectors
        fold_all(top);
        bool const fits = rests_ == 0 && window::may_be_shared(top) && top >= lowest_top && top <= highest_top &&
                          peak_ < window::limit_of(top);
        double high = __dsub_rn(high_, magic(top, 0)), low = __dsub_rn(low_, magic(top, 1));
        if (blockDim.x == warp_threads) return __all_sync(all, fits) && finish(high, low, seen_);
        area.high[threadIdx.x] = high;
        area.low[threadIdx.x] = low;
        area.not_negative_zero[threadIdx.x] = seen_;
        if (__syncthreads_or(!fits)) return false;
        bool done = false;
        if (threadIdx.x < warp_threads) {
#pragma unroll
            for (unsigned w = 1; w < max_threads_per_block / warp_threads; ++w) {
                unsigned const i = threadIdx.x + w * warp_threads;
                bool const there = i < blockDim.x;
                high = __dadd_rn(high, there ? area.high[i] : 0);
                low = __dadd_rn(low, there ? area.low[i] : 0);
                seen_ |= there ? area.not_negative_zero[i] : 0;
            }
            done = finish(high, low, seen_);
        }
        return __syncthreads_or(done);
    }

  private:
    using window = window_choice<shape>;
    static constexpr unsigned all = 0xffffffffu;
    static constexpr int most_vectors = Pass::most_small_vectors, width = Pass::width;
    static constexpr int lowest_top = -800, highest_top = 1000; // where folds and their sums are normal numbers
    static constexpr double least_sum = 0x1p-800; // where a mean's and a root's residuals are normal numbers, too

    /// Adds up what a fold holds besides: every digit is a multiple of its unit, and below 2^small_bits of them.
    [[nodiscard]] __device__ double magic(int top, int fold) const {
        int const unit = top - arguments_.small_bits - fold * (arguments_.small_bits + 1);
        return __hiloint2double(((unit + 52 + 1023) << 20) | (1 << 19), 0);
    }

    __device__ void fold_all(int top) {
        vector16 x[most_vectors], y[most_vectors], x_end, y_end;
        int const vectors = static_cast<int>(arguments_.vectors), step = static_cast<int>(blockDim.x);
#pragma unroll
        for (int u = 0; u < most_vectors; ++u) {
            if (u > 0 && u * step >= vectors) break;
            load(u * step, vectors, x[u], y[u]);
        }
        if (has_end_) source_.read(end_, x_end, y_end);
        high_ = magic(top, 0);
        low_ = magic(top, 1);
        fold(x[0], y[0]);
#pragma unroll
        for (int u = 1; u < most_vectors; ++u) {
            if (u * step >= vectors) break;
            fold(x[u], y[u]);
        }
        if (has_end_) fold(x_end, y_end);
    }

    /// Vector v after the thread's first.
    __device__ void load(int v, int vectors, vector16& x, vector16& y) const {
        if (static_cast<int>(threadIdx.x) + v < vectors) {
            x = source_.x(x_first_ + v * 16);
            y = Pass::takes_two ? source_.y(y_first_ + v * 16, x) : x;
        } else {
            x = source_.padded(Pass::padding_x);
            y = source_.padded(Pass::padding_y);
        }
    }

    __device__ void fold(vector16 const& x, vector16 const& y) {
        vector16 const xs[1]{x}, ys[1]{y};
        peak_ = ::max(peak_, Pass::summarise(xs, ys).peak);
        seen_ |= other_than_negative_zero(x, y);
#pragma unroll
        for (int j = 0; j < width; ++j) {
            double const value = value_of(x, y, j);
            // Turned rests, so that those of -0 are +0.
            double const high = __dadd_rn(high_, value), rest = __dsub_rn(__dsub_rn(high, high_), value);
            double const low = __dsub_rn(low_, rest);
            rests_ |= rest_bits(__dadd_rn(__dsub_rn(low, low_), rest));
            high_ = high;
            low_ = low;
        }
    }

    /// 0 if all numbers are -0, which only sums and dots can show.
    __device__ static std::uint32_t other_than_negative_zero(vector16 const& x, vector16 const& y) {
        std::uint32_t seen = 0;
        if constexpr (shape::has_products) {
#pragma unroll
            for (int j = 0; j < width; ++j) {
                std::uint64_t const other = bits_of(value_of(x, y, j)) ^ exact::negative_zero_bits;
                seen |= static_cast<std::uint32_t>(other) | static_cast<std::uint32_t>(other >> 32);
            }
        } else if constexpr (shape::has_sum) {
            vector16 const zeros = vector_source<Pass>::padded(Pass::padding_x);
#pragma unroll
            for (int w = 0; w < 4; ++w) seen |= x.word[w] ^ zeros.word[w];
        }
        return seen;
    }

    __device__ static double value_of(vector16 const& x, vector16 const& y, int j) {
        if constexpr (shape::has_products) return multiply<shape::real>(x, y, j).high;
        double const value = element<shape::real>::at(x, j);
        return shape::has_sum ? value : fabs(value);
    }

    /// One warp. False if nothing was written.
    __device__ bool finish(double high, double low, std::uint32_t seen) const {
#pragma unroll
        for (int lanes = 16; lanes > 0; lanes /= 2) {
            high = __dadd_rn(high, __shfl_xor_sync(all, high, lanes));
            low = __dadd_rn(low, __shfl_xor_sync(all, low, lanes));
        }
        rounded_sum sum{__dadd_rn(high, low), 0, 0, 0};
        double const of_low = __dsub_rn(sum.value, high); // Knuth's TwoSum
        sum.left = __dadd_rn(__dsub_rn(high, __dsub_rn(sum.value, of_low)), __dsub_rn(low, of_low));
        if (sum.value != 0 && fabs(sum.value) < least_sum) return false;
        bool const negative_zero = sum.value == 0 && !__any_sync(all, seen != 0);
        return write_quick_results(arguments_.finish, sum, negative_zero);
    }

    pass_arguments const& arguments_;
    vector_source<Pass> const& source_;
    char const *hot_top_, *x_first_, *y_first_;
    typename vector_source<Pass>::component_run end_; // of the first two threads
    bool has_end_;
    double high_ = 0, low_ = 0;
    std::uint32_t peak_ = 0, seen_ = 0, rests_ = 0;
};

template <class Pass>
class small_sum<Pass, false> {
  public:
    __device__ small_sum(pass_arguments const&, vector_source<Pass> const&) {}
    __device__ static bool run() { return false; }
};

} // namespace steadfold::inline v0::cuda
