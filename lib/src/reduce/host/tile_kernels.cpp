// Compiled once per level: STEADFOLD_LEVEL names it, STEADFOLD_VECTOR_BYTES is its register width.
#include "reduce/host/tile_kernels.hpp"

#include <cfloat>

#if (defined(__AVX512F__) && STEADFOLD_VECTOR_BYTES == 64) || (defined(__FMA__) && STEADFOLD_VECTOR_BYTES == 32)
#include <immintrin.h>
#define STEADFOLD_FUSED 1
#else
#define STEADFOLD_FUSED 0
#endif

static_assert(FLT_EVAL_METHOD == 0, "folds need float64 arithmetic in float64");

#pragma GCC diagnostic ignored "-Wpsabi" // vector types never cross a function that is not inlined

#define STEADFOLD_JOIN2(a, b) a##b
#define STEADFOLD_JOIN(a, b) STEADFOLD_JOIN2(a, b)

namespace {

using namespace steadfold::v0::host;

constexpr int width = STEADFOLD_VECTOR_BYTES / 8;
typedef double vector __attribute__((vector_size(STEADFOLD_VECTOR_BYTES)));
typedef std::uint64_t words __attribute__((vector_size(STEADFOLD_VECTOR_BYTES)));
typedef std::int64_t integers __attribute__((vector_size(STEADFOLD_VECTOR_BYTES)));

constexpr std::uint64_t magnitude_mask = 0x7fffffffffffffffu;
constexpr std::uint64_t smallest_product = 55ull << 52;           // bits of 2^-968
constexpr std::uint64_t largest_split = (995ull + 1023ull) << 52; // bits of 2^995

inline vector load(double const* x) {
    vector v;
    __builtin_memcpy(&v, x, sizeof v);
    return v;
}

inline integers load(std::int64_t const* x) {
    integers v;
    __builtin_memcpy(&v, x, sizeof v);
    return v;
}

inline std::uint64_t bits_of(double x) {
    std::uint64_t bits;
    __builtin_memcpy(&bits, &x, sizeof bits);
    return bits;
}

inline vector broadcast(double x) {
    return x - vector{};
}

inline words any_of(words v) {
    std::uint64_t all = 0;
    for (int i = 0; i < width; ++i) all |= v[i];
    return all - words{};
}

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

// One fold: adds bits(x + m) to `digits` and leaves the rest in x. The caller takes n * bits(m) off again.
inline void fold(vector& x, vector m, words& digits) {
    vector const t = x + m;
    digits += (words)t;
    x -= t - m;
}

inline void fold_signed(vector& x, vector m, words sign, words& digits, words& negative) {
    vector const t = x + m;
    words const value = (words)t - (words)m;
    digits += value;
    negative += value & sign;
    x -= t - m;
}

// Lane sums by parity; `count` values were added to each parity, each with the bits of m.
inline void store_parities(words lanes, std::int64_t (&out)[2], int count, double m) {
    std::uint64_t sums[2] = {};
    for (int i = 0; i < width; ++i) sums[i & 1] += lanes[i];
    for (int c = 0; c < 2; ++c)
        out[c] = static_cast<std::int64_t>(sums[c] - static_cast<std::uint64_t>(count) * bits_of(m));
}

// A tile is read as four streams side by side: the processor's prefetchers follow each of them, where a single one
// leaves the core waiting at every page.
constexpr int streams = 4;

template <class Function>
inline __attribute__((always_inline)) void for_each_vector(int n, Function const& f) {
    int const run = n / streams;
    for (int i = 0; i < run; i += width)
        for (int s = 0; s < streams; ++s) f(i + s * run, s);
}

template <bool Magnitudes>
inline void fold_sum_of(double const* x, int n, fold_constants const* window, std::int64_t (&out0)[2],
                        std::int64_t (&out1)[2], fold_sums* out) {
    vector const m0 = broadcast(window->magic[0]), m1 = broadcast(window->magic[1]);
    words const limit = window->limit_bits - words{};
    words digits0 = {}, digits1 = {}, rest = {}, violation = {};
    for_each_vector(n, [&](int i, int) {
        vector v = load(x + i);
        if constexpr (Magnitudes) v = (vector)((words)v & magnitude_mask);
        violation |= limit - ((words)v & magnitude_mask);
        fold(v, m0, digits0);
        fold(v, m1, digits1);
        rest |= (words)v << 1;
    });
    store_parities(digits0, out0, n / 2, window->magic[0]);
    store_parities(digits1, out1, n / 2, window->magic[1]);
    out->rest = any_of(rest)[0];
    out->violation = any_of(violation)[0];
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
    words const limit = window->limit_bits - words{};
    words digits0 = {}, digits1 = {}, negative0 = {}, negative1 = {}, rest = {}, violation = {};
    for_each_vector(n, [&](int i, int) {
        vector v = load(x + i);
        words const sign = (words)((integers)v >> 63);
        violation |= limit - ((words)v & magnitude_mask);
        fold_signed(v, m0, sign, digits0, negative0);
        fold_signed(v, m1, sign, digits1, negative1);
        rest |= (words)v << 1;
    });
    store_parities(digits0, out->value[0], 0, 0);
    store_parities(digits1, out->value[1], 0, 0);
    store_parities(digits0 - 2 * negative0, out->magnitude[0], 0, 0);
    store_parities(digits1 - 2 * negative1, out->magnitude[1], 0, 0);
    out->rest = any_of(rest)[0];
    out->violation = any_of(violation)[0];
}

template <bool Exact>
inline void fold_products_of(double const* x, double const* y, int n, fold_constants const* window, fold_sums* out) {
    vector const m0 = broadcast(window->magic[0]), m1 = broadcast(window->magic[1]), m2 = broadcast(window->magic[2]);
    words const limit = window->limit_bits - words{}, smallest = smallest_product - words{};
    words digits0 = {}, digits1 = {}, digits2 = {}, rest = {}, violation = {};
    for_each_vector(n, [&](int i, int) {
        vector const a = load(x + i), b = load(y + i);
        vector p = a * b;
        words const size = (words)p & magnitude_mask;
        violation |= limit - size;
        if constexpr (!Exact) {
            // Tiny (or zero) with both factors non-zero: the error would be lost below the subnormals.
            words const nonzero_a = words{} - ((words)a & magnitude_mask),
                        nonzero_b = words{} - ((words)b & magnitude_mask);
            violation |= (size - smallest) & nonzero_a & nonzero_b;
            if constexpr (!STEADFOLD_FUSED)
                violation |=
                    (largest_split - ((words)a & magnitude_mask)) | (largest_split - ((words)b & magnitude_mask));
            vector e = product_error(a, b, p);
            fold(e, m1, digits1);
            fold(e, m2, digits2);
            rest |= (words)e << 1;
        }
        fold(p, m0, digits0);
        fold(p, m1, digits1);
        fold(p, m2, digits2);
        rest |= (words)p << 1;
    });
    int const added = Exact ? n / 2 : n;
    store_parities(digits0, out->value[0], n / 2, window->magic[0]);
    store_parities(digits1, out->value[1], added, window->magic[1]);
    store_parities(digits2, out->value[2], added, window->magic[2]);
    out->rest = any_of(rest)[0];
    out->violation = any_of(violation)[0];
}

void fold_products(double const* x, double const* y, int n, fold_constants const* window, fold_sums* out) {
    fold_products_of<false>(x, y, n, window, out);
}

void fold_exact_products(double const* x, double const* y, int n, fold_constants const* window, fold_sums* out) {
    fold_products_of<true>(x, y, n, window, out);
}

inline void add_parities(vector lanes, double (&out)[2]) {
    out[0] = out[1] = 0;
    for (int i = 0; i < width; ++i) out[i & 1] += lanes[i];
}

void fast(double const* x, int n, fast_sums* out) {
    vector sum[streams] = {}, magnitude[streams] = {}, square[streams] = {};
    for_each_vector(n, [&](int i, int s) {
        vector const v = load(x + i);
        sum[s] += v;
        magnitude[s] += (vector)((words)v & magnitude_mask);
        square[s] += v * v;
    });
    add_parities((sum[0] + sum[1]) + (sum[2] + sum[3]), out->sum);
    add_parities((magnitude[0] + magnitude[1]) + (magnitude[2] + magnitude[3]), out->magnitude);
    add_parities((square[0] + square[1]) + (square[2] + square[3]), out->square);
}

double fast_dot(double const* x, double const* y, int n) {
    vector sum[streams] = {};
    for_each_vector(n, [&](int i, int s) { sum[s] += load(x + i) * load(y + i); });
    double parts[2];
    add_parities((sum[0] + sum[1]) + (sum[2] + sum[3]), parts);
    return parts[0] + parts[1];
}

std::uint64_t max_magnitude(double const* x, int n) {
    integers largest = {};
    for (int i = 0; i < n; i += width) {
        integers const size = (integers)((words)load(x + i) & magnitude_mask);
        largest = size > largest ? size : largest;
    }
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
    for_each_vector(n, [&](int i, int) {
        integers const bits = (integers)load(x + i);
        integers const key = bits ^ (integers)((words)(bits >> 63) >> 1);
        low = key < low ? key : low;
        high = key > high ? key : high;
    });
    store_range(low, high, out);
}

void integer_keys(std::int64_t const* x, int n, std::uint64_t flip, key_range* out) {
    integers low = (std::int64_t)magnitude_mask - integers{}, high = ~low;
    for (int i = 0; i < n; i += width) {
        integers const key = load(x + i) ^ (std::int64_t)flip;
        low = key < low ? key : low;
        high = key > high ? key : high;
    }
    store_range(low, high, out);
}

std::int64_t count_zeros(double const* x, int n) {
    integers zeros = {};
    for (int i = 0; i < n; i += width) zeros -= (integers)(((words)load(x + i) << 1) == 0);
    std::int64_t total = 0;
    for (int i = 0; i < width; ++i) total += zeros[i];
    return total;
}

void integer_sum(std::int64_t const* x, int n, bool is_signed, integer_sums* out) {
    integers low = {}, high = {}, negative_low = {}, negative_high = {};
    integers const sign_mask = is_signed ? ~integers{} : integers{};
    for (int i = 0; i < n; i += width) {
        integers const v = load(x + i);
        integers const negative = (v >> 63) & sign_mask;
        integers const digit0 = v & 0xffffffff;
        integers const digit1 = (integers)((words)v >> 32) | (negative << 32);
        low += digit0;
        high += digit1;
        negative_low += digit0 & negative;
        negative_high += digit1 & negative;
    }
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

void widen_float(void const* x, int n, double* out) {
    auto const* bytes = static_cast<char const*>(x);
    for (int i = 0; i < n; ++i) {
        float value;
        __builtin_memcpy(&value, bytes + 4 * static_cast<std::int64_t>(i), 4);
        out[i] = value;
    }
}

void widen_half(void const* x, int n, double* out) {
    auto const* bytes = static_cast<char const*>(x);
    for (int i = 0; i < n; ++i) {
        std::uint16_t half;
        __builtin_memcpy(&half, bytes + 2 * static_cast<std::int64_t>(i), 2);
        std::uint64_t const size = half & 0x7fffu, sign = static_cast<std::uint64_t>(half & 0x8000u) << 48;
        std::uint64_t const special = 0x7ff0000000000000u | (size << 42);
        std::uint64_t const normal = (size << 42) + (std::uint64_t{1008} << 52);
        std::uint64_t const subnormal = bits_of(static_cast<double>(static_cast<std::int32_t>(size)) * 0x1p-24);
        std::uint64_t const bits = sign | (size >= 0x7c00u ? special : size < 0x400u ? subnormal : normal);
        __builtin_memcpy(out + i, &bits, 8);
    }
}

void widen_bfloat16(void const* x, int n, double* out) {
    auto const* bytes = static_cast<char const*>(x);
    for (int i = 0; i < n; ++i) {
        std::uint16_t brain;
        __builtin_memcpy(&brain, bytes + 2 * static_cast<std::int64_t>(i), 2);
        std::uint32_t const word = static_cast<std::uint32_t>(brain) << 16;
        float value;
        __builtin_memcpy(&value, &word, 4);
        out[i] = value;
    }
}

constexpr tile_kernels kernels = {fold_sum,         fold_magnitudes,     fold_sum_and_magnitudes,
                                  fold_products,    fold_exact_products, fast,
                                  fast_dot,         max_magnitude,       float_keys,
                                  integer_keys,     count_zeros,         integer_sum,
                                  integer_products, widen_float,         widen_half,
                                  widen_bfloat16,   STEADFOLD_LEVEL_NAME};

} // namespace

extern "C" tile_kernels const* STEADFOLD_JOIN(steadfold_tile_kernels_, STEADFOLD_LEVEL)() {
    return &kernels;
}
