#include "reduce/host/isa.hpp"

#include "steadfold/error.hpp"

#include <cstdlib>
#include <string>
#include <string_view>

namespace steadfold::inline v0::host {

namespace {

// Levels of this processor, best first; the last one always runs.
std::vector<tile_kernels const*> detect() {
    std::vector<tile_kernels const*> levels;
#if defined(STEADFOLD_X86_LEVELS)
    __builtin_cpu_init();
    bool const v2 = __builtin_cpu_supports("sse4.2") && __builtin_cpu_supports("popcnt");
    bool const v3 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi") &&
                    __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("f16c");
    bool const v4 = v3 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
                    __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512cd") &&
                    __builtin_cpu_supports("avx512vl");
    if (v4) levels.push_back(steadfold_tile_kernels_v4());
    if (v3) levels.push_back(steadfold_tile_kernels_v3());
    if (v2) levels.push_back(steadfold_tile_kernels_v2());
#endif
    levels.push_back(steadfold_tile_kernels_baseline());
    return levels;
}

} // namespace

std::vector<tile_kernels const*> const& available_levels() {
    static std::vector<tile_kernels const*> const levels = detect();
    return levels;
}

tile_kernels const& choose_level() {
    char const* wanted = std::getenv("STEADFOLD_ISA");
    if (wanted == nullptr || *wanted == 0) return *available_levels().front();
    std::string known;
    for (tile_kernels const* level : available_levels()) {
        if (std::string_view{wanted} == level->name) return *level;
        known.append(known.empty() ? "" : ", ").append(level->name);
    }
    throw argument_error("STEADFOLD_ISA=" + std::string(wanted) + " cannot run here; use one of " + known);
}

} // namespace steadfold::inline v0::host
