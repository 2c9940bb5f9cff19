// Lanes that work on one output together: side by side in the warp. Every function is for the whole warp; the groups
// get results of their own, in all of their lanes.
#pragma once

#include "reduce/cuda/element.cuh"

#include <cstdint>

namespace steadfold::inline v0::segmented {

inline constexpr unsigned whole_warp = 0xffffffffu;

__device__ inline int lane_number() {
    return static_cast<int>(threadIdx.x % 32);
}

/// All 32, which have instructions of their own for sums of integers.
struct warp_group {
    warp_group() = default;
    __device__ explicit warp_group(int) {}

    [[nodiscard]] __device__ static constexpr int lanes() { return 32; }
    static constexpr int most_lanes = 32;
    /// Binary logarithm of their number.
    [[nodiscard]] __device__ static constexpr int shift() { return 5; }
    /// Place of this lane in its group, and of the group's first lane in the warp.
    [[nodiscard]] __device__ static int rank() { return lane_number(); }
    [[nodiscard]] __device__ static constexpr int first() { return 0; }

    /// Exact while the sum fits 64 bits. In three parts, 22, 22 and 20 bits, of which 32 fit a word.
    [[nodiscard]] __device__ static std::int64_t sum(std::int64_t x) {
        constexpr std::uint32_t mask = 0x3fffffu;
        auto const bits = static_cast<std::uint64_t>(x);
        std::uint32_t const low = __reduce_add_sync(whole_warp, static_cast<std::uint32_t>(bits) & mask);
        std::uint32_t const middle = __reduce_add_sync(whole_warp, static_cast<std::uint32_t>(bits >> 22) & mask);
        int const high = __reduce_add_sync(whole_warp, static_cast<int>(x >> 44));
        return static_cast<std::int64_t>(low + (static_cast<std::uint64_t>(middle) << 22) +
                                         (static_cast<std::uint64_t>(static_cast<std::int64_t>(high)) << 44));
    }
    /// Where 32 of these stay below 2^58: two parts do.
    [[nodiscard]] __device__ static std::int64_t small_sum(std::int64_t x) {
        constexpr std::uint32_t mask = 0x7ffffffu;
        std::uint32_t const low = __reduce_add_sync(whole_warp, static_cast<std::uint32_t>(x) & mask);
        int const high = __reduce_add_sync(whole_warp, static_cast<int>(x >> 27));
        return static_cast<std::int64_t>(low + (static_cast<std::uint64_t>(static_cast<std::int64_t>(high)) << 27));
    }
    /// Of numbers all of whose sums are exact.
    [[nodiscard]] __device__ static double exact_sum(double x) {
#pragma unroll
        for (int offset = 16; offset > 0; offset >>= 1) x = __dadd_rn(x, __shfl_xor_sync(whole_warp, x, offset));
        return x;
    }
    [[nodiscard]] __device__ static std::uint32_t max(std::uint32_t x) {
        return __reduce_max_sync(whole_warp, x);
    }
    [[nodiscard]] __device__ static bool any(bool x) {
        return __any_sync(whole_warp, x);
    }
    [[nodiscard]] __device__ static bool all(bool x) {
        return __all_sync(whole_warp, x);
    }
    /// The same value in all lanes of the group becomes known as such.
    [[nodiscard]] __device__ static int most(int x) {
        return x;
    }
};

/// A power of two of them.
class lane_group {
  public:
    static constexpr int most_lanes = 32;

    __device__ explicit lane_group(int lanes)
        : lanes_{lanes}, rank_{lane_number() & (lanes - 1)}, mask_{lanes == 32 ? whole_warp
                                                                               : ((1u << lanes) - 1) << first()} {}

    [[nodiscard]] __device__ int lanes() const { return lanes_; }
    [[nodiscard]] __device__ int shift() const { return __ffs(lanes_) - 1; }
    [[nodiscard]] __device__ int rank() const { return rank_; }
    [[nodiscard]] __device__ int first() const { return lane_number() - rank_; }

