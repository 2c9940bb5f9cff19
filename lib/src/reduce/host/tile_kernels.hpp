// Vector kernels over one tile that sits in the first-level cache. The same source is compiled for several levels of
// x86-64; these units include nothing with inline functions and export one symbol each, so that the linker cannot pick
// a copy that needs a newer processor (EXACT.md, "Compilers"). They are called in the default floating-point
// environment (base::default_floating_environment) and leave exception flags raised in it.
#pragma once

#include <cstdint>

namespace steadfold::inline v0::host {

inline constexpr int tile_elements = 4096; // 2^12 fold values, each at least -2^51 and below 2^51, fit an int64
inline constexpr int tile_multiple = 64;   // kernels take a multiple of this many elements

/// Constants of a window's folds, as plain numbers.
struct fold_constants {
    double magic[3];
};

/// Sums of fold values by parity of the element (the two parts of complex data), rests and violations. A kernel sets
/// only the sums it is asked for.
struct fold_sums {
    std::int64_t value[3][2];
    std::int64_t magnitude[2][2];
    std::uint64_t rest;      // not 0: some element left a remainder
    std::uint64_t violation; // not 0: some element is outside the window; the sums are meaningless
};

struct fast_sums {
    double sum[2], magnitude[2], square[2];
};

/// Sums of the 32-bit digits of integers: value = sum of digit[i] * 2^(32 i), the highest one signed.
struct integer_sums {
    std::int64_t sum[2];
    std::int64_t magnitude[2];
    std::uint64_t product[4];
};

struct key_range {
    std::int64_t low, high;
};

struct tile_kernels {
    void (*fold_sum)(double const* x, int n, fold_constants const* window, fold_sums* out);
    void (*fold_magnitudes)(double const* x, int n, fold_constants const* window, fold_sums* out);
    void (*fold_sum_and_magnitudes)(double const* x, int n, fold_constants const* window, fold_sums* out);
    /// Products as p + e, by fused multiply-add or splitting; where e is lost below the subnormals is a violation.
    void (*fold_products)(double const* x, double const* y, int n, fold_constants const* window, fold_sums* out);
    /// Products that are exact in float64 (narrower inputs).
    void (*fold_exact_products)(double const* x, double const* y, int n, fold_constants const* window, fold_sums* out);
    void (*fast_sum)(double const* x, int n, fast_sums* out); ///< leaves the other sums as they are
    void (*fast)(double const* x, int n, fast_sums* out);
    double (*fast_dot)(double const* x, double const* y, int n);
    std::uint64_t (*max_magnitude)(double const* x, int n);
    void (*float_keys)(double const* x, int n, key_range* out);
    void (*integer_keys)(std::int64_t const* x, int n, std::uint64_t flip, key_range* out);
    std::int64_t (*count_zeros)(double const* x, int n);
    void (*integer_sum)(std::int64_t const* x, int n, bool is_signed, integer_sums* out);
    void (*integer_products)(std::int64_t const* x, std::int64_t const* y, int n, bool is_signed, integer_sums* out);
    void (*widen_float)(void const* x, int n, double* out);
    void (*widen_half)(void const* x, int n, double* out);
    void (*widen_bfloat16)(void const* x, int n, double* out);
    char const* name;
};

} // namespace steadfold::inline v0::host

extern "C" {
steadfold::v0::host::tile_kernels const* steadfold_tile_kernels_baseline();
steadfold::v0::host::tile_kernels const* steadfold_tile_kernels_v2();
steadfold::v0::host::tile_kernels const* steadfold_tile_kernels_v3();
steadfold::v0::host::tile_kernels const* steadfold_tile_kernels_v4();
}
