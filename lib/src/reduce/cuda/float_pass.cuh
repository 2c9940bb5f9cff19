// One thread's pass over floating-point data: vectors through the folds, what they cannot take through the block's
// bins.
#pragma once

#include "reduce/cuda/extremes.cuh"
#include "reduce/cuda/float_block.cuh"
#include "reduce/cuda/leftovers.cuh"
#include "reduce/cuda/near_rests.cuh"
#include "reduce/cuda/pass.hpp"
#include "reduce/cuda/second_look.cuh"
#include "reduce/cuda/vector_run.cuh"
#include "reduce/cuda/window_choice.cuh"

namespace steadfold::inline v0::cuda {

template <dtype Real, int Components, unsigned Family>
class float_pass {
  public:
    using shape = float_shape<Real, Components, Family>;
    using block_type = float_block<shape>;
    static constexpr dtype real = Real;
    static constexpr int components = Components, width = per_vector<Real>;
    static constexpr bool takes_two = shape::takes_two, has_pairs = shape::has_pairs, has_extrema = shape::has_extrema;
    static constexpr bool compares = has_extrema, is_fast = false, meets_hot = shape::meets_hot;
    static constexpr int element_bytes = sizeof(typename element<Real>::storage);
    /// What fills a vector up without a trace in any sum: -0, or pairs whose product is -0. Sums of squares cannot be
    /// -0, and do not mind +0.
    static constexpr std::uint64_t padding_x = std::uint64_t{1} << (8 * element_bytes - 1),
                                   padding_y = takes_two ? 0 : padding_x;

    // Two blocks a multiprocessor: 128 registers, and shared memory for stages and bins, which all families share.
    static constexpr int min_blocks = 2;
    /// The more of them, the more independent work a warp has, as far as the registers go.
    static constexpr int vectors_in_flight =
        takes_two || (shape::has_magnitudes && shape::has_products && components == 2) ? 2
        : Family == family_squares && shape::is_float64                                ? 5
                                                                                       : 4;
    /// With more on their way than the folds need, the multiprocessors further from the memory wait longer for theirs.
    static constexpr int bulk_stages = element_bytes == 2 ? most_bulk_stages : 2;
    /// Of data that is small enough for small_sum.cuh.
    static constexpr int small_folds = shape::has_products && shape::is_float64 ? 4 : 2;
    /// Squares have twice the range of what they are of: with more of them, two folds leave rests.
    static constexpr std::int64_t most_small_elements =
        Family == family_squares && small_folds == 2 ? 1 << 11 : 1 << 17;
    /// A thread's; 0: none.
    static constexpr int most_small_vectors = !meets_hot ? 0 : takes_two ? 2 : 4;

    __device__ float_pass(pass_arguments const& arguments, block_type& block, int hot_top)
        : arguments_{arguments}, block_{block} {
        if constexpr (meets_hot) hot_top_ = hot_top;
        if constexpr (has_extrema) // shuffled, so that it stays in a register and is not worked out for every batch
            limits_ = &block.extremes.limit[__shfl_sync(0xffffffffu, threadIdx.x / warp_threads, 0)];
    }

    /// What is looked at before a batch: the largest magnitude of its elements or products, which decides the window,
    /// and the range of its elements.
    struct summary {
        std::uint32_t peak;
        word_range range;      // if the family has extrema
        least_magnitude least; // of bfloat16 values
    };
    template <int Count>
    [[nodiscard]] __device__ static summary summarise(vector16 const (&x)[Count], vector16 const (&y)[Count]) {
        if constexpr (has_pairs) return {pair_peak<Real>(x, y), {}, {}};
        summary seen{};
        if constexpr (has_extrema) seen.range = range_of<Real>(x);
        if constexpr (shape::has_values && Real == dtype::bfloat16) {
            magnitude_range16 const magnitudes = magnitude_range_of(x);
            seen.peak = magnitudes.peak;
            seen.least = magnitudes.least;
        } else {
            seen.peak = has_extrema && width <= 4 ? seen.range.peak() : peak_of<Real>(x);
        }
        return seen;
    }

