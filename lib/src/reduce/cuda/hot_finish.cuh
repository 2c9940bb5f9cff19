// The end of a launch whose blocks meet in hot words: from the pieces of a block's warps to the rounded result, by one
// warp a block, in registers as long as nothing irregular happened.
#pragma once

#include "reduce/cuda/state_merge.cuh"
#include "reduce/cuda/warp_round.cuh"

#include <utility>

namespace steadfold::inline v0::cuda {

/// Run by the block's first warp, after a barrier.
template <class Pass>
class hot_finish {
  public:
    using block_type = typename Pass::block_type;

    __device__ hot_finish(pass_arguments const& arguments, block_type& block, finish_area& area, int hot_top)
        : arguments_{arguments}, memory_{*arguments.memory}, block_{block}, area_{area}, top_{hot_top} {}

    __device__ void run() {
        std::int32_t piece = sum_of_warps();
        if (lane_ >= hot::pieces) piece = 0;
        hot_flags flags{0, block_.counts[0].not_negative_zero != 0 ? 1u : 0u, 0};
        if (block_.irregular != 0) [[unlikely]]
            take_irregular(piece, flags);
        std::uint64_t word =
            (std::uint64_t{1} << arrival_shift) +
            (lane_ == hot::all_pieces ? flags.packed() : static_cast<std::uint64_t>(std::int64_t{piece}));
        if (gridDim.x > 1 && !meet<hot::words>(memory_, word)) return;
        std::int64_t const sum = sum_of(word);
        flags = hot_flags::of(__shfl_sync(all, sum, hot::all_pieces));
        if (flags.used_state != 0 || !finish_quickly(sum, flags)) [[unlikely]]
            finish_at_length(sum, flags);
    }

  private:
    using hot = typename Pass::shape::hot;
    static constexpr unsigned all = 0xffffffffu;
    static constexpr quantity which = Pass::shape::hot_quantity;
    static constexpr int count = Pass::shape::hot_layout.limbs, anchor = Pass::shape::hot_layout.anchor;

    __device__ std::uint64_t* limbs() const {
        if constexpr (which == quantity::sum)
            return block_.sum[0].limb;
        else if constexpr (which == quantity::magnitudes)
            return block_.magnitudes[0].limb;
        else
            return block_.products[0].limb;
    }

    /// Of the lowest piece.
    [[nodiscard]] __device__ int exponent() const { return Pass::hot_exponent(top_) - hot::below_unit; }

    /// The lane's piece, of all warps: lane l adds some of piece l modulo `slots`.
    __device__ std::int32_t sum_of_warps() const {
        constexpr int slots = hot::slots;
        std::int32_t sum = 0;
#pragma unroll
        for (int w = 0; w < max_threads_per_block / 32; w += 32 / slots)
            sum += block_.warp_pieces[w + lane_ / slots][lane_ % slots];
#pragma unroll
        for (int offset = slots; offset < 32; offset *= 2) sum += __shfl_xor_sync(all, sum, offset);
        return sum;
    }

    /// What is in the block's limbs goes to the pieces if they reach that far; otherwise it goes to the state, as
    /// counts do.
    __device__ void take_irregular(std::int32_t& piece, hot_flags& flags) {
        limb_stretch const stretch = limbs_in_reach();
        if (stretch.holds_all) {
            std::int32_t const more = stretch.piece_of(lane_);
            piece += more;
            flags.has_rests = __any_sync(all, lane_ >= hot::pieces && more != 0) ? 1 : 0;
        }
        put_elsewhere(flags, !stretch.holds_all);
    }

    /// The block's limbs as an integer of six pieces, the lowest hot ones and those of the last fold.
    struct limb_stretch {
        exact::wide_integer<3> value; // in units of 2^-shift of the lowest piece
        int shift;
        bool holds_all;

        __device__ std::int64_t from(int bit) const {
            int const word = bit / 64, bits = bit % 64;
            std::uint64_t const low = word == 0 ? value.word[0] : word == 1 ? value.word[1] : value.word[2];
            std::uint64_t const high = word == 0   ? value.word[1]
                                       : word == 1 ? value.word[2]
                                                   : 0 - (value.word[2] >> 63);
            return static_cast<std::int64_t>(bits == 0 ? low : (low >> bits) | (high << (64 - bits)));
        }
        /// True if what is above the fifth piece is one more, below 2^27: the words above it are all sign.
        [[nodiscard]] __device__ bool fits() const {
            std::int64_t const above = static_cast<std::int64_t>(value.word[2]) >> (shift + 5 * piece_bits + 27 - 128);
            return above == 0 || above == -1;
        }
        __device__ std::int32_t piece_of(int lane) const {
            if (lane < hot::pieces - 3 || lane >= hot::all_pieces) return 0;
            int const which = lane < hot::pieces ? lane - hot::pieces + 6 : lane - hot::pieces;
            if (which == 5) return static_cast<std::int32_t>(from(shift + 5 * piece_bits));
            return static_cast<std::int32_t>(from(shift + which * piece_bits) & ((1 << piece_bits) - 1));
        }
    };

