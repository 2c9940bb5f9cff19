// One thread's pass over floating-point data: vectors through the folds, what they cannot take through the block's
// bins.
#pragma once

#include "reduce/cuda/extremes.cuh"
#include "reduce/cuda/float_block.cuh"
#include "reduce/cuda/pass.hpp"
#include "reduce/cuda/product_folds.cuh"
#include "reduce/cuda/value_folds.cuh"

namespace steadfold::inline v0::cuda {

inline constexpr int window_slack = 2;           // bits a window is raised above what is needed
inline constexpr int window_quantum = 4;         // so that most warps and blocks choose the same one
inline constexpr int rests_before_lowering = 32; // batches in a row with rests
inline constexpr int worth_lowering = 16;        // bits a window must gain to be lowered

template <dtype Real, int Components, unsigned Family>
class float_pass {
  public:
    using shape = float_shape<Real, Components, Family>;
    using block_type = float_block<shape>;
    static constexpr dtype real = Real;
    static constexpr int components = Components, width = per_vector<Real>;
    static constexpr bool has_pairs = shape::has_pairs, has_extrema = shape::has_extrema;
    static constexpr bool compares = has_extrema, is_fast = false, meets_hot = shape::meets_hot;
    static constexpr int element_bytes = sizeof(typename element<Real>::storage);
    /// What fills a vector up without a trace in any sum: -0, or pairs whose product is -0.
    static constexpr std::uint64_t padding_x = std::uint64_t{1} << (8 * element_bytes - 1),
                                   padding_y = has_pairs ? 0 : padding_x;

    // Measured on an H200: plain sums want 64 registers and more threads, everything else more registers.
    static constexpr bool is_light = Components == 1 && (Family == family_sum || Family == family_l1);
    static constexpr int min_blocks = is_light ? 2 : 1, vectors_in_flight = is_light ? 4 : 2;

    __device__ float_pass(pass_arguments const& arguments, block_type& block) : arguments_{arguments}, block_{block} {}

    /// What decides a window, of a batch: the largest magnitude of its elements or products.
    template <int Count>
    [[nodiscard]] __device__ static std::uint32_t peak(vector16 const (&x)[Count], vector16 const (&y)[Count]) {
        if constexpr (has_pairs)
            return pair_peak<Real>(x, y);
        else
            return peak_of<Real>(x);
    }

    /// Aims the first window at the block's peak.
    __device__ void start(std::uint32_t peak) {
        block_top_ = raised(top_of(peak));
        aim(block_top_);
    }

    /// `Count` vectors of components; vector u starts at component first + u * stride. Of a single vector that is
    /// padded, with -0 (x) and +0 (y), only components [from, to) are elements.
    template <int Count>
    __device__ void batch(vector16 const (&x)[Count], vector16 const (&y)[Count], std::uint32_t peak,
                          std::int64_t first, std::int64_t stride, int from = 0, int to = width) {
        bool outside = !(peak < limit_) && !raise(peak);
        if constexpr (has_pairs && shape::is_float64) outside = outside || any_tiny(x, y);
        std::uint32_t const rests = outside ? 1 : fold_batch(x, y);
        if (!outside) note_signs(x, y);
        if (rests != 0) {
            deposited_ = true;
            deposit_batch(x, y, outside, first, stride);
            if (!outside) lower_if_worth_it(peak);
        } else {
            batches_with_rests_ = 0;
        }
        if constexpr (shape::has_zeros)
            if (arguments_.counts_zeros) count_zeros(x, from, to);
        if constexpr (has_extrema) compare_batch(x, outside, first, stride, from, to);
    }

    /// Moves what the thread holds into the block; every thread of the block calls it once.
    __device__ void finish() {
        if constexpr (shape::has_values || shape::has_products) {
            if (__all_sync(0xffffffffu, top_ == block_top_))
                flush_with([](auto& folds, auto&&... to) { folds.flush_warp(to...); });
            else
                flush();
        }
        if ((seen_ & 1) != 0) shared_mark(block_.counts[0].not_negative_zero);
        if constexpr (components == 2)
            if ((seen_ & 2) != 0) shared_mark(block_.counts[1].not_negative_zero);
        if (deposited_) shared_mark(block_.used_bins);
        if constexpr (shape::has_zeros) shared_count(&block_.counts[0].zero, zeros_);
    }

    __device__ void contribute(block_partial& partial) const {
        if constexpr (has_extrema) partial.extrema = extremes_.state();
    }

