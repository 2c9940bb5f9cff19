// One thread's pass over floating-point data: vectors through the folds, what they cannot take through integers.
#pragma once

#include "reduce/cuda/folds.cuh"
#include "reduce/plan.hpp"

namespace steadfold::inline v0::cuda {

using namespace reduce_detail;

inline constexpr int window_slack = 2;          // bits a window is raised above what is needed
inline constexpr int rests_before_lowering = 8; // batches in a row with remainders

/// High word of 2^exponent.
__device__ constexpr std::uint32_t high_of_power(int exponent) {
    return static_cast<std::uint32_t>(exponent + 1023) << 20;
}

template <dtype Real, int Components, unsigned Family>
class float_pass {
  public:
    static constexpr bool has_sum = (Family & (feature_sum | feature_magnitudes)) != 0; // of x or of |x|
    static constexpr bool only_magnitudes = has_sum && (Family & feature_sum) == 0;
    static constexpr bool has_both = (Family & feature_sum) != 0 && (Family & feature_magnitudes) != 0;
    static constexpr bool has_pairs = (Family & feature_pairs) != 0;
    static constexpr bool has_squares = (Family & feature_products) != 0 && !has_pairs;
    static constexpr bool has_products = (Family & feature_products) != 0;
    static constexpr bool has_folds = has_sum || has_products;
    static constexpr bool has_extrema = (Family & feature_extrema) != 0 && Components == 1;
    static constexpr bool has_zeros = (Family & feature_zeros) != 0;
    static constexpr bool is_float64 = Real == dtype::float64;

    static constexpr dtype real = Real;
    static constexpr int components = Components;
    static constexpr bool compares = has_extrema, is_fast = false;

    using load = element<Real>;
    using storage = typename load::storage;
    static constexpr int element_bytes = sizeof(storage);
    static constexpr int width = per_vector<Real>;
    // Measured on an H200: plain sums want 64 registers and more threads, everything else more registers.
    static constexpr int min_blocks = Family == family_sum && Components == 1 && width <= 4 ? 2 : 1;
    static constexpr exact::digit_layout sum_digits = exact::sum_layout(Real),
                                         product_digits = exact::product_layout(Real);
    static constexpr int sum_floor = exact::lowest_bit(Real), product_floor = exact::lowest_product_bit(Real);
    // With squares the window of x decides both, and x*x must stay below 2^1012. A window that holds all of half, and
    // no more, folds down to its lowest bit: no value leaves a rest.
    static constexpr int highest_top = Real == dtype::float16 && !has_pairs ? 17
                                       : has_squares                        ? exact::highest_window_top / 2
                                                                            : exact::highest_window_top;
    static constexpr int tiny_exponent = has_squares ? -484 : -968; // below it products of float64 lose their error

    __device__ float_pass(pass_arguments const& arguments, exact::reduction_state& block)
        : arguments_{arguments}, block_{block}, x_{static_cast<storage const*>(arguments.x)},
          y_{static_cast<storage const*>(arguments.y)} {}

    /// Aims the window for values below 2^top; every thread of a block calls it with the same top, so that their folds
    /// can be summed.
    __device__ void start(int top) {
        block_top_ = raised(top);
        aim(block_top_);
    }

    /// Magnitude that decides the first window: of element i, or of its product.
    __device__ int top_at(std::int64_t i) const {
        double const x = load::of(x_[i]);
        return has_pairs ? top_of(__dmul_rn(x, load::of(y_[i]))) : top_of(x);
    }

    /// `Count` vectors of components; vector u starts at component first + u * stride.
    ///
    /// The rare paths are functions that read the data again by its index: taking a register's address or indexing
    /// registers at run time would move this whole object to local memory.
    template <int Count>
    __device__ void batch(vector16 const (&x)[Count], vector16 const (&y)[Count], std::int64_t first,
                          std::int64_t stride) {
        bool const slow = has_folds ? !folds_take(x, y) : any_special<Real>(x);
        if (slow) {
#pragma unroll 1
            for (int i = 0; i < Count * width; ++i) one(arguments_, block_, first + i / width * stride + i % width);
        } else if constexpr (has_folds) {
            fold_batch(x, y, first, stride);
        }
        if constexpr (has_extrema || has_zeros) compare_batch(x, first, stride, slow);
    }

    /// One component through integers, for heads and tails.
    __device__ void single(std::int64_t i) {
        one(arguments_, block_, i);
        if constexpr (has_extrema || has_zeros) compare(load::of(x_[i]), partner(i), i, true);
    }

