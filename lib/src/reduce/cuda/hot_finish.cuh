// The end of a launch whose blocks meet in hot words: from the digits of a block's warps to the rounded result, by one
// warp a block, in registers as long as nothing irregular happened.
#pragma once

#include "reduce/cuda/state_merge.cuh"
#include "reduce/cuda/warp_round.cuh"

namespace steadfold::inline v0::cuda {

/// Run by the block's first warp, after a barrier.
template <class Pass>
class hot_finish {
  public:
    using block_type = typename Pass::block_type;

    __device__ hot_finish(pass_arguments const& arguments, block_type& block, finish_area& area)
        : arguments_{arguments}, memory_{*arguments.memory}, block_{block}, area_{area},
          first_{__ldcg(&arguments.memory->first_hot_limb)} {}

    __device__ void run() {
        std::int64_t digit = sum_of_warps();
        hot_flags flags{0, block_.counts[0].not_negative_zero != 0 ? 1u : 0u};
        if (block_.irregular != 0) [[unlikely]]
            digit += put_elsewhere(flags);
        std::uint64_t word = (std::uint64_t{1} << arrival_shift) + (lane_ < digits ? static_cast<std::uint64_t>(digit)
                                                                    : lane_ == digits ? flags.packed()
                                                                                      : 0);
        if (gridDim.x > 1 && !meet<words>(memory_, word)) return;
        digit = sum_of(word);
        flags = hot_flags::of(__shfl_sync(all, digit, digits));
        if (flags.used_state != 0 || !finish_quickly(digit, flags)) [[unlikely]]
            finish_at_length(lane_ < digits ? digit : 0, flags);
    }

  private:
    static constexpr unsigned all = 0xffffffffu;
    static constexpr quantity which = Pass::shape::hot_quantity;
    static constexpr int count = Pass::shape::hot_layout.limbs, anchor = Pass::shape::hot_layout.anchor;
    static constexpr int words = block_type::hot_words, digits = words - 1;

    __device__ std::uint64_t* limbs() const {
        if constexpr (which == quantity::sum)
            return block_.sum[0].limb;
        else if constexpr (which == quantity::magnitudes)
            return block_.magnitudes[0].limb;
        else
            return block_.products[0].limb;
    }

    /// The lane's digit, of all warps: lane l adds some of digit l modulo `words`.
    __device__ std::int64_t sum_of_warps() const {
        std::int64_t sum = 0;
#pragma unroll
        for (int w = 0; w < max_threads_per_block / 32; w += 32 / words)
            sum += block_.warp_digits[w + lane_ / words][lane_ % words];
#pragma unroll
        for (int offset = words; offset < 32; offset *= 2) sum += __shfl_xor_sync(all, sum, offset);
        return sum;
    }

    /// Digits outside of the hot ones, and counts, go to the state. Returns the lane's hot digit.
    __device__ std::int64_t put_elsewhere(hot_flags& flags) {
        bool elsewhere = false;
        for (int i = lane_; i < count; i += 32) {
            std::int64_t const digit = i >= first_ && i < first_ + digits ? 0 : carried(limbs(), count, i);
            if (digit == 0) continue;
            elsewhere = true;
            device_add(limbs_of(memory_.state, which, 0) + i, static_cast<std::uint64_t>(digit));
        }
        if (__ldcg(&memory_.wanted_limb) != 0) elsewhere = true; // so that the last block moves the window
        auto const* counts = reinterpret_cast<std::int64_t const*>(&block_.counts[0]);
        if (lane_ < special_words && counts[lane_] != 0) elsewhere = true;
        flags.used_state = __any_sync(all, elsewhere) ? 1 : 0;
        if (flags.used_state != 0) {
            if (lane_ == 0) block_.counts[0].not_negative_zero = 0; // it travels in the flags
            __syncwarp();
            add_counts(block_, memory_.state, static_cast<unsigned>(lane_));
            __threadfence(); // pairs with the last block's fence
            __syncwarp();
        }
        int const limb = first_ + lane_;
        return lane_ < digits && limb < count ? carried(limbs(), count, limb) : 0;
    }

    /// False if some result needs the long way, which writes all of them again.
    __device__ bool finish_quickly(std::int64_t digit, hot_flags const& flags) {
        if (!arguments_.finish.may_be_quick) return false;
        // In every lane: carries from lane to lane would take as many votes as there are digits.
        auto const of_lane = [digit](int i) { return __shfl_sync(all, digit, i); };
        exact::leading_word const leading = exact::leading_word_of<digits>(of_lane, anchor + 32 * first_);
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

    __device__ void finish_at_length(std::int64_t digit, hot_flags const& flags) {
        if (lane_ == 0) {
            area_.view = {};
            area_.view.elements = arguments_.finish.elements;
            area_.view.component[0].counts = &area_.counts[0];
            area_.counts[0] = {};
            area_.counts[0].not_negative_zero = flags.not_negative_zero;
        }
        __syncwarp();
        exact::digit_span span;
        if (flags.used_state == 0) {
            if (lane_ < words) area_.digits[lane_] = static_cast<std::uint64_t>(digit);
            __syncwarp();
            span = normalised_span(area_.digits, words, anchor + 32 * first_);
        } else {
            span = take_state_and(digit);
        }
        if (lane_ != 0) return;
        span_of(area_.view, which, 0) = span;
        evaluate_share(arguments_.finish, area_, 0, 1);
    }

    /// All digits of the launch, and its counts; leaves the state empty for the next one.
    __device__ exact::digit_span take_state_and(std::int64_t digit) {
        __threadfence();
        std::uint64_t* const from = limbs_of(memory_.state, which, 0);
        for (int i = lane_; i < count; i += 32) {
            limbs()[i] = __ldcg(from + i);
            from[i] = 0;
        }
        __syncwarp();
        int const limb = first_ + lane_;
        if (lane_ < digits && limb < count) limbs()[limb] += static_cast<std::uint64_t>(digit);
        auto* const counts = reinterpret_cast<std::int64_t*>(&memory_.state.component[0].counts);
        if (lane_ < special_words) {
            reinterpret_cast<std::int64_t*>(&area_.counts[0])[lane_] = __ldcg(counts + lane_);
            counts[lane_] = 0;
        }
        if (lane_ == 0) {
            memory_.state.component[0].extrema.first_nan = exact::extrema_state{}.first_nan;
            if (int const wanted = atomicExch(&memory_.wanted_limb, 0); wanted != 0)
                memory_.first_hot_limb = ::max(0, wanted - 2); // a limb of room below
        }
        __syncwarp();
        return normalised_span(limbs(), count, anchor);
    }

    static constexpr int special_words = sizeof(exact::special_counts) / 8 - 1; // but for not_negative_zero, the last

    pass_arguments const& arguments_;
    grid_memory& memory_;
    block_type& block_;
    finish_area& area_;
    int first_, lane_ = static_cast<int>(threadIdx.x % 32);
};

} // namespace steadfold::inline v0::cuda
