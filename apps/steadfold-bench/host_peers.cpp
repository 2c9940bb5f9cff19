#include "host_peers.hpp"

namespace steadfold::inline v0::app {

// One for each time host_peer_loops.cpp is built.
namespace baseline {
template <class T>
sum_loops<T> loops();
}
#ifdef STEADFOLD_PEER_LEVELS
namespace v3 {
template <class T>
sum_loops<T> loops();
}
namespace v4 {
template <class T>
sum_loops<T> loops();
}

namespace {
enum class level { baseline, v3, v4 };

level best_level() {
    __builtin_cpu_init();
    bool const v3 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi") &&
                    __builtin_cpu_supports("bmi2");
    bool const v4 = v3 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
                    __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512cd") &&
                    __builtin_cpu_supports("avx512vl");
    return v4 ? level::v4 : v3 ? level::v3 : level::baseline;
}
} // namespace

template <class T>
sum_loops<T> best_sum_loops() {
    level const best = best_level();
    return best == level::v4 ? v4::loops<T>() : best == level::v3 ? v3::loops<T>() : baseline::loops<T>();
}

char const* sum_loops_level() {
    level const best = best_level();
    return best == level::v4 ? "x86-64-v4" : best == level::v3 ? "x86-64-v3" : "x86-64";
}
#else
template <class T>
sum_loops<T> best_sum_loops() {
    return baseline::loops<T>();
}

char const* sum_loops_level() {
    return "";
}
#endif

template sum_loops<float> best_sum_loops<float>();
template sum_loops<double> best_sum_loops<double>();

} // namespace steadfold::inline v0::app