    __device__ void finish(block_partial& partial) {
        if constexpr (has_folds) finish_folds();
        if constexpr (has_zeros) shared_count(&block_.component[0].counts.zero, zeros_);
        if (seen_) shared_mark(block_.component[0].counts.not_negative_zero);
        if (seen_imaginary_) shared_mark(block_.component[1].counts.not_negative_zero);
        if constexpr (has_extrema) partial.extrema = extrema_;
    }

  private:
    using sum_type = thread_folds<has_sum ? load::sum_folds : 1, Components, has_both, false>;
    using product_type = thread_folds<has_products ? load::product_folds : 1, Components, false, is_float64>;

    /// Smallest top whose half-open window holds x; nothing for values that no window takes.
    __device__ static int top_of(double x) {
        std::uint32_t const high = magnitude_high(x);
        return high >= high_of_infinity ? -2000 : static_cast<int>(high >> 20) - 1022;
    }

    __device__ void aim(int top) {
        top_ = top;
        limit_ = has_folds ? high_of_power(top_) : high_of_infinity;
        if constexpr (has_sum) sums_.aim(top_, sum_floor);
        if constexpr (has_products) products_.aim(product_top(top_), product_floor);
    }

    __device__ static int product_top(int top) {
        int const doubled = has_squares ? 2 * top : top;
        return doubled < -1000 ? -1000 : doubled;
    }

    __device__ static double tested(vector16 const& x, vector16 const& y, int j) {
        if constexpr (has_pairs)
            return __dmul_rn(load::at(x, j), load::at(y, j));
        else
            return load::at(x, j);
    }

    /// False if some value of the batch has to go through integers; may move the window.
    template <int Count>
    __device__ bool folds_take(vector16 const (&x)[Count], vector16 const (&y)[Count]) {
        std::uint32_t largest = 0, smallest = 0xffffffffu;
#pragma unroll
        for (int u = 0; u < Count; ++u)
#pragma unroll
            for (int j = 0; j < width; ++j) {
                std::uint32_t const high = magnitude_high(tested(x[u], y[u], j));
                largest = ::max(largest, high);
                if constexpr (is_float64 && has_products) smallest = ::min(smallest, high);
            }
        largest_ = largest;
        if constexpr (is_float64 && has_products)
            if (smallest < high_of_power(tiny_exponent) && any_tiny(x, y)) return false;
        if (largest < limit_) return true;
        return raise(largest);
    }

    __device__ bool raise(std::uint32_t largest) {
        if (largest >= high_of_power(highest_top - 1)) return false;
        retarget(static_cast<int>(largest >> 20) - 1022);
        return true;
    }

    __device__ void retarget(int needed) {
        flush();
        aim(raised(needed));
    }

    __device__ static int raised(int needed) {
        int const wanted = needed + window_slack;
        return wanted < -1000 ? -1000 : wanted < highest_top ? wanted : highest_top;
    }

    template <int Count>
    __device__ static bool any_tiny(vector16 const (&x)[Count], vector16 const (&y)[Count]) {
        bool tiny = false;
#pragma unroll
        for (int u = 0; u < Count; ++u)
#pragma unroll
            for (int j = 0; j < width; ++j) {
                bool const zero = exact::is_zero_bits(bits_of(load::at(x[u], j))) ||
                                  (has_pairs && exact::is_zero_bits(bits_of(load::at(y[u], j))));
                tiny = tiny || (!zero && magnitude_high(tested(x[u], y[u], j)) < high_of_power(tiny_exponent));
            }
        return tiny;
    }

    __device__ static double summand(double x) {
        return only_magnitudes ? fabs(x) : x;
    }

    __device__ static void product(double x, double y, double& p, double& e) {
        p = __dmul_rn(x, y);
        e = is_float64 ? __fma_rn(x, y, -p) : 0.0; // narrower products are exact
    }

    template <int Count>
    __device__ void fold_batch(vector16 const (&x)[Count], vector16 const (&y)[Count], std::int64_t first,
                               std::int64_t stride) {
        std::uint64_t rests = 0;
#pragma unroll
        for (int u = 0; u < Count; ++u)
#pragma unroll
            for (int j = 0; j < width; ++j) {
                constexpr int parity_mask = Components - 1;
                double const value = load::at(x[u], j);
                if constexpr (has_sum) rests |= bits_of(sums_.fold(summand(value), j & parity_mask)) << 1;
                if constexpr (has_products) {
                    double p, e;
                    product(value, has_pairs ? load::at(y[u], j) : value, p, e);
                    rests |= bits_of(products_.fold(p, j & parity_mask)) << 1;
                    if constexpr (is_float64) rests |= bits_of(products_.template fold<1>(e, j & parity_mask)) << 1;
                }
            }
        if constexpr (has_sum) sums_.values += Count * width / Components;
        if constexpr (has_products) products_.values += Count * width / Components;
        note_signs(x, y);
        if (rests == 0) {
            batches_with_rests_ = 0;
            return;
        }
#pragma unroll 1
        for (int i = 0; i < Count * width; ++i)
            one_rest(arguments_, block_, first + i / width * stride + i % width, top_);
        lower_if_worth_it();
    }

