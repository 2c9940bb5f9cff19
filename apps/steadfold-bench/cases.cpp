#include "cases.hpp"

#include "questions.hpp"
#include "required.hpp"
#include "steadfold/error.hpp"
#include "sweep.hpp"

#include <algorithm>
#include <utility>

namespace steadfold::inline v0::app {

namespace {

constexpr std::int64_t host_elements = std::int64_t{1} << 27, cuda_elements = std::int64_t{1} << 28;

void host_sum(settings const& chosen, group_sink const& done) {
    for_sizes(chosen, {dtype::float64}, host_elements, [&](dtype type, std::int64_t elements) {
        done(measure_host_sum({"host-sum", type, elements}, chosen.data, chosen));
    });
}

void host_operations(settings const& chosen, group_sink const& done) {
    for_sizes(chosen, {dtype::float64}, host_elements, [&](dtype type, std::int64_t elements) {
        done(measure_host_operations({"host-ops", type, elements}, chosen.data, chosen));
    });
}

/// A case that asks the same of every size and type.
bench_case on_gpu(std::string name, std::string description, std::vector<device_question> questions) {
    auto run = [name, questions = std::move(questions)](settings const& chosen, group_sink const& done) {
        for_sizes(chosen, {dtype::float64, dtype::float32}, cuda_elements, [&](dtype type, std::int64_t elements) {
            for (device_question question : questions) {
                question.case_name = name;
                question.type = type;
                question.elements = elements;
                question.kind = chosen.data;
                question.calls = chosen.calls;
                if (can_be_asked(question)) done(measure_on_device(question, chosen));
            }
        });
    };
    return {std::move(name), std::move(description), true, false, std::move(run)};
}

std::vector<bench_case> made_cases() {
    std::vector<bench_case> cases = {
        {"host-sum", "sum on the host: exact, fast, OpenMP loops, Neumaier, std::reduce (2^27 float64)", false, false,
         host_sum},
        {"host-ops", "other operations on the host beside the exact sum (2^27 float64)", false, false, host_operations},
        on_gpu("cuda-sum", "sum on a GPU: exact, fast, CUB's sums, Thrust (2^28 float64, float32)",
               {{.operation = "sum", .fast_mode = true},
                {.operation = "sum", .latency = true, .bandwidth = false, .fast_mode = true}}),
        on_gpu("cuda-blas", "dot, L1 and L2 on a GPU beside cuBLAS (2^28 float64, float32)",
               {{.operation = "dot"}, {.operation = "l1"}, {.operation = "l2"}}),
        on_gpu("cuda-one-pass", "sum, mean, variance, extrema and norms in one pass beside one CUB sum (2^28)",
               {{.operation = "one-pass"}}),
        on_gpu("cuda-ops", "other operations on a GPU beside the exact sum (2^28 float64, float32)",
               {{.operation = "operations"}}),
        on_gpu("cuda-segments", "sums of segments of 32, 128 and 1024 elements beside CUB's (2^28 float64, float32)",
               {{.operation = "segments", .segment_size = 32},
                {.operation = "segments", .segment_size = 128},
                {.operation = "segments", .segment_size = 1024}})};
    for (bench_case& each : sweep_cases()) cases.push_back(std::move(each));
    for (bench_case& each : required_cases()) cases.push_back(std::move(each));
    return cases;
}

bool is_meant(bench_case const& each, std::string const& wanted) {
    return each.name == wanted || each.name.starts_with(wanted + ":");
}

[[noreturn]] void refuse(std::string const& wanted) {
    std::string known;
    for (bench_case const& each : all_cases()) known.append(known.empty() ? "" : ", ").append(each.name);
    throw argument_error("there is no case \"" + wanted + "\"; the cases are " + known);
}

} // namespace

bool can_be_asked(device_question const& question) {
    if (question.operation == "sum" || question.operation == "operations") return true;
    if (question.operation != "segments") return is_real_floating(question.type);
    return (question.type == dtype::float64 || question.type == dtype::float32) &&
           question.elements % question.segment_size == 0;
}

std::vector<bench_case> const& all_cases() {
    static std::vector<bench_case> const cases = made_cases();
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
    for (bench_case const& each : all_cases())
        if (chosen.cases.empty() && !each.only_if_asked && !excluded(each)) asked.push_back(each);
    for (std::string const& wanted : chosen.cases) {
        std::size_t const before = asked.size();
        bool known = false;
        for (bench_case const& each : all_cases()) {
            if (!is_meant(each, wanted)) continue;
            known = true;
            if (!excluded(each)) asked.push_back(each);
        }
        if (!known) refuse(wanted);
        if (asked.size() == before)
            throw argument_error("--device leaves out the case " + wanted + ", which --case asks for");
    }
    return asked;
}

} // namespace steadfold::inline v0::app
