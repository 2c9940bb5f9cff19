// Built with -O3 -fopenmp and without -ffast-math: the loops say themselves what may be reordered. Everything here is
// in a namespace of its level: a function shared with another level could get instructions the processor lacks.
#include "host_peers.hpp"

#include <cmath>

namespace steadfold::inline v0::app::STEADFOLD_PEER_LEVEL {

#ifdef _OPENMP
namespace {

template <class T>
T omp_for(T const* x, std::int64_t n, int threads) {
    T sum = 0;
#pragma omp parallel for reduction(+ : sum) num_threads(threads) schedule(static)
    for (std::int64_t i = 0; i < n; ++i) sum += x[i];
    return sum;
}

template <class T>
T omp_for_simd(T const* x, std::int64_t n, int threads) {
    T sum = 0;
#pragma omp parallel for simd reduction(+ : sum) num_threads(threads) schedule(static)
    for (std::int64_t i = 0; i < n; ++i) sum += x[i];
    return sum;
}

/// A. Neumaier, ZAMM 54 (1974) 39-51.
template <class T>
struct compensated {
    T sum = 0, correction = 0;
    void add(T x) {
        T const next = sum + x;
        correction += std::fabs(sum) >= std::fabs(x) ? (sum - next) + x : (x - next) + sum;
        sum = next;
    }
};

template <class T>
T neumaier(T const* x, std::int64_t n, int threads) {
    compensated<T> total;
#pragma omp parallel num_threads(threads)
    {
        compensated<T> mine;
#pragma omp for schedule(static) nowait
        for (std::int64_t i = 0; i < n; ++i) mine.add(x[i]);
#pragma omp critical
        {
            total.add(mine.sum);
            total.add(mine.correction);
        }
    }
    return total.sum + total.correction;
}
} // namespace
#endif

template <class T>
sum_loops<T> loops() {
#ifdef _OPENMP
    return {omp_for<T>, omp_for_simd<T>, neumaier<T>};
#else
    return {};
#endif
}

template sum_loops<float> loops<float>();
template sum_loops<double> loops<double>();

} // namespace steadfold::inline v0::app::STEADFOLD_PEER_LEVEL