    template <int Count>
    __device__ void note_signs(vector16 const (&x)[Count], vector16 const (&y)[Count]) {
        if (seen_ && (Components == 1 || seen_imaginary_)) return;
#pragma unroll
        for (int u = 0; u < Count; ++u)
#pragma unroll
            for (int j = 0; j < width; ++j) {
                std::uint64_t const bits = bits_of(load::at(x[u], j));
                bool const other = has_pairs ? !negative_zero_product(bits, bits_of(load::at(y[u], j)))
                                             : bits != exact::negative_zero_bits;
                int const component = Components == 2 ? j & 1 : 0;
                (component == 0 ? seen_ : seen_imaginary_) |= other;
            }
    }

    __device__ static bool negative_zero_product(std::uint64_t x, std::uint64_t y) {
        return (exact::is_zero_bits(x) || exact::is_zero_bits(y)) && ((x ^ y) >> 63) != 0;
    }

    __device__ void lower_if_worth_it() {
        if (++batches_with_rests_ < rests_before_lowering) return;
        batches_with_rests_ = 0;
        int const needed = static_cast<int>(largest_ >> 20) - 1022;
        if (needed + window_slack < top_) retarget(needed);
    }

    /// What the folds left of component i under the window `top`.
    __device__ static __noinline__ void one_rest(pass_arguments const& arguments, exact::reduction_state& block,
                                                 std::int64_t i, int top) {
        double const x = load::of(static_cast<storage const*>(arguments.x)[i]);
        exact::component_state& target = block.component[Components == 2 ? i & 1 : 0];
        if constexpr (has_sum) {
            sum_type folds;
            folds.aim(top, sum_floor);
            put(only_magnitudes ? target.magnitudes : target.sum, sum_digits.anchor, folds.rest(summand(x)));
            if constexpr (has_both) put(target.magnitudes, sum_digits.anchor, folds.rest(fabs(x)));
        }
        if constexpr (has_products) {
            product_type folds;
            folds.aim(product_top(top), product_floor);
            double p, e;
            product(x, has_pairs ? load::of(static_cast<storage const*>(arguments.y)[i]) : x, p, e);
            put(target.products, product_digits.anchor, folds.rest(p));
            if constexpr (is_float64) put(target.products, product_digits.anchor, folds.template rest<1>(e));
        }
    }

    __device__ static void put(std::uint64_t* limbs, int anchor, double value) {
        if (value != 0) exact::deposit_value(limbs, anchor, bits_of(value), shared_add{});
    }

    /// The other part of a complex element; 0 for real data.
    __device__ double partner(std::int64_t i) const {
        return Components == 2 ? load::of(x_[i ^ 1]) : 0.0;
    }

    /// One component through integers: everything the folds cannot take.
    __device__ static __noinline__ void one(pass_arguments const& arguments, exact::reduction_state& block,
                                            std::int64_t i) {
        auto const* data = static_cast<storage const*>(arguments.x);
        std::uint64_t const x = bits_of(load::of(data[i]));
        if constexpr (has_pairs) {
            one_pair(block, x, bits_of(load::of(static_cast<storage const*>(arguments.y)[i])));
        } else {
            std::uint64_t const other = Components == 2 ? bits_of(load::of(data[i ^ 1])) : x;
            one_value(arguments, block, x, other, i);
        }
    }

