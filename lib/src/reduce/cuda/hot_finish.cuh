// The end of a launch whose blocks meet in hot words: from the pieces of a block's warps to the rounded result, by one
// warp a block, in registers as long as nothing irregular happened.
#pragma once

#include "reduce/cuda/fold_total.cuh"
#include "reduce/cuda/state_merge.cuh"

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
        if (lane_ >= hot::all_pieces) piece = 0;
        hot_flags flags{0, block_.counts[0].not_negative_zero != 0 ? 1u : 0u, 0};
        flags.has_rests = __any_sync(all, lane_ >= hot::pieces && piece != 0) ? 1 : 0;
        if (block_.irregular != 0) [[unlikely]]
            put_elsewhere(flags);
        std::uint64_t word =
            (std::uint64_t{1} << arrival_shift) +
            (lane_ == hot::all_pieces ? flags.packed() : static_cast<std::uint64_t>(std::int64_t{piece}));
        if (gridDim.x > 1 && !meet<hot::words>(memory_, word)) return;
        std::int64_t const sum = sum_of(word);
        std::int64_t sums[hot::words]; // all of them asked for before the first is waited for
#pragma unroll
        for (int i = 0; i < hot::words; ++i) sums[i] = __shfl_sync(all, sum, i);
        flags = hot_flags::of(sums[hot::all_pieces]);
        if (flags.used_state != 0 || !finish_quickly(sums, flags)) [[unlikely]]
            finish_at_length(sum, flags);
    }

    /// Rounds the sum of some numbers instead, at length; the block's limbs are still clear.
    template <int Count>
    __device__ void finish_sum(double const (&numbers)[Count], bool not_negative_zero) {
#pragma unroll
        for (int i = 0; i < Count; ++i)
            if (lane_ == i) exact::deposit_value(limbs(), anchor, bits_of(numbers[i]), shared_add{});
        __syncwarp();
        finish_at_length(0, {0, not_negative_zero ? 1u : 0u, 0});
    }

  private:
    using hot = typename Pass::shape::hot;
    static constexpr unsigned all = 0xffffffffu;
    static constexpr quantity which = Pass::shape::hot_quantity;
    static constexpr int count = Pass::shape::hot_layout.limbs, anchor = Pass::shape::hot_layout.anchor;

    __device__ std::uint64_t* limbs() const {
        return block_.hot_limbs();
    }

    /// Of the lowest piece.
    [[nodiscard]] __device__ int exponent() const {
        return Pass::hot_exponent(top_) - hot::below_unit;
    }

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

    /// What is in the block's limbs and counts goes to the state.
    __device__ void put_elsewhere(hot_flags& flags) {
        bool elsewhere = block_.wants_window != 0; // so that the last block changes the window
        for (int i = lane_; i < count; i += 32) {
            std::int64_t const digit = carried(limbs(), count, i);
            if (digit == 0) continue;
            elsewhere = true;
            device_add(limbs_of(memory_.state, which, 0) + i, static_cast<std::uint64_t>(digit));
        }
        auto const* counts = reinterpret_cast<std::int64_t const*>(&block_.counts[0]);
        if (lane_ < special_words && counts[lane_] != 0) elsewhere = true;
        flags.used_state = __any_sync(all, elsewhere) ? 1 : 0;
        if (flags.used_state == 0) return;
        __syncwarp();                                           // all lanes have read it
        if (lane_ == 0) block_.counts[0].not_negative_zero = 0; // it travels in the flags
        __syncwarp();
        add_counts(block_, memory_.state, static_cast<unsigned>(lane_));
        __threadfence(); // pairs with the last block's fence
        __syncwarp();
    }

    /// False if some result needs the long way, which writes all of them again.
    __device__ bool finish_quickly(std::int64_t const (&sums)[hot::words], hot_flags const& flags) {
        if (!arguments_.finish.may_be_quick) return false;
        if constexpr (is_integer(Pass::real)) {
            return finish_integer(sums);
        } else { // in every lane: carries from lane to lane would take as many votes as there are pieces
            fold_total<hot> const total{[&](int piece) { return sums[piece]; }, flags.has_rests != 0};
            rounded_sum const rounded = total.rounded(exponent());
            bool const negative_zero = is_zero(rounded.value) && flags.not_negative_zero == 0;
            return write_quick_results(arguments_.finish, rounded, negative_zero);
        }
    }

    /// The only result, of 64 bits, if the sum fits them.
    __device__ bool finish_integer(std::int64_t const (&sums)[hot::words]) {
        std::uint64_t total[3] = {}; // more than any sum has
#pragma unroll
        for (int p = 0; p < hot::pieces; ++p) add_shifted(total, sums[p], hot::shift(p) - hot::below_unit);
        std::uint64_t const above =
            is_signed_integer(Pass::real) && static_cast<std::int64_t>(total[0]) < 0 ? ~0ull : 0;
        if (total[1] != above || total[2] != above) return false;
        if (lane_ == 0) write_quick(arguments_.finish, 0, {total[0]});
        return true;
    }

    /// total += x 2^shift, modulo 2^192.
    __device__ static void add_shifted(std::uint64_t (&total)[3], std::int64_t x, int shift) {
        int const first = shift / 64, within = shift % 64;
        std::uint64_t carry = 0;
#pragma unroll
        for (int i = 0; i < 3; ++i) {
            if (i < first) continue;
            auto const added = static_cast<std::uint64_t>(i == first                      ? x << within
                                                          : i == first + 1 && within != 0 ? x >> (64 - within)
                                                                                          : x >> 63);
            std::uint64_t const with_carry = added + carry;
            carry = with_carry < carry ? 1 : 0;
            total[i] += with_carry;
            carry += total[i] < with_carry ? 1 : 0;
        }
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
