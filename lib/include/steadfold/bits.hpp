/// Small integer helpers that compile as plain C++ and, without extra nvcc flags, in kernels.
#pragma once

#include <cstdint>

#ifdef __CUDACC__
#define STEADFOLD_HOST_DEVICE __host__ __device__
#else
#define STEADFOLD_HOST_DEVICE
#endif

namespace steadfold {
inline namespace v0 {
namespace bits {

/// Low and high words of a 64x64-bit product.
struct product128 {
    std::uint64_t low, high;
};

/// Full unsigned product, without __int128 so that every compiler's device pass takes it.
[[nodiscard]] STEADFOLD_HOST_DEVICE constexpr product128 multiply(std::uint64_t a, std::uint64_t b) noexcept {
#if defined(__CUDA_ARCH__)
    return {a * b, __umul64hi(a, b)};
#else
    std::uint64_t const mask = 0xffffffffu;
    std::uint64_t const ll = (a & mask) * (b & mask), lh = (a & mask) * (b >> 32);
    std::uint64_t const hl = (a >> 32) * (b & mask), hh = (a >> 32) * (b >> 32);
    std::uint64_t const middle = (ll >> 32) + (lh & mask) + (hl & mask);
    return {(middle << 32) | (ll & mask), hh + (lh >> 32) + (hl >> 32) + (middle >> 32)};
#endif
}

/// Number of leading zero bits; 64 for 0.
[[nodiscard]] STEADFOLD_HOST_DEVICE constexpr int leading_zeros(std::uint64_t x) noexcept {
    if (x == 0) return 64;
#if defined(__CUDA_ARCH__)
    return __clzll(static_cast<long long>(x));
#else
    return __builtin_clzll(x);
#endif
}

} // namespace bits
} // namespace v0
} // namespace steadfold
