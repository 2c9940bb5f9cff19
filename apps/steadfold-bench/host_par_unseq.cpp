// std::reduce on all cores, which the standard library of GCC leaves to TBB.
#include "host_peers.hpp"

#ifdef STEADFOLD_BENCH_TBB
#include <execution>
#include <numeric>
#endif

namespace steadfold::inline v0::app {

#ifdef STEADFOLD_BENCH_TBB
namespace {
template <class T>
T sum(T const* x, std::int64_t n, int) {
    return std::reduce(std::execution::par_unseq, x, x + n, T{0});
}
} // namespace

template <class T>
T (*std_reduce_par_unseq())
(T const*, std::int64_t, int) {
    return sum<T>;
}
#else
template <class T>
T (*std_reduce_par_unseq())
(T const*, std::int64_t, int) {
    return nullptr;
}
#endif

template float (*std_reduce_par_unseq<float>())(float const*, std::int64_t, int);
template double (*std_reduce_par_unseq<double>())(double const*, std::int64_t, int);

} // namespace steadfold::inline v0::app
