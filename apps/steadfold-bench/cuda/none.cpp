// In place of everything here in builds without CUDA.
#include "cases.hpp"

namespace steadfold::inline v0::app {

std::string cuda_unavailable() {
    return "this steadfold was built without CUDA";
}

// Never called: the cases are unavailable.
void run_cuda_sum(settings const&, group_sink const&) {}
void run_cuda_blas(settings const&, group_sink const&) {}
void run_cuda_one_pass(settings const&, group_sink const&) {}
void run_cuda_ops(settings const&, group_sink const&) {}

} // namespace steadfold::inline v0::app
