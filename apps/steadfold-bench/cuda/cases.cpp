// The cases of a GPU, on CUDA's device 0 (choose another with CUDA_VISIBLE_DEVICES).
#include "cases.hpp"

#include "questions.hpp"

#include <cuda_runtime_api.h>

namespace steadfold::inline v0::app {

namespace {

constexpr std::int64_t default_elements = std::int64_t{1} << 28;
std::vector<dtype> const default_types{dtype::float64, dtype::float32};

void ask_all(std::string const& case_name, std::vector<std::string> const& operations, settings const& chosen,
             group_sink const& done) {
    for_sizes(chosen, default_types, default_elements, [&](dtype type, std::int64_t elements) {
        for (std::string const& operation : operations)
            done(measure_on_device({.case_name = case_name,
                                    .type = type,
                                    .elements = elements,
                                    .kind = chosen.data,
                                    .operation = operation,
                                    .calls = chosen.calls},
                                   chosen));
    });
}

} // namespace

void run_cuda_sum(settings const& chosen, group_sink const& done) {
    for_sizes(chosen, default_types, default_elements, [&](dtype type, std::int64_t elements) {
        for (bool const latency : {false, true})
            done(measure_on_device({.case_name = "cuda-sum",
                                    .type = type,
                                    .elements = elements,
                                    .kind = chosen.data,
                                    .latency = latency,
                                    .calls = chosen.calls,
                                    .bandwidth = !latency},
                                   chosen));
    });
}

void run_cuda_blas(settings const& chosen, group_sink const& done) {
    ask_all("cuda-blas", {"dot", "l1", "l2"}, chosen, done);
}

void run_cuda_one_pass(settings const& chosen, group_sink const& done) {
    ask_all("cuda-one-pass", {"one-pass"}, chosen, done);
}

void run_cuda_ops(settings const& chosen, group_sink const& done) {
    ask_all("cuda-ops", {"operations"}, chosen, done);
}

std::string cuda_unavailable() {
    int count = 0;
    cudaError_t const result = cudaGetDeviceCount(&count);
    static_cast<void>(cudaGetLastError());
    if (result != cudaSuccess) return std::string("there is no usable GPU: CUDA says ") + cudaGetErrorString(result);
    return count > 0 ? "" : "there is no GPU";
}

} // namespace steadfold::inline v0::app
