// The smallest or largest element, or magnitude, and its place.
#pragma once

#include "segmented/cuda/fold_lane.cuh"

#include <type_traits>

namespace steadfold::inline v0::segmented {

/// Elements become scores of which the largest wins: ordered keys, their complements, or magnitudes.
template <class Unit>
class extreme_lane {
  public:
    using unit = Unit;
    static constexpr int rounds_ahead = 2;
    static constexpr bool floats =
        !std::is_same_v<Unit, integer_unit<true>> && !std::is_same_v<Unit, integer_unit<false>>;

    struct outcome {
        std::int64_t score = 0, index = 0;
        bool any = false;          // an element that counts
        int nans = 0;              // NaNs, or missing elements
        bool out_of_reach = false; // the place of the first NaN is wanted
    };

    __device__ explicit extreme_lane(call const& c) : call_{&c}, is_signed_{is_signed_integer(c.type)} {}

    template <int Count, class Group>
    __device__ void step(unit const (&units)[Count], Group const&, step_place const& place) {
#pragma unroll
        for (int u = 0; u < Count; ++u) {
            int const elements = units[u].size(), first = place.first + u * place.stride;
            for (int i = 0; i < elements; ++i)
                if (first + i >= place.begin && first + i < place.end)
                    offer(units[u], i, place.index + (first + i - place.begin));
        }
    }

    template <int Steps = 0, class Group>
    [[nodiscard]] __device__ outcome finish(Group const& group) {
        outcome result;
        result.score = score_;
        result.index = index_;
        find_best(group, result.score, result.index);
        result.any = group.any(any_);
        if (__any_sync(0xffffffffu, nans_ != 0)) result.nans = static_cast<int>(group.sum(nans_));
        result.out_of_reach = result.nans > 0 && !call_->finish.ignore_nans && gives_index(*call_);
        return result;
    }

    [[nodiscard]] __device__ static __noinline__ bool write(call const& c, std::int64_t output, std::int64_t,
                                                            outcome const known) {
        if (known.out_of_reach) return false;
        if (known.nans > 0 && !c.finish.ignore_nans)
            write_result(c, output, c.nan);
        else if (!known.any)
            write_result(c, output, c.empty);
        else if (gives_index(c))
            write_result(c, output, static_cast<std::uint64_t>(known.index), 0, status_flags::none);
        else
            write_element(c, output, element_of(c, known.score));
        return true;
    }

    [[nodiscard]] __device__ static bool merge(call const& c, std::uint64_t* record, outcome const& known) {
        if (known.out_of_reach) return false;
        if (known.nans > 0)
            cuda::device_add(record + c.shape.counts_at(0) + offsetof(exact::special_counts, nan) / 8,
                             static_cast<std::uint64_t>(known.nans));
        exact::extrema_state extrema;
        std::uint64_t const element = element_of(c, known.score);
        std::int64_t const key =
            floats ? exact::ordered_key(element)
                   : static_cast<std::int64_t>(is_signed_integer(c.type) ? element : element ^ top_bit);
        if (known.any) {
            extrema.offer_min(key, known.index);
            extrema.offer_max(key, known.index);
            merge_extrema(c, record, extrema);
        }
        return true;
    }

  private:
    static constexpr std::uint64_t top_bit = std::uint64_t{1} << 63;

    __device__ static bool gives_index(call const& c) {
        return c.op == operation::argmin || c.op == operation::argmax;
    }
    __device__ static bool wants_smallest(call const& c) {
        return c.op == operation::min || c.op == operation::argmin;
    }

    __device__ void offer(unit const& u, int i, std::int64_t index) {
        std::int64_t key;
        if constexpr (floats) {
            std::uint64_t bits = cuda::bits_of(u.value(i, call_->type == dtype::bfloat16));
            if (exact::is_nan_bits(bits)) {
                ++nans_;
                return;
            }
            if (call_->op == operation::linf) bits &= exact::float64_magnitude_mask;
            key = exact::ordered_key(bits);
        } else {
            std::int64_t const x = u.value(i);
            if (call_->has_missing && x == call_->missing) {
                ++nans_;
                return;
            }
            auto bits = static_cast<std::uint64_t>(x);
            if (call_->op == operation::linf && is_signed_ && x < 0) bits = 0 - bits;
            bool const signed_key = is_signed_ && call_->op != operation::linf; // |INT64_MIN| is no int64
            key = static_cast<std::int64_t>(signed_key ? bits : bits ^ top_bit);
        }
        std::int64_t const score = wants_smallest(*call_) ? ~key : key;
        if (any_ && score <= score_) return; // a lane meets its elements in their order
        any_ = true;
        score_ = score;
        index_ = index;
    }

    /// Bits of the element, or of the magnitude, with this score.
    __device__ static std::uint64_t element_of(call const& c, std::int64_t score) {
        std::int64_t const key = wants_smallest(c) ? ~score : score;
        if constexpr (floats) return exact::bits_of_key(key);
        bool const signed_key = is_signed_integer(c.type) && c.op != operation::linf;
        return static_cast<std::uint64_t>(key) ^ (signed_key ? 0 : top_bit);
    }

    __device__ static void write_element(call const& c, std::int64_t output, std::uint64_t bits) {
        dtype const type = floats                                                 ? dtype::float64
                           : is_signed_integer(c.type) && c.op != operation::linf ? dtype::int64
                                                                                  : dtype::uint64;
        exact::rounded const value = floats && exact::is_infinite_bits(bits)
                                         ? exact::make_infinity(bits >> 63 != 0, c.result)
                                         : exact::round_to(exact::leading_of_element(bits, type), c.result);
        write_result(c, output, value.bits, 0, value.status);
    }

    call const* call_;
    bool is_signed_, any_ = false;
    int nans_ = 0;
    std::int64_t score_ = std::numeric_limits<std::int64_t>::min(), index_ = std::numeric_limits<std::int64_t>::max();
};

} // namespace steadfold::inline v0::segmented