    /// Padding, -0 (x) and +0 (y), leaves no trace in sums. What is rare reads the vectors again: that keeps the usual
    /// way short and in few registers.
    template <int Count, class Batch>
    __device__ void batch(vector16 const (&x)[Count], vector16 const (&y)[Count], summary const& seen,
                          Batch const& again) {
        std::uint32_t const peak = seen.peak;
        bool const may_vanish = may_underflow && may_be_tiny(x, y);
        bool vanishes = false;
        if (!window_.holds(peak) | !has_room(runs_of(Count)) | may_vanish) [[unlikely]] // one branch for all
            vanishes = attend(peak, may_vanish, again);
        bool const outside = !window_.holds(peak) | vanishes;
        std::uint32_t rests = outside ? 1 : fold_batch(x, y);
        if constexpr (shape::has_values)
            if (values_.may_leave_rest(seen.least)) rests = 1;
        if (rests != 0) [[unlikely]] {
            if (outside || !keep_near_rests(x, y)) {
                irregular_ = true;
                leftovers<float_pass, Batch> const all{arguments_, block_, again, window_.top()};
                seen_ |= all.deposit(outside);
            }
            if (!outside) window_.note_rests(peak);
        } else {
            window_.note_no_rests();
        }
        if (seen_ != all_seen && !outside) [[unlikely]]
            note_signs(x, y, again);
        if constexpr (shape::has_zeros)
            if (arguments_.counts_zeros) [[unlikely]]
                zeros_ += zeros_among<Real, components>(again);
        if constexpr (has_extrema)
            if (__any_sync(0xffffffffu, limits_->may_improve(seen.range) | (again.tile >= arguments_.whole_tiles)))
                [[unlikely]]
                look_for_extremes<Real>(block_.extremes, seen.range, arguments_.first_index, again);
    }

    /// Moves what the thread holds into the block; every thread of the block calls it once.
    __device__ void finish() {
        if (!window_.is_chosen()) choose_window(0);
        if constexpr (folds_anything) {
            if (__all_sync(0xffffffffu, window_.is_first())) {
                finish_warp();
            } else { // the warp's pieces stay zero
                flush();
                if constexpr (meets_hot)
                    if (meets_in_hot_words(arguments_)) want(window_.top());
            }
        }
        if ((seen_ & 1) != 0) shared_mark(block_.counts[0].not_negative_zero);
        if constexpr (components == 2)
            if ((seen_ & 2) != 0) shared_mark(block_.counts[1].not_negative_zero);
        if (irregular_) shared_mark(block_.irregular);
        if constexpr (shape::has_zeros) shared_count(&block_.counts[0].zero, zeros_);
    }

    /// The window whose digits meet in hot words.
    [[nodiscard]] __device__ int hot_top() const { return hot_top_; }
    /// Unit of the last fold of that window.
    [[nodiscard]] __device__ static int hot_exponent(int top) {
        if constexpr (shape::has_products)
            return products_type::window_type::exponent(top, products_type::floor, products_type::folds - 1);
        else
            return values_type::window_type::exponent(top, values_type::floor, values_type::window_type::folds - 1);
    }

    __device__ void contribute(block_partial& partial) const {
        if constexpr (has_extrema) block_.extremes.bests.contribute(partial.extrema);
    }

  private:
    using load = element<Real>;
    using run = vector_run<shape>;
    using values_type = typename run::values_type;
    using products_type = typename run::products_type;
    static constexpr int all_seen = components == 2 ? 3 : 1;
    static constexpr bool folds_anything = window_choice<shape>::folds_anything;
    static constexpr bool may_underflow = has_pairs && shape::is_float64;

    __device__ void aim_folds() {
        if constexpr (shape::has_values) values_.aim(window_.top());
        if constexpr (shape::has_products)
#pragma unroll
            for (int c = 0; c < components; ++c) products_[c].aim(window_.product_top());
    }

