// The last rungs, and the plain readers that all are compared with.
#include "ladder/rung.hpp"
#include "ladder/strides.cuh"

#include <type_traits>

namespace steadfold::inline v0::app::ladder {

namespace {

constexpr unsigned threads = 512;

/// Reads and forgets. The store is there so that the compiler may not leave the loads out; it hardly ever happens.
template <int InFlight>
__global__ void __launch_bounds__(threads) read_only(float const* x, index n, float* somewhere) {
    aligned_part<float> const all{x, n};
    unsigned seen = __float_as_uint(all.edges());
    index const step = index{gridDim.x} * threads;
    index i = index{blockIdx.x} * threads + threadIdx.x;
#pragma unroll 1
    for (; i + (InFlight - 1) * step < all.count; i += InFlight * step) {
        vector<float> batch[InFlight];
#pragma unroll
        for (int j = 0; j < InFlight; ++j) batch[j] = all.first[i + j * step];
#pragma unroll
        for (int j = 0; j < InFlight; ++j)
#pragma unroll
            for (float const value : batch[j].at) seen ^= __float_as_uint(value);
    }
#pragma unroll 1
    for (; i < all.count; i += step)
        for (float const value : all.first[i].at) seen ^= __float_as_uint(value);
    if (seen == 0x7fc12345u) *somewhere = 0;
}

// A fold adds x + M with M = 1.5 * 2^(52+k): the sum's last bit is worth 2^k, so that the difference of its bits and
// M's is the integer nearest x / 2^k, and x - (sum - M) is the exact rest. Integers add up exactly, in any order.
constexpr int spacing = 48;
constexpr int high_unit = exact_top - (spacing - 1), low_unit = high_unit - spacing; // exponents
static_assert(low_unit == exact_floor);

__device__ double magic(int unit) {
    return __longlong_as_double((static_cast<long long>(unit + 52 + 1023) << 52) | (1ll << 51));
}
__device__ unsigned long long bits(double x) {
    return static_cast<unsigned long long>(__double_as_longlong(x));
}
__device__ double widened(double x) {
    return x;
}
__device__ double widened(float x) { // the compiler's own conversion may flush subnormals, if told to be fast
    double wide;
    asm("cvt.f64.f32 %0, %1;" : "=d"(wide) : "f"(x));
    return wide;
}

/// Two folds of one thread's elements: together they hold 95 bits below 2^exact_top.
struct folds {
    unsigned long long high = 0, low = 0; // sums of bits(x + M); what M added is taken off at the end
    unsigned rest = 0, largest = 0;       // bits of what was left over; high word of the largest magnitude
    unsigned elements = 0;

    __device__ void add(double x) {
        unsigned const magnitude = static_cast<unsigned>(__double2hiint(x)) & 0x7fffffffu;
        largest = magnitude > largest ? magnitude : largest;
        x = fold(x, high, magic(high_unit));
        x = fold(x, low, magic(low_unit));
        rest |= static_cast<unsigned>(__double2loint(x)) | (static_cast<unsigned>(__double2hiint(x)) << 1);
        ++elements;
    }
    /// An element was not taken whole: it is above the window, Inf or NaN, or has bits below the window.
    [[nodiscard]] __device__ bool failed() const {
        constexpr auto limit = static_cast<unsigned>(exact_top + 1023) << 20; // high word of 2^exact_top
        return rest != 0 || largest > limit;
    }

