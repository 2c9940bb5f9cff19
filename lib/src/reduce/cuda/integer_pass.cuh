// One thread's pass over integers. One kernel serves all widths: a batch branches once, into code made for its own.
#pragma once

#include "reduce/cuda/hot_digits.cuh"
#include "reduce/cuda/integer_extremes.cuh"
#include "reduce/cuda/integer_sums.cuh"
#include "reduce/cuda/pass.hpp"
#include "reduce/cuda/vector_loads.cuh"

namespace steadfold::inline v0::cuda {

struct no_extremes {};

/// Sums alone, and products of two arrays, meet in hot words: all digits of them.
template <unsigned Family>
struct integer_shape {
    static constexpr bool has_pairs = (Family & reduce_detail::feature_pairs) != 0;
    static constexpr bool meets_hot = Family == reduce_detail::family_sum || Family == reduce_detail::family_pairs;
    using hot = hot_pieces<has_pairs ? 4 : 2, 32>;
    static constexpr quantity hot_quantity = has_pairs ? quantity::products : quantity::sum;
    static constexpr exact::digit_layout hot_layout =
        has_pairs ? exact::product_layout(dtype::int64) : exact::sum_layout(dtype::int64);
};

/// Zeroed before use.
template <unsigned Family>
struct integer_block {
    using shape = integer_shape<Family>;
    static constexpr int components = 1;
    static constexpr bool has_sum = (Family & reduce_detail::feature_sum) != 0;
    static constexpr bool has_magnitudes = (Family & reduce_detail::feature_magnitudes) != 0;
    static constexpr bool has_products = (Family & reduce_detail::feature_products) != 0;
    static constexpr bool has_extrema = (Family & reduce_detail::feature_extrema) != 0;

    std::uint64_t sum[exact::sum_layout(dtype::int64).limbs], magnitudes[exact::sum_layout(dtype::int64).limbs];
    std::uint64_t products[exact::product_layout(dtype::int64).limbs];
    exact::special_counts counts[1];
    std::conditional_t<has_extrema, integer_extremes, no_extremes> extremes;
    std::int64_t first_nan;    // nothing asks where the first missing element is: they are always left out
    std::int64_t irregular;    // as in float_block.cuh, of passes that meet in hot words
    std::int64_t wants_window; // never
    std::int32_t warp_pieces[max_threads_per_block / 32][shape::meets_hot ? shape::hot::slots : 1];

    __device__ std::uint64_t* hot_limbs() { return shape::has_pairs ? products : sum; }
    __device__ static unsigned cleared_bytes(pass_arguments const&) { return sizeof(integer_block); }
    __device__ void empty_bins() {}
    template <class Function>
    __device__ void for_each_sum(Function const& f) {
        if constexpr (has_sum) f(sum, 0, quantity::sum, 0);
        if constexpr (has_magnitudes) f(magnitudes, 0, quantity::magnitudes, 0);
        if constexpr (has_products) f(products, 0, quantity::products, 0);
    }
};

template <bool Signed, unsigned Family>
class integer_pass {
  public:
    using block_type = integer_block<Family>;
    using shape = typename block_type::shape;
    static constexpr dtype real = Signed ? dtype::int64 : dtype::uint64;
    static constexpr int min_blocks = 2, vectors_in_flight = 4;
    static constexpr int bulk_stages = most_bulk_stages, most_small_vectors = 0, most_small_elements = 0,
                         small_folds = 2;
    static constexpr int components = 1, element_bytes = 0; // the width is known at run time
    static constexpr bool takes_two = shape::has_pairs, has_pairs = takes_two;
    static constexpr bool has_extrema = (Family & reduce_detail::feature_extrema) != 0;
    static constexpr bool has_zeros = (Family & reduce_detail::feature_zeros) != 0;
    static constexpr bool compares = has_extrema, is_fast = false, meets_hot = shape::meets_hot;
    static constexpr std::uint64_t padding_x = 0, padding_y = 0;

    __device__ integer_pass(pass_arguments const& arguments, block_type& block, int)
        : arguments_{arguments}, block_{block}, bytes_{arguments.integer_bytes} {
        std::int64_t const missing = arguments.missing; // perhaps none that the type has
        filter_ = {arguments.has_missing &&
                       lowest_element<Signed>(static_cast<std::uint64_t>(missing), bytes_) == missing,
                   missing};
        if constexpr (has_extrema) // shuffled, so that it stays in a register and is not worked out for every batch
            limits_ = &block.extremes.limit[__shfl_sync(0xffffffffu, threadIdx.x / warp_threads, 0)];
    }

    struct summary {
        std::uint32_t peak;
    };
    template <int Count>
    [[nodiscard]] __device__ static summary summarise(vector16 const (&)[Count], vector16 const (&)[Count]) {
        return {0};
    }