    /// What is rare before a batch. True if a product vanishes, so that the batch is not for the folds.
    template <class Batch>
    __device__ bool attend(std::uint32_t peak, bool may_vanish, Batch const& again) {
        if (!window_.is_chosen())
            choose_window(peak);
        else
            move_window(peak, runs_of(Batch::count));
        if constexpr (may_underflow) return may_vanish && any_tiny_product<Real>(again);
        return false;
    }

    /// All lanes of the warp: aims at the window that blocks share, or at the warp's peak.
    __device__ void choose_window(std::uint32_t peak) {
        peak = __reduce_max_sync(0xffffffffu, peak);
        if constexpr (meets_hot)
            window_.choose(peak, arguments_.integer_only, hot_top_);
        else
            window_.choose(peak, arguments_.integer_only);
        aim_folds();
    }

    /// If it must move, or the digit sums need room.
    __device__ void move_window(std::uint32_t peak, std::uint32_t added) {
        int const top = window_.next_top(peak);
        if (!folds_anything || arguments_.integer_only) return;
        bool const moves = top != window_.top();
        if (moves || !has_room(added)) flush();
        window_.set(top, arguments_.integer_only);
        if (moves) aim_folds();
    }

    __device__ bool has_room(std::uint32_t added) const {
        return !folds_anything || runs_ + added <= most_runs;
    }

    __device__ void flush() {
        irregular_ = true;
        if constexpr (shape::has_values) values_.flush(runs_, block_);
        if constexpr (shape::has_products)
#pragma unroll
            for (int c = 0; c < components; ++c) products_[c].flush(window_.product_top(), runs_, block_.products[c]);
        runs_ = 0;
        if constexpr (shape::keeps_near_rests) flush_near_rests();
    }

    /// What the folds left of a batch, if one more fold takes all of it.
    template <int Count>
    __device__ bool keep_near_rests(vector16 const (&x)[Count], vector16 const (&y)[Count]) {
        if constexpr (!shape::keeps_near_rests) {
            return false;
        } else {
            near_fold const fold{hot_exponent(window_.top()), shape::hot_layout.anchor};
            std::int64_t digits = 0, of_last = 0;
            std::uint32_t left = fold.exists() ? 0 : 1;
            run folds{values_, products_};
#pragma unroll
            for (int u = 0; u < Count; ++u) {
                if (run::begins_at(u)) folds = run{values_, products_};
#pragma unroll
                for (int j = 0; j < width; ++j)
                    if constexpr (shape::has_products) {
                        products_type const& last = products_[0];
                        exact_product const rest = folds.rest(multiply<Real>(x[u], y[u], j), 0);
                        left |= fold.add(last.rest_of_last(rest.high, of_last), digits);
                        if constexpr (products_type::has_low)
                            left |= fold.add(last.rest_of_last(rest.low, of_last), digits);
                    } else {
                        double const value = load::at(x[u], j), rest = folds.rest(value, 0);
                        left |= fold.add(shape::has_sum ? rest : with_sign_of(rest, value), digits);
                    }
            }
            if (left != 0) return false;
            near_digits_ += digits;
            if constexpr (shape::has_products) products_[0].add_to_last(of_last);
            return true;
        }
    }
    __device__ void flush_near_rests() {
        if (near_digits_ == 0) return;
        irregular_ = true;
        int const exponent = hot_exponent(window_.top()) - near_fold::reach;
        block_.for_each_sum([&](std::uint64_t* limbs, int anchor, quantity, int) {
            exact::deposit(limbs, anchor, near_digits_, exponent, shared_add{});
        });
        near_digits_ = 0;
    }

    /// The warp's lanes have one window: their digits are summed before they meet those of other warps.
    __device__ void finish_warp() {
        if constexpr (shape::has_values)
            values_.for_each_piece(runs_, [&](std::int32_t piece, quantity which, int c) {
                using window = typename values_type::window_type;
                finish_piece<window, values_type::floor>(window_.top(), piece, which, c);
            });
        if constexpr (shape::has_products)
#pragma unroll
            for (int c = 0; c < components; ++c)
                finish_piece<typename products_type::window_type, products_type::floor>(
                    window_.product_top(), products_[c].piece(runs_), quantity::products, c);
    }

