// The vectors of one level, and the order in which a tile is read. Part of tile_kernels.cpp, like the headers that
// include it: every name here is local to that unit.
#pragma once

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

namespace {

using namespace steadfold::v0::host;

constexpr int width = STEADFOLD_VECTOR_BYTES / 8;
typedef double vector __attribute__((vector_size(STEADFOLD_VECTOR_BYTES)));
typedef std::uint64_t words __attribute__((vector_size(STEADFOLD_VECTOR_BYTES)));
typedef std::int64_t integers __attribute__((vector_size(STEADFOLD_VECTOR_BYTES)));

constexpr std::uint64_t magnitude_mask = 0x7fffffffffffffffu;

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

// A tile is read as eight streams side by side, and each asks for the same place of the next tile: a core that reads
// one stream waits at every page until the prefetchers have found it again, and has too few requests under way.
constexpr int streams = 8;
constexpr int line = 8; // elements
static_assert(tile_multiple == streams * line);

inline void prefetch_next_tile(void const* here, int element_bytes) {
    // Past the end of the array it fetches nothing, or what is not needed.
    __builtin_prefetch(reinterpret_cast<void const*>(reinterpret_cast<std::uintptr_t>(here) +
                                                     static_cast<std::uintptr_t>(tile_elements * element_bytes)));
}

// f(i, s) for each vector of n elements, i its place and s its stream. Two arrays share the streams.
template <class Function, class... Arrays>
inline __attribute__((always_inline)) void for_each_vector(int n, Function const& f, Arrays... arrays) {
    constexpr int ways = streams / static_cast<int>(sizeof...(arrays));
    auto const pass = [&](int run) __attribute__((always_inline)) {
        for (int i = 0; i < run; i += line)
#pragma GCC unroll 8
            for (int s = 0; s < ways; ++s) {
                (prefetch_next_tile(arrays + i + s * run, sizeof *arrays), ...);
#pragma GCC unroll 4
                for (int j = 0; j < line; j += width) f(i + s * run + j, s);
            }
    };
    if (n == tile_elements)
        pass(tile_elements / ways); // distances of the streams known to the compiler
    else
        pass(n / ways);
}

} // namespace
