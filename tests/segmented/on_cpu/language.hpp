// What kernels say beyond C++, for g++ and warp.hpp. Comes before everything else in a source file: the standard
// headers use some of these names in their own way.
#pragma once

#include "segmented/on_cpu/warp.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <limits>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#define __host__
#define __device__
#define __global__
#define __shared__
#define __noinline__ __attribute__((noinline))
#define __launch_bounds__(...)
#define __grid_constant__

#define threadIdx ::on_cpu::this_thread
#define blockIdx ::on_cpu::this_block

using place = std::source_location;

template <class T>
T min(T a, T b) {
    return b < a ? b : a;
}
template <class T>
T max(T a, T b) {
    return a < b ? b : a;
}

struct alignas(8) uint2 {
    unsigned x, y;
};

template <class T>
T __ldg(T const* p) {
    return *p;
}
template <class T>
T __ldcg(T const* p) {
    return *p;
}
template <class T>
void __stcg(T* p, T value) {
    *p = value;
}

inline int __ffs(int x) {
    return __builtin_ffs(x);
}
inline int __clz(int x) {
    return std::countl_zero(static_cast<unsigned>(x));
}

inline double __longlong_as_double(long long x) {
    return std::bit_cast<double>(x);
}
inline long long __double_as_longlong(double x) {
    return std::bit_cast<long long>(x);
}
inline unsigned __float_as_uint(float x) {
    return std::bit_cast<unsigned>(x);
}
inline float __uint_as_float(unsigned x) {
    return std::bit_cast<float>(x);
}
inline int __double2hiint(double x) {
    return static_cast<int>(std::bit_cast<std::uint64_t>(x) >> 32);
}
inline int __double2loint(double x) {
    return static_cast<int>(std::bit_cast<std::uint64_t>(x));
}
inline double __hiloint2double(int high, int low) {
    return std::bit_cast<double>(static_cast<std::uint64_t>(static_cast<unsigned>(high)) << 32 |
                                 static_cast<unsigned>(low));
}
inline double __dadd_rn(double a, double b) {
    return a + b;
}
inline double __dsub_rn(double a, double b) {
    return a - b;
}
inline double __dmul_rn(double a, double b) {
    return a * b;
}
inline double __fma_rn(double a, double b, double c) {
    return std::fma(a, b, c);
}

namespace on_cpu {

inline void require_whole_warp(unsigned mask) {
    if (mask != 0xffffffffu) throw std::runtime_error("a mask that is not the whole warp");
}

/// The values of all lanes.
template <class T>
std::array<T, 32> all_of(unsigned mask, T mine, place const& where) {
    static_assert(sizeof(T) <= 8);
    require_whole_warp(mask);
    std::uint64_t word = 0;
    std::memcpy(&word, &mine, sizeof(T));
    std::array<std::uint64_t, 32> const& words = warp::current().exchange(word, where);
    std::array<T, 32> values;
    for (std::size_t i = 0; i < 32; ++i) std::memcpy(&values[i], &words[i], sizeof(T));
    return values;
}

inline unsigned lane() {
    return this_thread.x % 32;
}

} // namespace on_cpu

template <class T>
T __shfl_sync(unsigned mask, T mine, int from, place where = place::current()) {
    return on_cpu::all_of(mask, mine, where)[static_cast<unsigned>(from) % 32];
}
template <class T>
T __shfl_xor_sync(unsigned mask, T mine, int bits, place where = place::current()) {
    return on_cpu::all_of(mask, mine, where)[(on_cpu::lane() ^ static_cast<unsigned>(bits)) % 32];
}
template <class T>
T __shfl_down_sync(unsigned mask, T mine, int by, place where = place::current()) {
    unsigned const from = on_cpu::lane() + static_cast<unsigned>(by);
    return on_cpu::all_of(mask, mine, where)[from < 32 ? from : on_cpu::lane()];
}
inline unsigned __ballot_sync(unsigned mask, bool mine, place where = place::current()) {
    auto const all = on_cpu::all_of(mask, mine, where);
    unsigned bits = 0;
    for (unsigned i = 0; i < 32; ++i) bits |= all[i] ? 1u << i : 0u;
    return bits;
}
inline bool __any_sync(unsigned mask, bool mine, place where = place::current()) {
    return __ballot_sync(mask, mine, where) != 0;
}
inline bool __all_sync(unsigned mask, bool mine, place where = place::current()) {
    return __ballot_sync(mask, mine, where) == 0xffffffffu;
}
template <class T>
T __reduce_add_sync(unsigned mask, T mine, place where = place::current()) {
    unsigned sum = 0;
    for (T const x : on_cpu::all_of(mask, mine, where)) sum += static_cast<unsigned>(x);
    return static_cast<T>(sum);
}
inline unsigned __reduce_max_sync(unsigned mask, unsigned mine, place where = place::current()) {
    auto const all = on_cpu::all_of(mask, mine, where);
    return *std::max_element(all.begin(), all.end());
}
inline void __syncwarp(place where = place::current()) {
    static_cast<void>(on_cpu::all_of(0xffffffffu, 0, where));
}
inline void __threadfence() {}

// Fibers change only where they wait for each other: everything between is atomic.
inline std::uint32_t atomicAdd_block(std::uint32_t* p, std::uint32_t delta) {
    return std::exchange(*p, *p + delta);
}
inline unsigned atomicOr_block(unsigned* p, unsigned bits) {
    return std::exchange(*p, *p | bits);
}