    /// Modulo 2^64: digits of values out of the folds' reach, which nobody will use, may outgrow a word.
    [[nodiscard]] __device__ std::int64_t sum(std::int64_t x) const {
        auto bits = static_cast<std::uint64_t>(x);
        for (int offset = lanes_ >> 1; offset > 0; offset >>= 1) bits += __shfl_xor_sync(whole_warp, bits, offset);
        return static_cast<std::int64_t>(bits);
    }
    [[nodiscard]] __device__ std::int64_t small_sum(std::int64_t x) const { return sum(x); }
    [[nodiscard]] __device__ std::uint32_t max(std::uint32_t x) const {
        for (int offset = lanes_ >> 1; offset > 0; offset >>= 1) x = ::max(x, __shfl_xor_sync(whole_warp, x, offset));
        return x;
    }
    [[nodiscard]] __device__ bool any(bool x) const { return (__ballot_sync(whole_warp, x) & mask_) != 0; }
    [[nodiscard]] __device__ bool all(bool x) const { return (__ballot_sync(whole_warp, x) & mask_) == mask_; }
    /// The largest of all groups.
    [[nodiscard]] __device__ static int most(int x) {
        return static_cast<int>(__reduce_max_sync(whole_warp, static_cast<unsigned>(x)));
    }

  private:
    int lanes_, rank_;
    unsigned mask_;
};

/// A power of two of them that is known when the code is compiled.
template <int Lanes>
struct fixed_lane_group {
    static constexpr int most_lanes = Lanes;
    [[nodiscard]] __device__ static constexpr int lanes() { return Lanes; }
    [[nodiscard]] __device__ static constexpr int shift() {
        return Lanes == 1 ? 0 : 1 + fixed_lane_group<Lanes / 2>::shift();
    }
    [[nodiscard]] __device__ static int rank() { return lane_number() % Lanes; }
    [[nodiscard]] __device__ static int first() { return lane_number() - rank(); }
    [[nodiscard]] __device__ static double exact_sum(double x) {
#pragma unroll
        for (int offset = Lanes / 2; offset > 0; offset /= 2) x = __dadd_rn(x, __shfl_xor_sync(whole_warp, x, offset));
        return x;
    }
    [[nodiscard]] __device__ static std::uint32_t max(std::uint32_t x) {
#pragma unroll
        for (int offset = Lanes / 2; offset > 0; offset /= 2) x = ::max(x, __shfl_xor_sync(whole_warp, x, offset));
        return x;
    }
    [[nodiscard]] __device__ static bool any(bool x) {
        constexpr unsigned mask = (1u << Lanes) - 1;
        return ((__ballot_sync(whole_warp, x) >> first()) & mask) != 0;
    }
};

/// One lane, whose outputs are its own.
struct single_lane {
    [[nodiscard]] __device__ static constexpr int lanes() { return 1; }
    [[nodiscard]] __device__ static constexpr int rank() { return 0; }
    [[nodiscard]] __device__ static std::int64_t sum(std::int64_t x) { return x; }
    [[nodiscard]] __device__ static std::int64_t small_sum(std::int64_t x) { return x; }
    [[nodiscard]] __device__ static std::uint32_t max(std::uint32_t x) { return x; }
    [[nodiscard]] __device__ static bool any(bool x) { return x; }
    [[nodiscard]] __device__ static bool all(bool x) { return x; }
};

/// The largest score of a group, and the smallest index among the lanes that have it.
template <class Group>
__device__ void find_best(Group const& group, std::int64_t& score, std::int64_t& index) {
    for (int offset = group.lanes() >> 1; offset > 0; offset >>= 1) {
        std::int64_t const other = __shfl_xor_sync(whole_warp, score, offset);
        std::int64_t const other_index = __shfl_xor_sync(whole_warp, index, offset);
        if (other > score || (other == score && other_index < index)) {
            score = other;
            index = other_index;
        }
    }
}

} // namespace steadfold::inline v0::segmented
