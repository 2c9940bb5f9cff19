#include "cases.hpp"

#include "steadfold/error.hpp"

#include <algorithm>

namespace steadfold::inline v0::app {

std::vector<bench_case> const& all_cases() {
    static std::vector<bench_case> const cases = {
        {"host-sum", "sum on the host: exact, fast, OpenMP loops, Neumaier, std::reduce (2^27 float64)", false,
         run_host_sum},
        {"host-ops", "other operations on the host beside the exact sum (2^27 float64)", false, run_host_ops},
        {"cuda-sum", "sum on a GPU: exact, fast, CUB's sums, Thrust (2^28 float64, float32)", true, run_cuda_sum},
        {"cuda-blas", "dot, L1 and L2 on a GPU beside cuBLAS (2^28 float64, float32)", true, run_cuda_blas},
        {"cuda-one-pass", "sum, mean, variance, extrema and norms in one pass beside one CUB sum", true,
         run_cuda_one_pass},
        {"cuda-ops", "other operations on a GPU beside the exact sum (2^28 float64, float32)", true, run_cuda_ops}};
    return cases;
}

std::string unavailable(bench_case const& what) {
    return what.cuda ? cuda_unavailable() : std::string();
}

std::vector<bench_case> asked_for(settings const& chosen) {
    std::vector<bench_case> asked;
    auto const excluded = [&](bench_case const& each) {
        return chosen.device == (each.cuda ? device_choice::host : device_choice::cuda);
    };
    if (chosen.cases.empty()) {
        for (bench_case const& each : all_cases())
            if (!excluded(each)) asked.push_back(each);
        return asked;
    }
    for (std::string const& wanted : chosen.cases) {
        auto const found = std::find_if(all_cases().begin(), all_cases().end(),
                                        [&](bench_case const& each) { return each.name == wanted; });
        if (found == all_cases().end()) {
            std::string known;
            for (bench_case const& each : all_cases()) known.append(known.empty() ? "" : ", ").append(each.name);
            throw argument_error("there is no case \"" + wanted + "\"; the cases are " + known);
        }
        if (excluded(*found))
            throw argument_error("--device leaves out the case " + wanted + ", which --case asks for");
        asked.push_back(*found);
    }
    return asked;
}

} // namespace steadfold::inline v0::app
