#include "ladder/ladder.hpp"

#include "cases.hpp"
#include "ladder/check.hpp"
#include "ladder/climb.hpp"
#include "ladder/instructions.hpp"
#include "ladder/ladder_report.hpp"
#include "output.hpp"
#include "steadfold/error.hpp"

#include <cstdio>
#include <string>
#include <vector>

namespace steadfold::inline v0::app {

namespace {

using namespace ladder;

constexpr std::int64_t default_elements = std::int64_t{1} << 28;

void note(settings const& chosen, std::string const& text) {
    if (!chosen.quiet) std::fprintf(stderr, "steadfold-bench: %s\n", text.c_str());
}

/// The rungs that this device can run, from the bottom up.
std::vector<launcher> launchers(settings const& chosen, cudaStream_t stream) {
    int device = 0, major = 0;
    detail::check(cudaGetDevice(&device), "asking for the current device");
    detail::check(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device),
                  "asking for the compute capability");
    std::vector<launcher> all;
    for (auto const& part : {read_rungs(), tree_rungs(), hardware_rungs(), exact_rungs()})
        for (rung const& each : part) {
            if (major >= each.compute_capability)
                all.emplace_back(each, stream);
            else
                note(chosen, "the rung " + each.name + " is left out: it needs compute capability " +
                                 std::to_string(each.compute_capability) + ".0");
        }
    return all;
}

machine_code code_of(std::vector<launcher> const& rungs) {
    std::vector<void const*> kernels;
    for (launcher const& each : rungs) kernels.push_back(each.what().kernel);
    return count_instructions(kernels, rungs.front().facts().binary_version);
}

} // namespace

int run_ladder(settings const& chosen) {
    if (std::string const reason = cuda_unavailable(); !reason.empty()) {
        std::fprintf(stderr, "steadfold-bench: the ladder needs a GPU: %s\n", reason.c_str());
        return exit_no_gpu;
    }
    require_writable(chosen.json);
    run_description run{this_machine(), now_utc()};
    detail::owned_stream const stream = detail::make_stream();
    std::vector<launcher> const rungs = launchers(chosen, stream.get());
    run.sums_checked = check_rungs(rungs);
    note(chosen, std::to_string(run.sums_checked) + " sums of short arrays are right to the last bit");
    machine_code const code = code_of(rungs);
    if (!code.why_not.empty()) note(chosen, code.why_not);
    std::vector<std::vector<timed_rung>> sizes;
    for (std::int64_t const elements : chosen.elements.empty() ? std::vector{default_elements} : chosen.elements) {
        sizes.push_back(climb(rungs, elements, chosen, stream.get()));
        if (!chosen.quiet) print(to_table(sizes.back(), code));
    }
    if (!chosen.json.empty()) write(chosen.json, to_json(sizes, code, run, chosen));
    return exit_ok;
}

} // namespace steadfold::inline v0::app