    __device__ limb_stretch limbs_in_reach() const {
        constexpr int reach = 6; // limbs: 132 bits, what is above, and the sign
        int const lowest = exponent() - anchor, first = lowest >> 5, shift = lowest & 31;
        if (lowest < 0 || first + reach > count) return {{}, 0, false};
        bool outside = false;
        for (int i = lane_; i < count; i += 32) {
            std::int64_t const digit = carried(limbs(), count, i);
            if (i < first || i >= first + reach) outside = outside || digit != 0;
            if (i == first) outside = outside || (digit & ((std::int64_t{1} << shift) - 1)) != 0;
        }
        limb_stretch stretch{{}, shift, !__any_sync(all, outside)};
        stretch.value.template add<0>(carried(limbs(), count, first));
        stretch.value.template add<32>(carried(limbs(), count, first + 1));
        stretch.value.template add<64>(carried(limbs(), count, first + 2));
        stretch.value.template add<96>(carried(limbs(), count, first + 3));
        stretch.value.template add<128>(carried(limbs(), count, first + 4));
        std::int64_t const top = carried(limbs(), count, first + 5);
        stretch.value.template add<160>(top);
        constexpr std::int64_t most = std::int64_t{1} << 30; // beyond it the sum could outgrow its words
        if (top >= most || top <= -most || !stretch.fits()) stretch.holds_all = false;
        return stretch;
    }

    __device__ void put_elsewhere(hot_flags& flags, bool limbs_too) {
        bool elsewhere = false;
        for (int i = lane_; limbs_too && i < count; i += 32) {
            std::int64_t const digit = carried(limbs(), count, i);
            if (digit == 0) continue;
            elsewhere = true;
            device_add(limbs_of(memory_.state, which, 0) + i, static_cast<std::uint64_t>(digit));
        }
        if (__ldcg(&memory_.wanted_top) != 0) elsewhere = true; // so that the last block changes the window
        auto const* counts = reinterpret_cast<std::int64_t const*>(&block_.counts[0]);
        if (lane_ < special_words && counts[lane_] != 0) elsewhere = true;
        flags.used_state = __any_sync(all, elsewhere) ? 1 : 0;
        if (flags.used_state == 0) return;
        if (lane_ == 0) block_.counts[0].not_negative_zero = 0; // it travels in the flags
        __syncwarp();
        add_counts(block_, memory_.state, static_cast<unsigned>(lane_));
        __threadfence(); // pairs with the last block's fence
        __syncwarp();
    }

    /// False if some result needs the long way, which writes all of them again.
    __device__ bool finish_quickly(std::int64_t sum, hot_flags const& flags) {
        if (!arguments_.finish.may_be_quick) return false;
        // In every lane: carries from lane to lane would take as many votes as there are pieces.
        exact::wide_integer<hot::wide_words> total;
        add_pieces<0>(total, sum, std::make_integer_sequence<int, hot::pieces>{});
        if (flags.has_rests != 0) [[unlikely]]
            add_pieces<hot::pieces>(total, sum, std::make_integer_sequence<int, 3>{});
        exact::leading_word const leading = exact::leading_word_of(total, exponent());
        result_value mine;
        bool done = true;
        int position = 0;
#pragma unroll 1
        for (std::uint32_t left = arguments_.finish.operations; left != 0 && done; left &= left - 1, ++position) {
            auto const op = static_cast<operation>(__ffs(static_cast<int>(left)) - 1);
            done = quick_result(op, leading, arguments_.finish, flags.not_negative_zero == 0, mine);
            if (done && lane_ == 0) write_result(arguments_.finish, position, mine);
        }
        return done;
    }

    template <int First, int... Pieces>
    __device__ static void add_pieces(exact::wide_integer<hot::wide_words>& total, std::int64_t sum,
                                      std::integer_sequence<int, Pieces...>) {
        (total.template add<hot::shift(First + Pieces)>(__shfl_sync(all, sum, First + Pieces)), ...);
    }

    __device__ void finish_at_length(std::int64_t sum, hot_flags const& flags) {
        if (lane_ == 0) {
            area_.view = {};
            area_.view.elements = arguments_.finish.elements;
            area_.view.component[0].counts = &area_.counts[0];
            area_.counts[0] = {};
        }
        __syncwarp();
        if (flags.used_state != 0) take_state(flags);
        if (lane_ == 0) area_.counts[0].not_negative_zero = flags.not_negative_zero;
        for (int i = lane_; flags.used_state == 0 && i < count; i += 32) limbs()[i] = 0; // its pieces have them
        __syncwarp();
        if (lane_ < hot::all_pieces && sum != 0)
            exact::deposit(limbs(), anchor, sum, exponent() + hot::shift(lane_), shared_add{});
        __syncwarp();
        exact::digit_span const span = normalised_span(limbs(), count, anchor);
        if (lane_ != 0) return;
        span_of(area_.view, which, 0) = span;
        evaluate_share(arguments_.finish, area_, 0, 1);
    }

    /// What the blocks left there; leaves it empty for the next launch, and chooses that one's window: a lower one only
    /// if no block could do with this one.
    __device__ void take_state(hot_flags const& flags) {
        __threadfence();
        std::uint64_t* const from = limbs_of(memory_.state, which, 0);
        for (int i = lane_; i < count; i += 32) {
            limbs()[i] = __ldcg(from + i);
            from[i] = 0;
        }
        auto* const counts = reinterpret_cast<std::int64_t*>(&memory_.state.component[0].counts);
        if (lane_ < special_words) {
            reinterpret_cast<std::int64_t*>(&area_.counts[0])[lane_] = __ldcg(counts + lane_);
            counts[lane_] = 0;
        }
        if (lane_ == 0) {
            memory_.state.component[0].extrema.first_nan = exact::extrema_state{}.first_nan;
            int const wanted = atomicExch(&memory_.wanted_top, 0);
            if (wanted != 0 && (wanted - hot_bias > top_ || flags.used_state == gridDim.x))
                memory_.hot_top = wanted - hot_bias;
        }
        __syncwarp();
    }

    static constexpr int special_words = sizeof(exact::special_counts) / 8 - 1; // but for not_negative_zero, the last

    pass_arguments const& arguments_;
    grid_memory& memory_;
    block_type& block_;
    finish_area& area_;
    int top_, lane_ = static_cast<int>(threadIdx.x % 32);
};

} // namespace steadfold::inline v0::cuda
