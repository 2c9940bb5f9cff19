// Sums of integers of any width, in two digit sums: exact in any order.
#pragma once

#include "segmented/cuda/fold_lane.cuh"

namespace steadfold::inline v0::segmented {

/// Sums of values or of magnitudes. 64-bit elements are summed by halves, narrower ones as they are.
template <bool Single>
class integer_lane {
  public:
    using unit = integer_unit<Single>;
    static constexpr int rounds_ahead = 2;

    struct outcome {
        std::int64_t digits[2] = {};
        int nans = 0; // missing elements
    };

    __device__ explicit integer_lane(call const& c)
        : is_signed_{is_signed_integer(c.type)}, is_wide_{size_bytes(c.type) == 8}, magnitudes_{c.op == operation::l1},
          has_missing_{c.has_missing}, missing_{c.missing} {}

    template <int Count, class Group>
    __device__ void step(unit const (&units)[Count], Group const&, step_place const& place) {
#pragma unroll
        for (int u = 0; u < Count; ++u) {
            int const elements = units[u].size();
            for (int i = 0; i < elements; ++i) {
                std::int64_t x = units[u].value(i);
                if (has_missing_ && x == missing_) {
                    int const at = place.first + u * place.stride + i;
                    nans_ += at >= place.begin && at < place.end ? 1 : 0; // what lies outside reads as 0
                    continue;
                }
                if (magnitudes_ && is_signed_ && x < 0)
                    x = static_cast<std::int64_t>(0 - static_cast<std::uint64_t>(x));
                add(x);
            }
        }
    }

    template <int Steps = 0, class Group>
    [[nodiscard]] __device__ outcome finish(Group const& group) {
        outcome result;
        result.digits[0] = group.sum(digits_[0]);
        if (is_wide_) result.digits[1] = group.sum(digits_[1]);
        if (__any_sync(0xffffffffu, nans_ != 0)) result.nans = static_cast<int>(group.sum(nans_));
        return result;
    }

    [[nodiscard]] __device__ static __noinline__ bool write(call const& c, std::int64_t output, std::int64_t elements,
                                                            outcome const known) {
        std::int64_t const taken = elements - known.nans;
        if (taken == 0) {
            write_result(c, output, c.empty);
            return true;
        }
        wide_sum sum;
        sum.add(known.digits[0], 0);
        sum.add(known.digits[1], 32);
        exact::rounded const value =
            round_sum(sum, c.op, static_cast<std::uint64_t>(taken), c.result, [] { return false; });
        write_result(c, output, value.bits, 0, value.status);
        return true;
    }

    [[nodiscard]] __device__ static bool merge(call const& c, std::uint64_t* record, outcome const& known) {
        exact::deposit(record, 0, known.digits[0], 0, record_add{});
        exact::deposit(record, 0, known.digits[1], 32, record_add{});
        if (known.nans > 0)
            cuda::device_add(record + c.shape.counts_at(0) + offsetof(exact::special_counts, nan) / 8,
                             static_cast<std::uint64_t>(known.nans));
        return true;
    }

  private:
    __device__ void add(std::int64_t x) {
        if (!is_wide_) {
            digits_[0] += x;
            return;
        }
        bool const has_sign = is_signed_ && !magnitudes_; // the magnitude of the lowest int64 needs all 64 bits
        digits_[0] += x & 0xffffffff;
        digits_[1] += has_sign ? x >> 32 : static_cast<std::int64_t>(static_cast<std::uint64_t>(x) >> 32);
    }

    std::int64_t digits_[2] = {};
    bool is_signed_, is_wide_, magnitudes_, has_missing_;
    std::int64_t missing_;
    int nans_ = 0;
};

} // namespace steadfold::inline v0::segmented
