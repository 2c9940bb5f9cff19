// Functions that transforms call, on the host and on a GPU alike: the same bits on both.
#pragma once

#include "steadfold/dtype.hpp"

#include <complex>
#include <cstdint>

namespace oracle {

namespace sf = steadfold;

struct cube {
    __host__ __device__ double operator()(double x) const {
#ifdef __CUDA_ARCH__
        return __dmul_rn(__dmul_rn(x, x), x);
#else
        return x * x * x;
#endif
    }
};

struct whole {
    __host__ __device__ std::int64_t operator()(double x) const {
        return x > -1e18 && x < 1e18 ? static_cast<std::int64_t>(x) : 7;
    }
};

struct parity {
    __host__ __device__ std::int8_t operator()(std::int32_t x) const {
        return static_cast<std::int8_t>(x & 1 ? -3 : 5);
    }
};

/// Exact, thus the same however it is computed.
struct wide_product {
    __host__ __device__ double operator()(float a, float b) const { return static_cast<double>(a) * b; }
};

struct as_it_is {
    template <class T>
    __host__ __device__ T operator()(T const& x) const {
        return x;
    }
};

/// Affine maps x -> a x + b modulo 2^32, packed: composing them is associative, but the order counts.
struct compose {
    __host__ __device__ std::uint64_t operator()(std::uint64_t f, std::uint64_t g) const {
        auto const fa = static_cast<std::uint32_t>(f >> 32), fb = static_cast<std::uint32_t>(f);
        auto const ga = static_cast<std::uint32_t>(g >> 32), gb = static_cast<std::uint32_t>(g);
        return std::uint64_t{fa * ga} << 32 | (fa * gb + fb);
    }
};

struct add {
    __host__ __device__ double operator()(double a, double b) const { return a + b; }
};

} // namespace oracle
