// Compiled once per level: STEADFOLD_LEVEL names it, STEADFOLD_VECTOR_BYTES is its register width.
#include "reduce/host/tile_kernels.hpp"

#include "reduce/host/tile_folds.hpp"
#include "reduce/host/tile_widening.hpp"

#define STEADFOLD_JOIN2(a, b) a##b
#define STEADFOLD_JOIN(a, b) STEADFOLD_JOIN2(a, b)

namespace {

inline void add_parities(vector lanes, double (&out)[2]) {
    out[0] = out[1] = 0;
    for (int i = 0; i < width; ++i) out[i & 1] += lanes[i];
}

// Sums of the vectors of a stream and of the one four further are kept together: enough adds are under way.
constexpr int fast_lanes = 4;

inline vector total(vector const (&lanes)[fast_lanes]) {
    return (lanes[0] + lanes[1]) + (lanes[2] + lanes[3]);
}

void fast_sum(double const* x, int n, fast_sums* out) {
    vector sum[fast_lanes] = {};
    for_each_vector(
        n, [&](int i, int s) { sum[s % fast_lanes] += load(x + i); }, x);
    add_parities(total(sum), out->sum);
}

void fast(double const* x, int n, fast_sums* out) {
    vector sum[fast_lanes] = {}, magnitude[fast_lanes] = {}, square[fast_lanes] = {};
    for_each_vector(
        n,
        [&](int i, int s) {
            vector const v = load(x + i);
            sum[s % fast_lanes] += v;
            magnitude[s % fast_lanes] += (vector)((words)v & magnitude_mask);
            square[s % fast_lanes] += v * v;
        },
        x);
    add_parities(total(sum), out->sum);
    add_parities(total(magnitude), out->magnitude);
    add_parities(total(square), out->square);
}

double fast_dot(double const* x, double const* y, int n) {
    vector sum[fast_lanes] = {};
    for_each_vector(
        n, [&](int i, int s) { sum[s % fast_lanes] += load(x + i) * load(y + i); }, x, y);
    double parts[2];
    add_parities(total(sum), parts);
    return parts[0] + parts[1];
}

std::uint64_t max_magnitude(double const* x, int n) {
    integers largest = {};
    for_each_vector(
        n,
        [&](int i, int) {
            integers const size = (integers)((words)load(x + i) & magnitude_mask);
            largest = size > largest ? size : largest;
        },
        x);
    std::int64_t result = 0;
    for (int i = 0; i < width; ++i) result = largest[i] > result ? largest[i] : result;
    return static_cast<std::uint64_t>(result);
}

inline void store_range(integers low, integers high, key_range* out) {
    out->low = low[0];
    out->high = high[0];
    for (int i = 1; i < width; ++i) {
        if (low[i] < out->low) out->low = low[i];
        if (high[i] > out->high) out->high = high[i];
    }
}

void float_keys(double const* x, int n, key_range* out) {
    integers low = (std::int64_t)magnitude_mask - integers{}, high = ~low;
    for_each_vector(
        n,
        [&](int i, int) {
            integers const bits = (integers)load(x + i);
            integers const key = bits ^ (integers)((words)(bits >> 63) >> 1);
            low = key < low ? key : low;
            high = key > high ? key : high;
        },
        x);
    store_range(low, high, out);
}

void integer_keys(std::int64_t const* x, int n, std::uint64_t flip, key_range* out) {
    integers low = (std::int64_t)magnitude_mask - integers{}, high = ~low;
    for_each_vector(
        n,
        [&](int i, int) {
            integers const key = load(x + i) ^ (std::int64_t)flip;
            low = key < low ? key : low;
            high = key > high ? key : high;
        },
        x);
    store_range(low, high, out);
}

std::int64_t count_zeros(double const* x, int n) {
    integers zeros = {};
    for_each_vector(
        n, [&](int i, int) { zeros -= (integers)(((words)load(x + i) << 1) == 0); }, x);
    std::int64_t total = 0;
    for (int i = 0; i < width; ++i) total += zeros[i];
    return total;
}

void integer_sum(std::int64_t const* x, int n, bool is_signed, integer_sums* out) {
    integers low = {}, high = {}, negative_low = {}, negative_high = {};
    integers const sign_mask = is_signed ? ~integers{} : integers{};
    for_each_vector(
        n,
        [&](int i, int) {
            integers const v = load(x + i);
            integers const negative = (v >> 63) & sign_mask;
            integers const digit0 = v & 0xffffffff;
            integers const digit1 = (integers)((words)v >> 32) | (negative << 32);
            low += digit0;
            high += digit1;
            negative_low += digit0 & negative;
            negative_high += digit1 & negative;
        },
        x);
    *out = {};
    for (int i = 0; i < width; ++i) {
        out->sum[0] += low[i];
        out->sum[1] += high[i];
        out->magnitude[0] += low[i] - 2 * negative_low[i];
        out->magnitude[1] += high[i] - 2 * negative_high[i];
    }
}

void integer_products(std::int64_t const* x, std::int64_t const* y, int n, bool is_signed, integer_sums* out) {
    *out = {};
    std::uint64_t digit0 = 0, digit1 = 0, digit2 = 0, digit3 = 0;
    for (int i = 0; i < n; ++i) {
        unsigned __int128 const product = is_signed ? static_cast<unsigned __int128>(static_cast<__int128>(x[i]) * y[i])
                                                    : static_cast<unsigned __int128>(static_cast<std::uint64_t>(x[i])) *
                                                          static_cast<std::uint64_t>(y[i]);
        auto const low = static_cast<std::uint64_t>(product), high = static_cast<std::uint64_t>(product >> 64);
        digit0 += low & 0xffffffffu;
        digit1 += low >> 32;
        digit2 += high & 0xffffffffu;
        digit3 += is_signed ? static_cast<std::uint64_t>(static_cast<std::int64_t>(high) >> 32) : high >> 32;
    }
    out->product[0] = digit0;
    out->product[1] = digit1;
    out->product[2] = digit2;
    out->product[3] = digit3;
}

constexpr tile_kernels kernels = {.fold_sum = fold_sum,
                                  .fold_magnitudes = fold_magnitudes,
                                  .fold_sum_and_magnitudes = fold_sum_and_magnitudes,
                                  .fold_products = fold_products,
                                  .fold_exact_products = fold_exact_products,
                                  .fast_sum = fast_sum,
                                  .fast = fast,
                                  .fast_dot = fast_dot,
                                  .max_magnitude = max_magnitude,
                                  .float_keys = float_keys,
                                  .integer_keys = integer_keys,
                                  .count_zeros = count_zeros,
                                  .integer_sum = integer_sum,
                                  .integer_products = integer_products,
                                  .widen_float = widen_float,
                                  .widen_half = widen_half,
                                  .widen_bfloat16 = widen_bfloat16,
                                  .name = STEADFOLD_LEVEL_NAME};

} // namespace

extern "C" tile_kernels const* STEADFOLD_JOIN(steadfold_tile_kernels_, STEADFOLD_LEVEL)() {
    return &kernels;
}
