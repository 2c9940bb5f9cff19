// In place of everything here in builds without CUDA.
#include "demo.hpp"
#include "questions.hpp"
#include "steadfold/error.hpp"

#include <cstdio>

namespace steadfold::inline v0::app {

std::string cuda_unavailable() {
    return "this steadfold was built without CUDA";
}

instruction_rates gpu_instruction_rates() {
    return {};
}

measured_group measure_on_device(device_question const&, settings const&) {
    throw error(cuda_unavailable());
}

int run_demo(settings const&) {
    std::fprintf(stderr, "steadfold-bench: %s\n", cuda_unavailable().c_str());
    return exit_no_gpu;
}

} // namespace steadfold::inline v0::app
