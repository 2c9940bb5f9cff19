// Device 0 of CUDA (choose another with CUDA_VISIBLE_DEVICES).
#include "base/cuda_check.hpp"
#include "questions.hpp"

namespace steadfold::inline v0::app {

std::string cuda_unavailable() {
    int count = 0;
    cudaError_t const result = cudaGetDeviceCount(&count);
    static_cast<void>(cudaGetLastError());
    if (result != cudaSuccess) return std::string("there is no usable GPU: CUDA says ") + cudaGetErrorString(result);
    return count > 0 ? "" : "there is no GPU";
}

instruction_rates gpu_instruction_rates() {
    if (!cuda_unavailable().empty()) return {};
    auto const fact = [](cudaDeviceAttr which) {
        int value = 0;
        detail::check(cudaDeviceGetAttribute(&value, which, 0), "asking for a fact about the GPU");
        return static_cast<double>(value);
    };
    constexpr double lanes = 4 * 32; // four schedulers a multiprocessor, each starts one warp's instruction a clock
    double const issued = lanes * fact(cudaDevAttrMultiProcessorCount) * 1e3 * fact(cudaDevAttrClockRate);
    return {issued, issued / fact(cudaDevAttrSingleToDoublePrecisionPerfRatio)};
}

} // namespace steadfold::inline v0::app
