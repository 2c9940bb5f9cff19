// The fold kernels: sums, magnitudes and products of a tile. Part of tile_kernels.cpp.
#pragma once

#include "reduce/host/tile_vectors.hpp"

namespace {

// The rounding error of a*b, exactly.
inline vector product_error(vector a, vector b, vector p) {
#if STEADFOLD_FUSED && STEADFOLD_VECTOR_BYTES == 64
    return (vector)_mm512_fmsub_pd((__m512d)a, (__m512d)b, (__m512d)p);
#elif STEADFOLD_FUSED
    return (vector)_mm256_fmsub_pd((__m256d)a, (__m256d)b, (__m256d)p);
#else
    // Veltkamp's splitting and Dekker's product (Numer. Math. 18, 1971); factors above 2^995, whose splitting could
    // overflow, are violations.
    vector const split = broadcast(134217729.0);
    vector const ca = split * a, cb = split * b;
    vector const ah = ca - (ca - a), al = a - ah, bh = cb - (cb - b), bl = b - bh;
    return ((ah * bh - p) + ah * bl + al * bh) + al * bl;
#endif
}

// The processor's sticky flags tell for nothing what would cost vector operations on every element. AVX-512 can
// suppress them for a single operation; with AVX2 only the underflow flag, which folds never set, is of use.
constexpr unsigned inexact_flag = 0x20, underflow_flag = 0x10;
constexpr bool inexact_is_known = STEADFOLD_FUSED && STEADFOLD_VECTOR_BYTES == 64;

inline void clear_flags() {
#if STEADFOLD_FUSED
    unsigned const clear = 0x1f80; // all exceptions masked, round to nearest: the environment host_pass runs in
    asm volatile("vldmxcsr %0" : : "m"(clear) : "memory");
#endif
}

// The flags raised by what `last` was computed from. The operands keep the compiler from moving it before that.
inline unsigned raised_flags([[maybe_unused]] words last, [[maybe_unused]] words last_but_one) {
#if STEADFOLD_FUSED
    unsigned flags;
    asm volatile("vstmxcsr %0" : "=m"(flags) : "v"(last), "v"(last_but_one) : "memory");
    return flags;
#else
    return 0;
#endif
}

inline vector add_quietly(vector x, vector y) {
#if STEADFOLD_FUSED && STEADFOLD_VECTOR_BYTES == 64
    return (vector)_mm512_maskz_add_round_pd(0xff, (__m512d)x, (__m512d)y,
                                             _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
#else
    return x + y;
#endif
}

inline vector multiply_quietly(vector x, vector y) {
#if STEADFOLD_FUSED && STEADFOLD_VECTOR_BYTES == 64
    return (vector)_mm512_maskz_mul_round_pd(0xff, (__m512d)x, (__m512d)y,
                                             _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
#else
    return x * y;
#endif
}

// One fold: adds bits(x + m) to `digits` and leaves the rest in x. The caller takes n * bits(m) off again.
inline void fold(vector& x, vector m, words& digits) {
    vector const t = add_quietly(x, m);
    digits += (words)t;
    x -= t - m;
}

// The first fold, which sees whether x is inside the window: if so, the sum has the sign and the exponent of m.
inline words first_fold(vector& x, vector m, words& digits, words& violation) {
    vector const t = add_quietly(x, m);
    violation |= (words)t ^ (words)m;
    digits += (words)t;
    x -= t - m;
    return (words)t;
}

// The last fold, of which only matters whether it leaves a rest: the sum is exact if it leaves none.
inline words last_fold(vector x, vector m, words& digits, words& rest) {
    vector const t = x + m;
    digits += (words)t;
    if constexpr (!inexact_is_known) rest |= (words)(t - m) ^ (words)x;
    return (words)t;
}

inline void store_checks(words rest, words violation, unsigned flags, fold_constants const* window, fold_sums* out) {
    out->rest = inexact_is_known ? flags & inexact_flag : any_of(rest)[0] << 1; // the fold of -0 is +0
    out->violation = any_of(violation)[0] >> 52;
    if (window->magic[0] == 0) out->violation = 1; // not yet set: subnormals would pass
}

// Lane sums by parity; `count` values were added to each parity, each with the bits of m.
inline void store_parities(words lanes, std::int64_t (&out)[2], int count, double m) {
    std::uint64_t sums[2] = {};
    for (int i = 0; i < width; ++i) sums[i & 1] += lanes[i];
    for (int c = 0; c < 2; ++c)
        out[c] = static_cast<std::int64_t>(sums[c] - static_cast<std::uint64_t>(count) * bits_of(m));
}

template <bool Magnitudes>
inline void fold_sum_of(double const* x, int n, fold_constants const* window, std::int64_t (&out0)[2],
                        std::int64_t (&out1)[2], fold_sums* out) {
    vector const m0 = broadcast(window->magic[0]), m1 = broadcast(window->magic[1]);
    words digits0 = {}, digits1 = {}, rest = {}, violation = {};
    clear_flags();
    for_each_vector(
        n,
        [&](int i, int) {
            vector v = load(x + i);
            if constexpr (Magnitudes) v = (vector)((words)v & magnitude_mask);
            first_fold(v, m0, digits0, violation);
            last_fold(v, m1, digits1, rest);
        },
        x);
    store_checks(rest, violation, raised_flags(digits0, digits1), window, out);
    store_parities(digits0, out0, n / 2, window->magic[0]);
    store_parities(digits1, out1, n / 2, window->magic[1]);
}

void fold_sum(double const* x, int n, fold_constants const* window, fold_sums* out) {
    fold_sum_of<false>(x, n, window, out->value[0], out->value[1], out);
}

void fold_magnitudes(double const* x, int n, fold_constants const* window, fold_sums* out) {
    fold_sum_of<true>(x, n, window, out->magnitude[0], out->magnitude[1], out);
}

// Ties of a fold are symmetric, so the magnitudes' fold values are those of the elements with the sign taken off:
// sum |v| = sum v - 2 (sum of the negative v).
void fold_sum_and_magnitudes(double const* x, int n, fold_constants const* window, fold_sums* out) {
    vector const m0 = broadcast(window->magic[0]), m1 = broadcast(window->magic[1]);
    words digits0 = {}, digits1 = {}, negative0 = {}, negative1 = {}, rest = {}, violation = {};
    clear_flags();
    for_each_vector(
        n,
        [&](int i, int) {
            vector v = load(x + i);
            words const sign = (words)((integers)v >> 63);
            negative0 += (first_fold(v, m0, digits0, violation) - (words)m0) & sign;
            negative1 += (last_fold(v, m1, digits1, rest) - (words)m1) & sign;
        },
        x);
    store_checks(rest, violation, raised_flags(digits0, digits1), window, out);
    store_parities(digits0, out->value[0], n / 2, window->magic[0]);
    store_parities(digits1, out->value[1], n / 2, window->magic[1]);
    std::int64_t negative[2][2];
    store_parities(negative0, negative[0], 0, 0);
    store_parities(negative1, negative[1], 0, 0);
    for (int i = 0; i < 2; ++i)
        for (int c = 0; c < 2; ++c) // unsigned: sums of a tile outside of the window are meaningless, but not undefined
            out->magnitude[i][c] = static_cast<std::int64_t>(static_cast<std::uint64_t>(out->value[i][c]) -
                                                             2 * static_cast<std::uint64_t>(negative[i][c]));
}

#if !STEADFOLD_FUSED
constexpr std::uint64_t smallest_product = 55ull << 52;           // bits of 2^-968
constexpr std::uint64_t largest_split = (995ull + 1023ull) << 52; // bits of 2^995

// Sign bits of products whose error would be lost: below 2^-968 with both factors not zero, where it is below the
// subnormals, or of factors too large to be split. A fused multiply-add raises the underflow flag instead.
inline words lost_errors(vector a, vector b, vector p) {
    words const size_a = (words)a & magnitude_mask, size_b = (words)b & magnitude_mask;
    words const tiny = ((words)p & magnitude_mask) - smallest_product;
    return (tiny & (words{} - size_a) & (words{} - size_b)) | (largest_split - size_a) | (largest_split - size_b);
}
#endif

template <bool Exact>
inline void fold_products_of(double const* x, double const* y, int n, fold_constants const* window, fold_sums* out) {
    vector const m0 = broadcast(window->magic[0]), m1 = broadcast(window->magic[1]), m2 = broadcast(window->magic[2]);
    words digits0 = {}, digits1 = {}, digits2 = {}, rest = {}, violation = {};
    [[maybe_unused]] words lost = {};
    clear_flags();
    for_each_vector(
        n,
        [&](int i, int) {
            vector const a = load(x + i), b = load(y + i);
            vector p = multiply_quietly(a, b);
            if constexpr (!Exact) {
#if !STEADFOLD_FUSED
                lost |= lost_errors(a, b, p);
#endif
                vector e = product_error(a, b, p);
                fold(e, m1, digits1);
                last_fold(e, m2, digits2, rest);
            }
            first_fold(p, m0, digits0, violation);
            fold(p, m1, digits1);
            last_fold(p, m2, digits2, rest);
        },
        x, y);
    unsigned const flags = raised_flags(digits1, digits2);
    store_checks(rest, violation, flags, window, out);
    if constexpr (!Exact) out->violation |= STEADFOLD_FUSED ? flags & underflow_flag : any_of(lost)[0] >> 63;
    int const added = Exact ? n / 2 : n;
    store_parities(digits0, out->value[0], n / 2, window->magic[0]);
    store_parities(digits1, out->value[1], added, window->magic[1]);
    store_parities(digits2, out->value[2], added, window->magic[2]);
}

void fold_products(double const* x, double const* y, int n, fold_constants const* window, fold_sums* out) {
    fold_products_of<false>(x, y, n, window, out);
}

void fold_exact_products(double const* x, double const* y, int n, fold_constants const* window, fold_sums* out) {
    fold_products_of<true>(x, y, n, window, out);
}

} // namespace