    __device__ static void one_value(pass_arguments const& arguments, exact::reduction_state& block, std::uint64_t x,
                                     std::uint64_t other, std::int64_t i) {
        int const component = Components == 2 ? static_cast<int>(i & 1) : 0;
        exact::special_counts& whole = block.component[0].counts;
        exact::component_state& part = block.component[component];
        if (exact::is_nan_bits(x) || exact::is_nan_bits(other)) {
            if (component != 0) return;
            shared_count(&whole.nan, 1);
            atomicMin_block(reinterpret_cast<long long*>(&block.component[0].extrema.first_nan),
                            static_cast<long long>(arguments.first_index + i / Components));
            return;
        }
        if (component == 0 && (exact::is_infinite_bits(x) || exact::is_infinite_bits(other)))
            shared_count(&whole.infinite, 1);
        if (x != exact::negative_zero_bits) shared_mark(part.counts.not_negative_zero);
        if (exact::is_infinite_bits(x)) {
            shared_count(x >> 63 ? &part.counts.negative_infinity : &part.counts.positive_infinity, 1);
            return;
        }
        if constexpr (has_sum && !only_magnitudes) exact::deposit_value(part.sum, sum_digits.anchor, x, shared_add{});
        if constexpr (only_magnitudes || has_both)
            exact::deposit_value(part.magnitudes, sum_digits.anchor, x & exact::float64_magnitude_mask, shared_add{});
        if constexpr (has_squares) exact::deposit_product(part.products, product_digits.anchor, x, x, shared_add{});
    }

    __device__ static void one_pair(exact::reduction_state& block, std::uint64_t x, std::uint64_t y) {
        exact::special_counts& counts = block.component[0].counts;
        if (exact::is_nan_bits(x) || exact::is_nan_bits(y)) {
            shared_count(&counts.nan, 1);
            return;
        }
        if (!negative_zero_product(x, y)) shared_mark(counts.not_negative_zero);
        if (exact::is_finite_bits(x) && exact::is_finite_bits(y))
            exact::deposit_product(block.component[0].products, product_digits.anchor, x, y, shared_add{});
        else if (exact::is_zero_bits(x) || exact::is_zero_bits(y))
            shared_count(&counts.invalid, 1);
        else
            shared_count((x ^ y) >> 63 ? &counts.negative_infinity : &counts.positive_infinity, 1);
    }

    template <int Count>
    __device__ void compare_batch(vector16 const (&x)[Count], std::int64_t first, std::int64_t stride, bool slow) {
#pragma unroll
        for (int u = 0; u < Count; ++u)
#pragma unroll
            for (int j = 0; j < width; ++j) {
                std::int64_t const i = first + u * stride + j;
                compare(load::at(x[u], j), partner(i), i, slow);
            }
    }

    __device__ void compare(double x, double other, std::int64_t i, bool may_be_nan) {
        std::uint64_t const bits = bits_of(x);
        if (may_be_nan && exact::is_nan_bits(bits)) return;
        if constexpr (has_zeros) {
            bool const zero = exact::is_zero_bits(bits) && (Components == 1 || exact::is_zero_bits(bits_of(other)));
            zeros_ += zero && (Components == 1 || (i & 1) == 0);
        }
        if constexpr (has_extrema) {
            std::int64_t const key = exact::ordered_key(bits);
            extrema_.offer_min(key, arguments_.first_index + i);
            extrema_.offer_max(key, arguments_.first_index + i);
        }
    }

    __device__ void flush() {
        flush_with([](auto& folds, auto& limbs, auto& magnitudes, int anchor, int floor) {
            folds.flush(limbs, magnitudes, anchor, floor);
        });
    }

    /// All threads of the block meet here once, at the end.
    __device__ void finish_folds() {
        if (__syncthreads_and(top_ == block_top_))
            flush_with([](auto& folds, auto& limbs, auto& magnitudes, int anchor, int floor) {
                folds.flush_warps(limbs, magnitudes, anchor, floor);
            });
        else
            flush();
    }

    template <class Flush>
    __device__ void flush_with(Flush const& do_flush) {
        std::uint64_t* sum[Components];
        std::uint64_t* magnitudes[Components];
        std::uint64_t* products[Components];
        for (int c = 0; c < Components; ++c) {
            magnitudes[c] = block_.component[c].magnitudes;
            sum[c] = only_magnitudes ? magnitudes[c] : block_.component[c].sum;
            products[c] = block_.component[c].products;
        }
        if constexpr (has_sum) do_flush(sums_, sum, magnitudes, sum_digits.anchor, sum_floor);
        if constexpr (has_products) do_flush(products_, products, products, product_digits.anchor, product_floor);
    }

    pass_arguments const& arguments_;
    exact::reduction_state& block_;
    storage const* x_;
    storage const* y_;
    sum_type sums_;
    product_type products_;
    exact::extrema_state extrema_;
    std::int64_t zeros_ = 0;
    int top_ = 0, block_top_ = 0;
    std::uint32_t limit_ = 0, largest_ = 0;
    int batches_with_rests_ = 0;
    bool seen_ = false, seen_imaginary_ = false;
};

} // namespace steadfold::inline v0::cuda