  private:
    using load = element<Real>;
    using values_type = value_folds<shape>;
    using products_type = product_folds<Real>;
    using raw_type = std::conditional_t<shape::is_float64, double, float>; // without conversion to float64
    static constexpr int all_seen = components == 2 ? 3 : 1;
    // With squares the window of x decides both, and x * x must stay below 2^1012.
    static constexpr int highest_top =
        !has_pairs
            ? shape::has_squares && shape::is_float64 ? exact::highest_window_top / 2 : fold_choice<Real>::highest_top
        : Real == dtype::float16 ? 32 // holds all products
                                 : exact::highest_window_top;
    static constexpr int lowest = !has_pairs               ? lowest_top<Real>
                                  : Real == dtype::float16 ? highest_top
                                                           : lowest_top<dtype::float64>;
    static constexpr dtype peak_type = has_pairs && Real != dtype::float16 ? dtype::float64 : Real;
    static constexpr bool folds_anything = shape::has_values || shape::has_products;
    // Squares of values below 2^-484 are tiny: the rest of the value itself shows that it is one, if the window is high
    // enough.
    static constexpr int lowest_top_of_squares = -400;

    __device__ static int top_of(std::uint32_t peak) { return top_of_peak<peak_type>(peak); }

    __device__ static int raised(int needed) {
        int const wanted = (needed + window_slack + window_quantum - 1) & -window_quantum;
        return wanted < lowest ? lowest : wanted < highest_top ? wanted : highest_top;
    }

    __device__ void aim(int top) {
        top_ = top;
        if constexpr (!folds_anything || (has_pairs && Real == dtype::float16)) {
            limit_ = limit_of_infinity<peak_type>;
        } else {
            limit_ = limit_of_top<peak_type>(top);
            if (shape::has_squares && shape::is_float64 && top < lowest_top_of_squares) limit_ = 0;
        }
        if (arguments_.integer_only) limit_ = 0;
        if constexpr (shape::has_values) values_.aim(top);
        if constexpr (shape::has_products) products_aim(top);
    }
    __device__ void products_aim(int top) {
        int const wanted = shape::has_squares ? 2 * top : top;
#pragma unroll
        for (auto& folds : products_) folds.aim(wanted);
    }

    /// False if no window takes the batch.
    __device__ bool raise(std::uint32_t peak) {
        int const needed = top_of(peak);
        if (!folds_anything || arguments_.integer_only || needed > highest_top || needed <= top_) return false;
        retarget(needed);
        return peak < limit_;
    }
    __device__ void retarget(int needed) {
        flush();
        aim(raised(needed));
    }
    __device__ void flush() {
        flush_with([](auto& folds, auto&&... to) { folds.flush(to...); });
        count_ = 0;
    }
    template <class Flush>
    __device__ void flush_with(Flush const& do_flush) {
        if constexpr (shape::has_values) do_flush(values_, block_);
        if constexpr (shape::has_products)
#pragma unroll
            for (int c = 0; c < components; ++c)
                do_flush(products_[c], shape::has_squares ? 2 * top_ : top_, count_, block_.products[c]);
    }

    template <int Count>
    __device__ std::uint32_t fold_batch(vector16 const (&x)[Count], vector16 const (&y)[Count]) {
        constexpr std::uint32_t added = Count * width / components;
        if constexpr (folds_anything) make_room(added);
        std::uint32_t rests = 0;
#pragma unroll
        for (int u = 0; u < Count; ++u)
#pragma unroll
            for (int j = 0; j < width; ++j) {
                if constexpr (shape::has_values) rests |= values_.add(x[u], j);
                if constexpr (shape::has_products)
                    rests |= products_[j & (components - 1)].add(multiply<Real>(x[u], has_pairs ? y[u] : x[u], j));
            }
        return rests;
    }

    __device__ void make_room(std::uint32_t added) {
        if (count_ + added > most_values) flush();
        count_ += added;
        if constexpr (shape::has_values) {
            if (values_type::is_narrow && !values_.has_room(added)) values_.settle();
            values_.count(added);
        }
    }

    template <int Count>
    __device__ static bool any_tiny(vector16 const (&x)[Count], vector16 const (&y)[Count]) {
        std::uint32_t smallest = 0xffffffffu;
#pragma unroll
        for (int u = 0; u < Count; ++u)
#pragma unroll
            for (int j = 0; j < width; ++j)
                smallest = ::min(smallest, magnitude_high(__dmul_rn(load::at(x[u], j), load::at(y[u], j))));
        if (smallest >= high_of_power(tiny_product_exponent)) return false;
        bool tiny = false;
#pragma unroll
        for (int u = 0; u < Count; ++u)
#pragma unroll
            for (int j = 0; j < width; ++j) {
                double const a = load::at(x[u], j), b = load::at(y[u], j);
                tiny = tiny || is_tiny_product(a, b, __dmul_rn(a, b));
            }
        return tiny;
    }

    template <int Count>
    __device__ void note_signs(vector16 const (&x)[Count], vector16 const (&y)[Count]) {
        if (seen_ == all_seen) return;
#pragma unroll
        for (int u = 0; u < Count; ++u)
#pragma unroll
            for (int j = 0; j < width; ++j) {
                std::uint64_t const bits = bits_of(load::at(x[u], j));
                bool const other = has_pairs ? !is_negative_zero_product(bits, bits_of(load::at(y[u], j)))
                                             : bits != exact::negative_zero_bits;
                if (other) seen_ |= 1 << (j & (components - 1));
            }
    }

