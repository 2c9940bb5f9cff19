// What one thread folds of little data: see small_sum.cuh. Products of float64 have 106 bits, twice those of values:
// their high parts go through the first three of four folds, their low parts through the last three.
#pragma once

#include "reduce/cuda/product_folds.cuh"
#include "reduce/cuda/vector_loads.cuh"
#include "reduce/cuda/window_choice.cuh"

namespace steadfold::inline v0::cuda {

template <class Pass>
class small_folds {
  public:
    using shape = typename Pass::shape;
    static constexpr int folds = Pass::small_folds;

    /// Everything that can be known before the data may be read.
    __device__ small_folds(pass_arguments const& arguments, vector_source<Pass> const& source,
                           first_addresses<Pass> const& first)
        : arguments_{arguments}, source_{source}, at_{first}, first_{static_cast<int>(first_vector(arguments))},
          end_vector_{
              ::min((static_cast<int>(blockIdx.x) + 1) * arguments.small_vectors, static_cast<int>(arguments.vectors))},
          end_{source.run_of(arguments.vectors + threadIdx.x)}, has_end_{arguments.has_ends && blockIdx.x == 0 &&
                                                                         threadIdx.x < 2} {}

    [[nodiscard]] __device__ static std::int64_t first_vector(pass_arguments const& arguments) {
        return static_cast<int>(blockIdx.x) * arguments.small_vectors + static_cast<int>(threadIdx.x);
    }

    __device__ void take_all() {
        top_ = at_.load_hot_top();
        vector16 x[most_vectors], y[most_vectors], x_end, y_end;
        int const step = static_cast<int>(blockDim.x);
#pragma unroll
        for (int u = 0; u < most_vectors; ++u) {
            if (u > 0 && u * step >= arguments_.small_vectors) break;
            load(u * step, x[u], y[u]);
        }
        if (has_end_) source_.read(end_, x_end, y_end);
#pragma unroll
        for (int i = 0; i < folds; ++i) sum_[i] = magic(i);
        take(x[0], y[0]);
#pragma unroll
        for (int u = 1; u < most_vectors; ++u) {
            if (u * step >= arguments_.small_vectors) break;
            take(x[u], y[u]);
        }
        if (has_end_) take(x_end, y_end);
    }

    /// False if something was taken that the folds have no room for, or cannot keep all of.
    [[nodiscard]] __device__ bool fit() const {
        return rests_ == 0 && window::may_be_shared(top_) && top_ >= lowest_top && top_ <= highest_top &&
               peak_ < window::limit_of(top_);
    }

    /// The sum of the digits of a fold.
    [[nodiscard]] __device__ double digits(int fold) const {
        return __dsub_rn(sum_[fold], magic(fold));
    }
    /// 1.5 * 2^52 of the unit of a fold, whose digits are multiples of that unit and below 2^small_bits of them.
    [[nodiscard]] __device__ double magic(int fold) const {
        int const unit = top_ - arguments_.small_bits - fold * (arguments_.small_bits + 1);
        return __hiloint2double(((unit + 52 + 1023) << 20) | (1 << 19), 0);
    }
    /// 0 if there was nothing but -0.
    [[nodiscard]] __device__ std::uint32_t other_than_negative_zero() const {
        return seen_;
    }

  private:
    using window = window_choice<shape>;
    static constexpr int most_vectors = Pass::most_small_vectors, width = Pass::width;
    /// The first fold takes all of most values with 24 bits and fewer.
    static constexpr bool seldom_rests = !shape::has_products && !shape::is_float64;
    static constexpr int lowest_top = -800, highest_top = 1000; // where folds and their sums are normal numbers

    /// Vector v after the thread's first.
    __device__ void load(int v, vector16& x, vector16& y) const {
        if (first_ + v < end_vector_) {
            x = source_.x(at_.x + v * 16);
            y = Pass::takes_two ? source_.y(at_.y + v * 16) : x;
        } else {
            x = source_.padded(Pass::padding_x);
            y = source_.padded(Pass::padding_y);
        }
    }

    __device__ void take(vector16 const& x, vector16 const& y) {
        vector16 const xs[1]{x}, ys[1]{y};
        peak_ = ::max(peak_, Pass::summarise(xs, ys).peak);
        seen_ |= other_than_negative_zero_in(x, y);
        if constexpr (seldom_rests) {
            add_short_values(x, y);
        } else {
#pragma unroll
            for (int j = 0; j < width; ++j) add_one(x, y, j);
        }
    }

    __device__ void add_one(vector16 const& x, vector16 const& y, int j) {
        if constexpr (folds == 2) {
            add<0, 2>(value_of(x, y, j));
        } else {
            exact_product const product = multiply<shape::real>(x, y, j);
            using load = element<shape::real>;
            if (is_tiny_product(load::at(x, j), load::at(y, j), product.high)) rests_ = 1;
            add<0, 3>(product.high);
            add<1, 4>(product.low);
        }
    }

    /// All values of a vector: the second fold is for the few whose rests are there.
    __device__ void add_short_values(vector16 const& x, vector16 const& y) {
        double rest[width];
        std::uint32_t left = 0;
#pragma unroll
        for (int j = 0; j < width; ++j) {
            rest[j] = turned_rest<0>(value_of(x, y, j));
            left |= rest_bits(rest[j]);
        }
        if (left == 0) return;
#pragma unroll
        for (int j = 0; j < width; ++j) add_rest<1, 2>(rest[j]);
    }

    template <int First, int End>
    __device__ void add(double x) {
        add_rest<First + 1, End>(turned_rest<First>(x));
    }
    /// Turned, so that the rest of -0 is +0.
    template <int Fold>
    __device__ double turned_rest(double x) {
        double const before = sum_[Fold];
        sum_[Fold] = __dadd_rn(before, x);
        return __dsub_rn(__dsub_rn(sum_[Fold], before), x);
    }
    template <int First, int End>
    __device__ void add_rest(double rest) {
#pragma unroll
        for (int i = First; i < End; ++i) {
            double const before = sum_[i];
            sum_[i] = __dsub_rn(before, rest);
            rest = __dadd_rn(__dsub_rn(sum_[i], before), rest);
        }
        rests_ |= rest_bits(rest);
    }

    /// 0 if all numbers are -0, which only sums and dots can show.
    __device__ static std::uint32_t other_than_negative_zero_in(vector16 const& x, vector16 const& y) {
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

    pass_arguments const& arguments_;
    vector_source<Pass> const& source_;
    first_addresses<Pass> const& at_;
    int first_, end_vector_;                          // vectors of the thread and of its block
    typename vector_source<Pass>::component_run end_; // of the first two threads
    bool has_end_;
    int top_ = 0;
    double sum_[folds] = {}; // each began with its magic
    std::uint32_t peak_ = 0, seen_ = 0, rests_ = 0;
};

} // namespace steadfold::inline v0::cuda
