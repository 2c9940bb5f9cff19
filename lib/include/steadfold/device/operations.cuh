/// Operations for block.cuh: associative functions of two values. Yours may be any such function; results are combined
/// in the order of threads, so that it need not be commutative.
///
///     double const largest = sf::device::block_reduce<double>{room}.reduce(x, sf::device::maximum{});
///
/// Header only; needs no other part of the library. No `--expt-relaxed-constexpr`, no `__int128`.
#pragma once

#include <type_traits>

namespace steadfold {
inline namespace v0 {
namespace device {

/// a + b, rounded on its own: the compiler makes no fused operation of it and a product before it.
struct plus {
    template <class T>
    __device__ T operator()(T a, T b) const {
        if constexpr (std::is_same_v<T, double>)
            return __dadd_rn(a, b);
        else if constexpr (std::is_same_v<T, float>)
            return __fadd_rn(a, b);
        else
            return a + b;
    }
};

/// By `<`: of NaN and a number, whichever comes last; -0 and +0 are equal.
struct minimum {
    template <class T>
    __device__ T operator()(T a, T b) const {
        return a < b ? a : b;
    }
};
struct maximum {
    template <class T>
    __device__ T operator()(T a, T b) const {
        return b < a ? a : b;
    }
};

struct bit_and {
    template <class T>
    __device__ T operator()(T a, T b) const {
        return a & b;
    }
};
struct bit_or {
    template <class T>
    __device__ T operator()(T a, T b) const {
        return a | b;
    }
};
struct bit_xor {
    template <class T>
    __device__ T operator()(T a, T b) const {
        return a ^ b;
    }
};

} // namespace device
} // namespace v0
} // namespace steadfold
