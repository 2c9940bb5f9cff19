// The end of a launch whose blocks meet in hot words: from the parts of a block's warps to the rounded result, by one
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

    __device__ hot_finish(pass_arguments const& arguments, block_type& block, finish_area& area, Pass const& pass)
        : arguments_{arguments}, memory_{*arguments.memory}, block_{block}, area_{area} {
        part_ = sum_of_parts();
        exponent_ = lane_ % parts < used_parts ? pass.exponent_of_part(lane_ % parts) : 0;
        lowest_limb_ = (pass.exponent_of_part(used_parts - 2) - anchor) >> 5;
    }

    /// Where no result is wanted yet: into the limbs.
    __device__ void deposit_parts() {
        if (lane_ < used_parts && part_ != 0) exact::deposit(limbs(), anchor, part_, exponent_, shared_add{});
        __syncwarp();
    }

    __device__ void run() {
        bool const alone = gridDim.x == 1;
        bool regular = block_.irregular == 0;
        int first = lowest_limb_;
        if (!alone) {
            first = __ldcg(&memory_.first_hot_limb);
            regular = regular && lowest_limb_ >= first && lowest_limb_ + limbs_of_parts <= first + digits;
        }
        std::int64_t digit;
        hot_flags flags{0, block_.counts[0].not_negative_zero != 0 ? 1u : 0u};
        if (regular) [[likely]] {
            digit = digit_of_parts(first);
        } else {
            deposit_parts();
            if (alone) first = ::min(non_zero_limbs(limbs(), count).first, count - 1);
            digit = put_elsewhere(first, flags);
        }
        std::uint64_t word = (std::uint64_t{1} << arrival_shift) + (lane_ < digits ? static_cast<std::uint64_t>(digit)
                                                                    : lane_ == digits ? flags.packed()
                                                                                      : 0);
        if (!alone && !meet<words>(memory_, word)) return;
        digit = sum_of(word);
        flags = hot_flags::of(__shfl_sync(all, digit, digits));
        if (lane_ >= digits) digit = 0;
        if (flags.used_state != 0 || !finish_quickly(digit, first, flags)) [[unlikely]]
            finish_at_length(digit, first, flags);
    }

  private:
    static constexpr unsigned all = 0xffffffffu;
    static constexpr int parts = Pass::shape::parts, used_parts = Pass::shape::used_parts;
    static constexpr quantity which = Pass::shape::hot_quantity;
    static constexpr int count = Pass::shape::hot_layout.limbs, anchor = Pass::shape::hot_layout.anchor;
    // The first word belongs to the lowest digit, the last to flags. Parts reach from the lowest fold to 2^(44 + 31)
    // above the highest; one more digit for what many blocks sum up to.
    static constexpr int words = Pass::shape::has_products ? 16 : 8, digits = words - 1;
    static constexpr int limbs_of_parts = (used_parts / 2 - 1) * 50 / 32 + 5;

    __device__ std::uint64_t* limbs() const {
        if constexpr (which == quantity::sum)
            return block_.sum[0].limb;
        else if constexpr (which == quantity::magnitudes)
            return block_.magnitudes[0].limb;
        else
            return block_.products[0].limb;
    }

    /// Of all warps; lane l gets part l modulo `parts`.
    __device__ std::int64_t sum_of_parts() const {
        std::int64_t sum = 0;
        for (int w = lane_ / parts; w < static_cast<int>(blockDim.x) / 32; w += 32 / parts)
            sum += block_.warp_parts[w][lane_ % parts];
#pragma unroll
        for (int offset = parts; offset < 32; offset *= 2) sum += __shfl_xor_sync(all, sum, offset);
        return sum;
    }

    /// The lane's digit of the sum of all parts, lane 0 being limb `first`.
    __device__ std::int64_t digit_of_parts(int first) const {
        std::int64_t digit = 0;
#pragma unroll
        for (int p = 0; p < used_parts; ++p) {
            std::int64_t const value = __shfl_sync(all, part_, p);
            int const shift = __shfl_sync(all, exponent_, p) - anchor - 32 * (first + lane_);
            std::uint64_t const magnitude =
                value < 0 ? 0 - static_cast<std::uint64_t>(value) : static_cast<std::uint64_t>(value);
            std::uint64_t const moved = shift >= 0 ? magnitude << shift : magnitude >> -shift;
            std::int64_t const own = shift >= 32 || shift <= -64 ? 0 : static_cast<std::int64_t>(moved & 0xffffffffu);
            digit += value < 0 ? -own : own;
        }
        return digit;
    }

    /// Digits outside of the hot ones, and counts, go to the state. Returns the lane's hot digit.
    __device__ std::int64_t put_elsewhere(int first, hot_flags& flags) {
        bool elsewhere = false;
        for (int i = lane_; i < count; i += 32) {
            std::int64_t const digit = i >= first && i < first + digits ? 0 : carried(limbs(), count, i);
            if (digit == 0) continue;
            elsewhere = true;
            device_add(limbs_of(memory_.state, which, 0) + i, static_cast<std::uint64_t>(digit));
        }
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
        int const limb = first + lane_;
        return lane_ < digits && limb < count ? carried(limbs(), count, limb) : 0;
    }

    /// False, and nothing written, if some result needs the long way.
    __device__ bool finish_quickly(std::int64_t digit, int first, hot_flags const& flags) {
        if (!arguments_.finish.may_be_quick) return false;
        leading_word const leading = leading_of_lanes(digit, anchor + 32 * first);
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

    __device__ void finish_at_length(std::int64_t digit, int first, hot_flags const& flags) {
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
            span = normalised_span(area_.digits, words, anchor + 32 * first);
        } else {
            span = take_state_and(digit, first);
        }
        if (lane_ != 0) return;
        span_of(area_.view, which, 0) = span;
        evaluate_share(arguments_.finish, area_, 0, 1);
    }

    /// All digits of the launch, and its counts; leaves the state empty for the next one.
    __device__ exact::digit_span take_state_and(std::int64_t digit, int first) {
        __threadfence();
        std::uint64_t* const from = limbs_of(memory_.state, which, 0);
        for (int i = lane_; i < count; i += 32) {
            limbs()[i] = __ldcg(from + i);
            from[i] = 0;
        }
        __syncwarp();
        int const limb = first + lane_;
        if (lane_ < digits && limb < count) limbs()[limb] += static_cast<std::uint64_t>(digit);
        auto* const counts = reinterpret_cast<std::int64_t*>(&memory_.state.component[0].counts);
        if (lane_ < special_words) {
            reinterpret_cast<std::int64_t*>(&area_.counts[0])[lane_] = __ldcg(counts + lane_);
            counts[lane_] = 0;
        }
        if (lane_ == 0) {
            memory_.state.component[0].extrema.first_nan = exact::extrema_state{}.first_nan;
            // Where this block's digits were, most will be next time.
            memory_.first_hot_limb = ::max(0, lowest_limb_ - 1);
        }
        __syncwarp();
        return normalised_span(limbs(), count, anchor);
    }

    static constexpr int special_words = sizeof(exact::special_counts) / 8 - 1; // but for not_negative_zero, the last

    pass_arguments const& arguments_;
    grid_memory& memory_;
    block_type& block_;
    finish_area& area_;
    int lane_ = static_cast<int>(threadIdx.x % 32);
    std::int64_t part_;
    int exponent_, lowest_limb_;
};

} // namespace steadfold::inline v0::cuda
