// Sums as one would write them without steadfold. The loops are built once per x86-64 level, as steadfold's own are.
#pragma once

#include <cstdint>

namespace steadfold::inline v0::app {

template <class T>
struct sum_loops {
    T (*omp_for)(T const* x, std::int64_t n, int threads) = nullptr;      // omp parallel for reduction(+)
    T (*omp_for_simd)(T const* x, std::int64_t n, int threads) = nullptr; // omp parallel for simd reduction(+)
    T (*neumaier)(T const* x, std::int64_t n, int threads) = nullptr;     // compensated, each thread its part
};

/// For `float` or `double`; the best of the levels this processor has. Null in a build without OpenMP.
template <class T>
[[nodiscard]] sum_loops<T> best_sum_loops();

/// std::reduce with std::execution::par_unseq, on as many threads as it likes. Null in a build without TBB.
template <class T>
[[nodiscard]] T (*std_reduce_par_unseq())(T const* x, std::int64_t n, int threads);

/// "x86-64-v4" or what it is; empty where there is one level only.
[[nodiscard]] char const* sum_loops_level();

} // namespace steadfold::inline v0::app