    /// A piece a lane: for where the blocks meet, or into the block's limbs.
    template <class Window, int Floor>
    __device__ void finish_piece(int top, std::int32_t piece, quantity which, int c) {
        int const lane = static_cast<int>(threadIdx.x % 32);
        if constexpr (meets_hot)
            if (meets_in_hot_words(arguments_)) {
                bool near = false;
                if constexpr (shape::keeps_near_rests) near = __any_sync(0xffffffffu, near_digits_ != 0);
                if (window_.top() == hot_top_ && window_.may_be_shared(hot_top_)) {
                    if (near) piece += near_piece<typename shape::hot>(near_digits_);
                    if (lane < shape::hot::all_pieces) block_.warp_pieces[threadIdx.x / 32][lane] = piece;
                    return;
                }
                if (near || __any_sync(0xffffffffu, piece != 0)) want(window_.top());
            }
        if constexpr (shape::keeps_near_rests) flush_near_rests();
        if (piece == 0) return;
        irregular_ = true;
        int const exponent = piece_exponent<Window>(top, Floor, lane);
        block_.for_each_sum([&](std::uint64_t* limbs, int anchor, quantity of, int component) {
            if (of == which && component == c) exact::deposit(limbs, anchor, piece, exponent, shared_add{});
        });
    }

    /// Asks for another window of the next launch.
    __device__ void want(int top) {
        irregular_ = true;
        shared_mark(block_.wants_window);
        if (window_.may_be_shared(top)) atomicMax(&arguments_.memory->wanted_top, hot_bias + top);
    }

    template <int Count>
    __device__ std::uint32_t fold_batch(vector16 const (&x)[Count], vector16 const (&y)[Count]) {
        if constexpr (folds_anything) runs_ += runs_of(Count);
        std::uint32_t rests = 0;
#pragma unroll
        for (int first = 0; first < Count; first += run::vectors) {
            run folds{values_, products_};
#pragma unroll
            for (int u = first; u < first + run::vectors && u < Count; ++u)
#pragma unroll
                for (int j = 0; j < width; ++j) rests |= folds.add(x[u], y[u], j);
            folds.take_into(values_, products_);
        }
        return rests;
    }

    template <int Count, class Batch>
    __device__ void note_signs(vector16 const (&x)[Count], vector16 const (&y)[Count], Batch const& again) {
        double const first = load::at(x[0], 0);
        if (components == 1 && !(has_pairs ? is_negative_zero_product(bits_of(first), bits_of(load::at(y[0], 0)))
                                           : is_negative_zero(first)))
            seen_ = all_seen; // as good as always
        else
            seen_ |= not_negative_zero<Real, components, has_pairs>(again);
    }

    __device__ static constexpr std::uint32_t runs_of(int vectors) {
        return static_cast<std::uint32_t>((vectors + run::vectors - 1) / run::vectors);
    }
    /// Of a thread between two flushes; a fold of products may see two parts of each.
    static constexpr std::uint32_t most_runs = [] {
        std::uint32_t parts = fold_choice<Real>::window::most_parts;
        if constexpr (shape::has_products) {
            constexpr std::uint32_t products = products_type::window_type::most_parts / 2;
            parts = shape::has_values && parts < products ? parts : products;
        }
        constexpr int vectors = run::vectors < vectors_in_flight ? run::vectors : vectors_in_flight;
        return parts / (vectors * width / components);
    }();

    pass_arguments const& arguments_;
    block_type& block_;
    values_type values_;
    products_type products_[components];
    std::uint32_t runs_ = 0;       // since the last flush
    std::int64_t near_digits_ = 0; // of a near_fold
    window_choice<shape> window_;
    std::conditional_t<meets_hot, int, not_gathered> hot_top_;
    std::conditional_t<has_extrema, block_extremes::limits const*, not_gathered> limits_;
    int seen_ = 0;
    std::int64_t zeros_ = 0;
    bool irregular_ = false;
};

} // namespace steadfold::inline v0::cuda
