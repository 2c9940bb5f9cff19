// What kernels say beyond C++, for g++ and fibers.hpp. The compiler's command line puts it before everything else: the
// standard headers use some of these names in their own way.
#pragma once

#include "on_cpu/fibers.hpp"

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
#ifndef __shared__ // static, where functions have shared variables: blocks run one after the other
#define __shared__
#endif
#define __noinline__ __attribute__((noinline))
#define __launch_bounds__(...)
#define __grid_constant__

#define threadIdx ::on_cpu::this_thread
#define blockIdx ::on_cpu::this_block
#define blockDim ::on_cpu::block_size
#define gridDim ::on_cpu::grid_size

// Beside the kernels of the library, not in place of them.
#define cuda cuda_on_cpu

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
struct alignas(16) uint4 {
    unsigned x, y, z, w;
};

template <class T>
T __ldg(T const* p) {
    return *p;
}
template <class T>
T __ldcs(T const* p) {
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
inline long long __mul64hi(long long a, long long b) {
    return static_cast<long long>(static_cast<__int128>(a) * b >> 64);
}
inline unsigned long long __umul64hi(unsigned long long a, unsigned long long b) {
    return static_cast<unsigned long long>(static_cast<unsigned __int128>(a) * b >> 64);
}
inline int __popc(unsigned x) {
    return std::popcount(x);
}
inline unsigned __funnelshift_r(unsigned low, unsigned high, int shift) {
    return static_cast<unsigned>((static_cast<std::uint64_t>(high) << 32 | low) >> (shift & 31));
}

/// f of the lower and of the upper halves of two words.
template <class Half, class Function>
unsigned by_halves(unsigned a, unsigned b, Function const& f) {
    auto const half = [&](int shift) {
        return static_cast<std::uint16_t>(f(static_cast<Half>(a >> shift), static_cast<Half>(b >> shift)));
    };
    return static_cast<unsigned>(half(16)) << 16 | half(0);
}
inline unsigned __vmaxu2(unsigned a, unsigned b) {
    return by_halves<std::uint16_t>(a, b, [](auto x, auto y) { return std::max(x, y); });
}
inline unsigned __vminu2(unsigned a, unsigned b) {
    return by_halves<std::uint16_t>(a, b, [](auto x, auto y) { return std::min(x, y); });
}
inline unsigned __vmaxs2(unsigned a, unsigned b) {
    return by_halves<std::int16_t>(a, b, [](auto x, auto y) { return std::max(x, y); });
}
inline unsigned __vmins2(unsigned a, unsigned b) {
    return by_halves<std::int16_t>(a, b, [](auto x, auto y) { return std::min(x, y); });
}

/// c and the products of some elements of two words; wraps around.
template <class A, class B, int Count>
unsigned with_products(unsigned a, unsigned b, unsigned c) {
    for (int i = 0; i < Count; ++i) {
        auto const x = static_cast<A>(a >> (8 * sizeof(A) * i));
        auto const y = static_cast<B>(b >> (8 * sizeof(B) * i));
        c += static_cast<unsigned>(x) * static_cast<unsigned>(y);
    }
    return c;
}
inline unsigned __dp4a(unsigned a, unsigned b, unsigned c) {
    return with_products<std::uint8_t, std::uint8_t, 4>(a, b, c);
}
inline int __dp4a(int a, int b, int c) {
    return static_cast<int>(with_products<std::int8_t, std::int8_t, 4>(
        static_cast<unsigned>(a), static_cast<unsigned>(b), static_cast<unsigned>(c)));
}
inline unsigned __dp2a_lo(unsigned a, unsigned b, unsigned c) {
    return with_products<std::uint16_t, std::uint8_t, 2>(a, b, c);
}
inline int __dp2a_lo(int a, int b, int c) {
    return static_cast<int>(with_products<std::int16_t, std::int8_t, 2>(
        static_cast<unsigned>(a), static_cast<unsigned>(b), static_cast<unsigned>(c)));
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
inline double __ddiv_rn(double a, double b) {
    return a / b;
}
inline double __dsqrt_rn(double a) {
    return std::sqrt(a);
}
inline float __fadd_rn(float a, float b) {
    return a + b;
}
inline float __fmul_rn(float a, float b) {
    return a * b;
}
inline float __double2float_rn(double x) {
    return static_cast<float>(x);
}
inline double __ull2double_rn(unsigned long long x) {
    return static_cast<double>(x);
}
inline unsigned long long __double2ull_rz(double x) { // saturates
    return x >= 0x1p64 ? ~0ull : static_cast<unsigned long long>(x);
}
inline double __fma_rn(double a, double b, double c) {
    return std::fma(a, b, c);
}

namespace on_cpu {

inline void require_whole_warp(unsigned mask) {
    if (mask != fibers::current().mask()) throw std::runtime_error("a mask that is not the whole warp");
}

/// The values of all lanes.
template <class T>
std::array<T, 32> all_of(unsigned mask, T mine, place const& where) {
    static_assert(sizeof(T) <= 8);
    require_whole_warp(mask);
    std::uint64_t word = 0;
    std::memcpy(&word, &mine, sizeof(T));
    std::array<std::uint64_t, 32> const& words = fibers::current().exchange(word, where);
    std::array<T, 32> values;
    for (std::size_t i = 0; i < 32; ++i) std::memcpy(&values[i], &words[i], sizeof(T));
    return values;
}

inline unsigned lane() {
    return fibers::current().lane();
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
template <class T>
T __shfl_up_sync(unsigned mask, T mine, unsigned by, place where = place::current()) {
    return on_cpu::all_of(mask, mine, where)[on_cpu::lane() < by ? on_cpu::lane() : on_cpu::lane() - by];
}
inline unsigned __ballot_sync(unsigned mask, bool mine, place where = place::current()) {
    auto const all = on_cpu::all_of(mask, mine ? 1u : 0u, where);
    unsigned bits = 0;
    for (unsigned i = 0; i < 32; ++i) bits |= (mask >> i & 1) != 0 && all[i] != 0 ? 1u << i : 0u;
    return bits;
}
inline bool __any_sync(unsigned mask, bool mine, place where = place::current()) {
    return __ballot_sync(mask, mine, where) != 0;
}
inline bool __all_sync(unsigned mask, bool mine, place where = place::current()) {
    return __ballot_sync(mask, mine, where) == mask;
}
template <class T>
T __reduce_add_sync(unsigned mask, T mine, place where = place::current()) {
    auto const all = on_cpu::all_of(mask, mine, where);
    unsigned sum = 0;
    for (unsigned i = 0; i < 32; ++i)
        if ((mask >> i & 1) != 0) sum += static_cast<unsigned>(all[i]);
    return static_cast<T>(sum);
}
inline unsigned __reduce_max_sync(unsigned mask, unsigned mine, place where = place::current()) {
    auto const all = on_cpu::all_of(mask, mine, where);
    unsigned most = 0;
    for (unsigned i = 0; i < 32; ++i)
        if ((mask >> i & 1) != 0) most = std::max(most, all[i]);
    return most;
}
inline void __syncwarp(place where = place::current()) {
    static_cast<void>(on_cpu::all_of(on_cpu::fibers::current().mask(), 0, where));
}
inline void __syncthreads(place where = place::current()) {
    on_cpu::fibers::current().barrier(where);
}
inline int __syncthreads_or(int mine, place where = place::current()) {
    static bool any = false;
    if (mine != 0) any = true;
    __syncthreads(where);
    bool const result = any;
    __syncthreads(where); // everyone has seen it
    any = false;
    __syncthreads(where);
    return result;
}
inline void __threadfence() {}

// Fibers change only where they wait for each other: everything between is atomic.
inline std::uint32_t atomicAdd_block(std::uint32_t* p, std::uint32_t delta) {
    return std::exchange(*p, *p + delta);
}
inline unsigned atomicOr_block(unsigned* p, unsigned bits) {
    return std::exchange(*p, *p | bits);
}
inline std::uint32_t atomicExch_block(std::uint32_t* p, std::uint32_t value) {
    return std::exchange(*p, value);
}
inline unsigned atomicMax_block(unsigned* p, unsigned value) {
    return std::exchange(*p, std::max(*p, value));
}
inline long long atomicMax_block(long long* p, long long value) {
    return std::exchange(*p, std::max(*p, value));
}
inline unsigned long long atomicMax_block(unsigned long long* p, unsigned long long value) {
    return std::exchange(*p, std::max(*p, value));
}
inline unsigned atomicAdd(unsigned* p, unsigned delta) {
    return std::exchange(*p, *p + delta);
}
inline int atomicExch(int* p, int value) {
    return std::exchange(*p, value);
}
inline int atomicMax(int* p, int value) {
    return std::exchange(*p, std::max(*p, value));
}
