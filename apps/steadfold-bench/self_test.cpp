#include "self_test.hpp"

#include "cases.hpp"
#include "demo.hpp"
#include "questions.hpp"

#include <algorithm>
#include <cstdio>

namespace steadfold::inline v0::app {

namespace {

/// As little as shows that results are right.
void make_small(settings& chosen) {
    if (chosen.elements.empty()) chosen.elements = {std::int64_t{1} << 21, 1000, 1}; // the first is read plainly too
    if (chosen.types.empty())
        chosen.types = {dtype::float64, dtype::float32, dtype::float16, dtype::bfloat16,
                        dtype::int8,    dtype::int16,   dtype::int32,   dtype::int64};
    chosen.cases.clear();
    chosen.repetitions = 1;
    chosen.min_seconds = 0;
    chosen.calls = std::min(chosen.calls, 3);
}

int run_cases(settings const& chosen) {
    int groups = 0;
    for (bench_case const& each : asked_for(chosen))
        if (unavailable(each).empty())
            each.run(chosen, [&](measured_group const& group) {
                ++groups;
                if (!chosen.quiet)
                    std::fprintf(stderr, "steadfold-bench: right: %s %s %s %lld %s\n", group.label.case_name.c_str(),
                                 group.label.operation.c_str(), std::string(name(group.label.type)).c_str(),
                                 static_cast<long long>(group.label.elements), group.label.data.c_str());
            });
    return groups;
}

} // namespace

int run_self_test(settings chosen) {
    if (std::string const reason = cuda_unavailable(); chosen.device == device_choice::cuda && !reason.empty()) {
        std::fprintf(stderr, "steadfold-bench: %s\n", reason.c_str());
        return exit_no_gpu;
    }
    make_small(chosen);
    int groups = run_cases(chosen);
    settings other = chosen; // data of other kinds: sums only
    other.elements = {chosen.elements.front()};
    for (char const* const kind : {"lognormal", "uniform", "random-exponents", "random-exponents:64"}) {
        other.data = parse_data_kind(kind);
        for (bench_case const& each : all_cases()) {
            if (each.name != "host-sum" && each.name != "cuda-sum") continue;
            other.cases = {each.name};
            if (chosen.device == (each.cuda ? device_choice::host : device_choice::cuda)) continue;
            groups += run_cases(other);
        }
    }
    if (chosen.device != device_choice::host && cuda_unavailable().empty()) {
        settings demo = chosen;
        demo.elements = {chosen.elements.front()};
        static_cast<void>(run_demo(demo));
    }
    std::printf("self-test: %d groups, every result right\n", groups);
    return exit_ok;
}

} // namespace steadfold::inline v0::app
