// Exact numbers of up to 28 digits, a digit a lane: what the quick way to a result needs of a sum of limbs, and of the
// numerator of a variance. Longer ones, which only data of an enormous range has, take the long way.
#pragma once

#include "reduce/cuda/limb_span.cuh"

namespace steadfold::inline v0::cuda {

/// (negative ? -1 : 1) * (top + something in [0, 1) that is not 0 iff sticky) * 2^exponent; the highest bit of top is
/// set, or the value is 0.
struct leading_word {
    std::uint64_t top = 0;
    int exponent = 0;
    bool negative = false, sticky = false;
};

/// In shared memory: the magnitude in words from the lowest up, and the top of it.
struct warp_number {
    static constexpr int most_digits = 28; // leaves lanes for a sign, the upper half of a top limb, and zeros
    std::uint32_t word[32];
    leading_word leading;
    int words, exponent; // of the lowest word, a multiple of 32
    bool known;          // false: too long
};

/// Of a signed digit a lane, below 2^62; those above lane `top` are 0, and `top` takes the sign. Returns the lane's
/// digit in [0, 2^32), but for the top. One warp; not inlined, since code that is not there yet costs more than a call.
__device__ __noinline__ inline std::int64_t note_number(warp_number& to, std::int64_t digit, int top, int exponent) {
    constexpr unsigned all = 0xffffffffu;
    int const lane = static_cast<int>(threadIdx.x % 32);
#pragma unroll 1
    while (true) {
        std::int64_t const carry = lane < top ? digit >> 32 : 0;
        if (!__any_sync(all, carry != 0)) break;
        std::int64_t const below = __shfl_sync(all, carry, lane - 1); // lane 31 has none for lane 0
        digit = (lane < top ? digit & 0xffffffff : digit) + below;
    }
    std::int64_t const highest = __shfl_sync(all, digit, top);
    std::uint32_t word = lane > top + 1 ? 0 : static_cast<std::uint32_t>(lane <= top ? digit : highest >> 32);
    bool const negative = highest < 0;
    if (negative && lane <= top + 1) word = ~word;
    if (negative) { // + 1, whose carry ends at the lowest digit that was not 0
        int const lowest = __ffs(static_cast<int>(__ballot_sync(all, word != 0xffffffffu && lane <= top + 1))) - 1;
        word = lane < lowest ? 0 : lane == lowest ? word + 1 : word;
    }
    unsigned const used = __ballot_sync(all, word != 0);
    int const last = used == 0 ? 0 : 31 - __clz(static_cast<int>(used));
    std::uint32_t const high = __shfl_sync(all, word, last), middle = __shfl_sync(all, word, last - 1),
                        low =
                            __shfl_sync(all, word, last - 2); // of the lanes above `top` + 1 where there are none below
    to.word[lane] = word;
    if (lane == 0) {
        int const shift = bits::leading_zeros(high) - 32;
        std::uint64_t const upper = (static_cast<std::uint64_t>(high) << 32) | middle;
        std::uint64_t const lower = static_cast<std::uint64_t>(low) << (shift & 31);
        unsigned const below = last > 2 ? used & ((1u << (last - 2)) - 1) : 0;
        to.leading.top = used == 0 ? 0 : (upper << shift) | (lower >> 32);
        to.leading.exponent = exponent + 32 * (last - 1) - shift;
        to.leading.negative = negative;
        to.leading.sticky = static_cast<std::uint32_t>(lower) != 0 || below != 0;
        to.words = used == 0 ? 0 : last + 1;
        to.exponent = exponent;
        to.known = true;
    }
    __syncwarp();
    return digit;
}

/// Normalises limbs in place where they are not zero, and notes their sum. One warp.
__device__ inline exact::digit_span settled_span(std::uint64_t* limbs, int count, int anchor, warp_number& number) {
    limb_range const range = non_zero_limbs(limbs, count);
    int const lane = static_cast<int>(threadIdx.x % 32), digits = range.last - range.first + 1;
    if (digits > warp_number::most_digits) {
        if (lane == 0) number.known = false;
        return normalised_span(limbs, count, anchor);
    }
    limbs += range.first;
    int const top = ::min(digits, count - 1 - range.first), exponent = anchor + 32 * range.first;
    std::int64_t const digit = lane < digits ? static_cast<std::int64_t>(limbs[lane]) : 0;
    std::int64_t const settled = note_number(number, digit, top, exponent);
    if (lane <= top) limbs[lane] = static_cast<std::uint64_t>(settled);
    __syncwarp();
    return {limbs, digits == 0 ? 0 : top + 1, exponent};
}

/// n * squares - sum^2, a column of the product a lane; false in `number.known` if it is too long. One warp.
__device__ inline void note_spread(warp_number& number, warp_number const& sum, warp_number const& squares,
                                   std::uint64_t n) {
    int const lane = static_cast<int>(threadIdx.x % 32);
    int const of_squares = squares.exponent / 32, of_sum = sum.words == 0 ? of_squares : sum.exponent / 16;
    int const first = ::min(of_squares, of_sum);
    int const top = ::max(of_squares + squares.words + 2, of_sum + 2 * sum.words) - first;
    if (!sum.known || !squares.known || top > warp_number::most_digits) {
        if (lane == 0) number.known = false;
        __syncwarp();
        return;
    }
    auto const word = [](warp_number const& x, int i) -> std::uint64_t { return i >= 0 && i < 32 ? x.word[i] : 0; };
    std::int64_t own = 0, next = 0; // below 2^38 in magnitude
    auto const add = [&](std::uint64_t product, std::int64_t sign) {
        own += sign * static_cast<std::int64_t>(product & 0xffffffffu);
        next += sign * static_cast<std::int64_t>(product >> 32);
    };
    int const i = first + lane - of_squares, k = first + lane - of_sum;
    add((n & 0xffffffffu) * word(squares, i), 1);
    add((n >> 32) * word(squares, i - 1), 1);
#pragma unroll 1
    for (int j = 0; j < sum.words; ++j) add(word(sum, j) * word(sum, k - j), -1);
    std::int64_t const below = __shfl_sync(0xffffffffu, next, lane - 1);
    note_number(number, own + (lane == 0 ? 0 : below), top, 32 * first);
}

} // namespace steadfold::inline v0::cuda