  private:
    /// These intrinsics are never contracted into fused operations.
    __device__ static double fold(double x, unsigned long long& sum, double m) {
        double const t = __dadd_rn(x, m);
        sum += bits(t);
        return __dsub_rn(x, __dsub_rn(t, m));
    }
};

/// Fixes that the answer depends on the order, which no rung before does: a sum of floats is rounded at every addition,
/// and block counts, clusters and arriving atomics decide where. Here every element becomes two integers without error,
/// and only integers are added. A fold is three additions in float64 and one of integers, which fits into the time that
/// memory takes to deliver the element.
///
/// A value of a fold is at most 2^47, and a thread takes fewer than 2^16 elements: they fit into 64 bits. Before
/// threads are merged, each sum is cut into digits of 32 bits, which leaves room for 2^31 threads.
template <class T>
__global__ void __launch_bounds__(threads, 3) exact_folds(T const* x, index n, unsigned long long* words) {
    constexpr int in_flight = 4;
    folds mine;
    auto const add = [&](vector<T> const& v) {
#pragma unroll
        for (T const value : v.at) mine.add(widened(value));
    };
    aligned_part<T> const all{x, n};
    if (all.before != nullptr) mine.add(widened(*all.before));
    if (all.after != nullptr) mine.add(widened(*all.after));
    index const step = index{gridDim.x} * threads;
    index i = index{blockIdx.x} * threads + threadIdx.x;
#pragma unroll 1
    for (; i + (in_flight - 1) * step < all.count; i += in_flight * step) {
        vector<T> batch[in_flight];
#pragma unroll
        for (int j = 0; j < in_flight; ++j) batch[j] = all.first[i + j * step];
#pragma unroll
        for (int j = 0; j < in_flight; ++j) add(batch[j]);
    }
#pragma unroll 1
    for (; i < all.count; i += step) add(all.first[i]);

    auto const high = static_cast<long long>(mine.high - mine.elements * bits(magic(high_unit)));
    auto const low = static_cast<long long>(mine.low - mine.elements * bits(magic(low_unit)));
    long long const digits[4] = {low & 0xffffffff, low >> 32, high & 0xffffffff, high >> 32};
    __shared__ long long of_warp[4][threads / 32];
    unsigned const lane = threadIdx.x % 32, warp = threadIdx.x / 32;
#pragma unroll
    for (int d = 0; d < 4; ++d) {
        long long const sum = warp_sum(digits[d]);
        if (lane == 0) of_warp[d][warp] = sum;
    }
    bool const failed = __syncthreads_or(mine.failed() ? 1 : 0) != 0; // also the barrier after the stores
    if (warp < 4) {
        long long const sum = warp_sum(lane < threads / 32 ? of_warp[warp][lane] : 0ll);
        if (lane == 0) atomicAdd(words + warp, static_cast<unsigned long long>(sum));
    }
    if (failed && threadIdx.x == 0) atomicOr(words + 4, 1ull);
}

/// value * 2^unit, to nearest-even. For units so high that no result is subnormal.
template <class T>
__device__ T rounded(__int128 value, int unit) {
    constexpr int digits = std::is_same_v<T, float> ? 24 : 53;
    bool const negative = value < 0;
    auto m = static_cast<unsigned __int128>(negative ? -value : value);
    auto const upper = static_cast<long long>(m >> 64), lower = static_cast<long long>(m);
    int const length = upper != 0 ? 128 - __clzll(upper) : 64 - __clzll(lower);
    int const dropped = length > digits ? length - digits : 0;
    if (dropped > 0) {
        unsigned __int128 const half = static_cast<unsigned __int128>(1) << (dropped - 1);
        unsigned __int128 const rest = m & (half + half - 1);
        m >>= dropped;
        if (rest > half || (rest == half && (m & 1) != 0)) ++m;
    }
    auto const magnitude = static_cast<T>(ldexp(static_cast<double>(static_cast<long long>(m)), unit + dropped));
    return negative ? -magnitude : magnitude;
}

/// The digits as one integer, rounded once. NaN if an element was not taken whole or the integer is beyond 126 bits:
/// this is a lesson, and the library's kernels have a way for such elements.
template <class T>
__global__ void round_digits(unsigned long long const* words, T* result) {
    auto const digit = [&](int i) { return static_cast<__int128>(static_cast<long long>(words[i])); };
    __int128 const low = digit(0) + (digit(1) << 32), high = digit(2) + (digit(3) << 32);
    constexpr __int128 limit = static_cast<__int128>(1) << (126 - spacing);
    bool const good = words[4] == 0 && high < limit && -high < limit;
    *result = good ? rounded<T>((high << spacing) + low, low_unit) : static_cast<T>(__int_as_float(0x7fc00000));
}

template <class T>
rung exact(char const* name, char const* change, dtype type) {
    return {.name = name,
            .change = change,
            .kernel = reinterpret_cast<void const*>(
                static_cast<void (*)(T const*, index, unsigned long long*)>(exact_folds<T>)),
            .merge = merging::digits,
            .threads = threads,
            .elements_per_block = static_cast<int>(4 * threads * 16 / sizeof(T)),
            .resident = true,
            .type = type,
            .elements_per_thread = 1 << 15,
            .rounding =
                reinterpret_cast<void const*>(static_cast<void (*)(unsigned long long const*, T*)>(round_digits<T>))};
}

template <int InFlight>
rung reader(char const* name, char const* change, bool resident) {
    return {.name = name,
            .change = change,
            .kernel =
                reinterpret_cast<void const*>(static_cast<void (*)(float const*, index, float*)>(read_only<InFlight>)),
            .merge = merging::none,
            .threads = threads,
            .elements_per_block = InFlight * 4 * threads,
            .resident = resident};
}

} // namespace

std::vector<rung> read_rungs() {
    return {reader<4>("read-4", "no sum: four 16-byte loads under way", true),
            reader<8>("read-8", "no sum: eight under way", true),
            reader<4>("read-4-short-blocks", "no sum: four a thread, then the block ends", false)};
}

std::vector<rung> exact_rungs() {
    return {exact<float>("exact-folds", "two error-free folds: only integers are added", dtype::float32),
            exact<double>("exact-folds-float64", "the same for float64", dtype::float64)};
}

} // namespace steadfold::inline v0::app::ladder