    template <int Count>
    __device__ void deposit_batch(vector16 const (&x)[Count], vector16 const (&y)[Count], bool outside,
                                  std::int64_t first, std::int64_t stride) {
#pragma unroll
        for (int u = 0; u < Count; ++u)
#pragma unroll
            for (int j = 0; j < width; ++j) {
                if (!outside)
                    deposit_rest(x[u], has_pairs ? y[u] : x[u], j);
                else if constexpr (has_pairs)
                    deposit_pair(load::at(x[u], j), load::at(y[u], j));
                else
                    deposit_whole(x[u], j, first + u * stride + j);
            }
    }

    /// What the folds left of an element.
    __device__ void deposit_rest(vector16 const& x, vector16 const& y, int j) {
        constexpr int mask = components - 1;
        if constexpr (shape::has_values) values_.deposit_rest(x, j, block_);
        if constexpr (shape::has_products) {
            exact_product const p = multiply<Real>(x, y, j);
            if (shape::is_float64 && is_tiny_product(load::at(x, j), load::at(y, j), p.high)) {
                deposit_product(load::at(x, j), load::at(y, j), j & mask); // the folds saw nothing of it
                return;
            }
            exact_product const left = products_[j & mask].rest(p);
            if (left.high != 0) block_.products[j & mask].add(left.high);
            if (left.low != 0) block_.products[j & mask].add(left.low);
        }
    }

    __device__ void deposit_whole(vector16 const& x, int j, std::int64_t i) {
        constexpr int mask = components - 1;
        auto const value = load::template as<raw_type>(x, j);
        auto const other = components == 2 ? load::template as<raw_type>(x, j ^ 1) : value;
        if (is_special(value) || is_special(other))
            if (!count_special(block_, bits_of(load::at(x, j)), bits_of(load::at(x, j ^ mask)), j & mask,
                               arguments_.first_index + i / components))
                return;
        if (!is_negative_zero(value)) seen_ |= 1 << (j & mask);
        if constexpr (shape::has_sum) block_.sum[j & mask].add(value);
        if constexpr (shape::has_magnitudes) block_.magnitudes[j & mask].add(value < 0 ? -value : value);
        if constexpr (shape::has_squares) deposit_product(load::at(x, j), load::at(x, j), j & mask);
    }

    __device__ void deposit_pair(double x, double y) {
        if (is_special(x) || is_special(y))
            if (!count_special_pair(block_, bits_of(x), bits_of(y))) return;
        if (!is_negative_zero_product(bits_of(x), bits_of(y))) seen_ = 1;
        deposit_product(x, y, 0);
    }

    __device__ void deposit_product(double x, double y, int component) {
        using target = typename shape::product_target;
        exact::deposit_product(block_.products[component].limb, target::anchor, bits_of(x), bits_of(y), shared_add{});
    }

    __device__ void lower_if_worth_it(std::uint32_t peak) {
        highest_rested_ = batches_with_rests_ == 0 ? peak : ::max(highest_rested_, peak);
        if (++batches_with_rests_ < rests_before_lowering) return;
        batches_with_rests_ = 0;
        int const needed = top_of(highest_rested_);
        if (raised(needed) + worth_lowering <= top_) retarget(needed);
    }

    template <int Count>
    __device__ void compare_batch(vector16 const (&x)[Count], bool outside, std::int64_t first, std::int64_t stride,
                                  int from, int to) {
        if (!outside && !extremes_.may_improve(range_of<Real>(x))) return;
#pragma unroll
        for (int u = 0; u < Count; ++u)
#pragma unroll
            for (int j = 0; j < width; ++j)
                if (Count > 1 || (j >= from && j < to))
                    extremes_.offer(load::at(x[u], j), arguments_.first_index + first + u * stride + j);
        extremes_.template remember_words<Real>();
    }

    template <int Count>
    __device__ void count_zeros(vector16 const (&x)[Count], int from, int to) {
#pragma unroll
        for (int u = 0; u < Count; ++u)
#pragma unroll
            for (int j = 0; j < width; ++j)
                zeros_ += (Count > 1 || (j >= from && j < to)) && (j & (components - 1)) == 0 &&
                          exact::is_zero_bits(bits_of(load::at(x[u], j))) &&
                          exact::is_zero_bits(bits_of(load::at(x[u], j ^ (components - 1))));
    }

    static constexpr std::uint32_t most_values = float64_window<1>::most_values;

    pass_arguments const& arguments_;
    block_type& block_;
    std::conditional_t<shape::has_values, values_type, not_gathered> values_;
    std::conditional_t<shape::has_products, products_type, not_gathered> products_[components];
    std::conditional_t<has_extrema, thread_extremes, not_gathered> extremes_;
    std::uint32_t count_ = 0; // values of a component since the last flush
    int top_ = 0, block_top_ = 0;
    std::uint32_t limit_ = 0, highest_rested_ = 0;
    int batches_with_rests_ = 0, seen_ = 0;
    std::int64_t zeros_ = 0;
    bool deposited_ = false;
};

} // namespace steadfold::inline v0::cuda