    /// Padding leaves no trace in sums; tiles with any are the only ones where elements are asked what they are.
    template <int Count, class Batch>
    __device__ void batch(vector16 const (&x)[Count], vector16 const (&y)[Count], summary const&, Batch const& again) {
        bool const whole = (again.tile + 1) * (Batch::stride * Count) <= arguments_.vectors;
        if constexpr (has_zeros)
            if (arguments_.counts_zeros && !(filter_.has_missing && filter_.missing == 0))
                zeros_ += count(0, x, whole, again);
        if constexpr (has_extrema) compare(x, whole, again);
        vector16 present[Count];
        copy(x, present);
        if constexpr (!has_pairs)
            if (filter_.has_missing) [[unlikely]] {
                missing_ += count(filter_.missing, x, whole, again);
                replace_missing(present, 0);
            }
        with_width(bytes_, [&](auto width) { sums_.template add<decltype(width)::value>(present, y); });
        if (++batches_ == most_batches) [[unlikely]]
            settle();
    }

    __device__ void finish() {
        if constexpr (meets_hot)
            if (meets_in_hot_words(arguments_)) {
                unsigned const lane = threadIdx.x % warp_threads;
                std::int32_t const piece = sums_.piece();
                if (lane < shape::hot::all_pieces) block_.warp_pieces[threadIdx.x / warp_threads][lane] = piece;
                sums_ = {};
                if (!__any_sync(0xffffffffu, missing_ != 0)) return;
            }
        settle();
    }

    /// There is one window of integers.
    [[nodiscard]] __device__ static int hot_top() { return 0; }
    /// Unit of the lower digits.
    [[nodiscard]] __device__ static int hot_exponent(int) { return 0; }

    __device__ void contribute(block_partial& partial) const {
        if constexpr (has_extrema) block_.extremes.bests.contribute(partial.extrema);
    }

  private:
    /// How many batches are added before sums move on: no digit sum then has more than 2^17 digits, thousands of times
    /// less than it has room for, and it costs nothing to speak of.
    static constexpr unsigned most_batches = 1 << 12;

    template <int Count, class Batch>
    __device__ void compare(vector16 const (&x)[Count], bool whole, Batch const& again) {
        vector16 present[Count];
        copy(x, present);
        if (filter_.has_missing) [[unlikely]]
            replace_missing(present, filler());
        integer_range<Signed> range{};
        with_width(bytes_, [&](auto width) { range = range_of_integers<Signed, decltype(width)::value>(present); });
        bool const at_both = !whole || !has_found_;
        if (__any_sync(0xffffffffu, static_cast<int>(limits_->may_improve(range)) | static_cast<int>(at_both)))
            [[unlikely]]
            has_found_ |=
                look_for_integers(block_.extremes, range, again, bytes_, filter_, arguments_.first_index, at_both);
    }

    /// An element that improves nothing, once the warp has found one.
    [[nodiscard]] __device__ std::int64_t filler() const {
        std::int64_t const key = block_.extremes.bests.best[0][threadIdx.x / warp_threads].key(end_of_range::low);
        return key_of_integer<Signed>(key);
    }

    template <int Count>
    __device__ static void copy(vector16 const (&from)[Count], vector16 (&to)[Count]) {
#pragma unroll
        for (int u = 0; u < Count; ++u) to[u] = from[u];
    }

    template <int Count>
    __device__ void replace_missing(vector16 (&x)[Count], std::int64_t by) const {
        repeated_integer const missing{filter_.missing, bytes_}, other{by, bytes_};
#pragma unroll
        for (int u = 0; u < Count; ++u) missing.replace(x[u], other);
    }

    template <int Count, class Batch>
    [[nodiscard]] __device__ unsigned count(std::int64_t value, vector16 const (&x)[Count], bool whole,
                                            Batch const& again) const {
        if (!whole) return count_equal<Signed>(again, bytes_, value);
        repeated_integer const wanted{value, bytes_};
        unsigned found = 0;
#pragma unroll
        for (int u = 0; u < Count; ++u) found += wanted.count(x[u]);
        return found;
    }

    __device__ void settle() {
        sums_.settle(block_);
        if constexpr (has_zeros) shared_count(&block_.counts[0].zero, zeros_);
        shared_count(&block_.counts[0].nan, missing_);
        zeros_ = missing_ = batches_ = 0;
        if constexpr (meets_hot) shared_mark(block_.irregular);
    }

    pass_arguments const& arguments_;
    block_type& block_;
    int bytes_;
    integer_filter filter_;
    std::conditional_t<has_extrema, integer_extremes::limits const*, no_extremes> limits_;
    integer_sums<Signed, Family> sums_;
    unsigned zeros_ = 0, missing_ = 0, batches_ = 0; // since sums moved on
    bool has_found_ = false;                         // an element that is not missing, for extremes
};

} // namespace steadfold::inline v0::cuda
