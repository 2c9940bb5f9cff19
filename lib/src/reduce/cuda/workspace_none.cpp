// Stands in for workspaces on GPUs where the library is built without CUDA.
#include "reduce/workspace_engine.hpp"
#include "steadfold/error.hpp"

namespace steadfold::inline v0::reduce_detail {

std::unique_ptr<workspace_engine> make_cuda_workspace(plan const&, reduce_options const&, execution const&, int) {
    throw argument_error("this steadfold was built without CUDA; make the workspace on the host, or build with "
                         "STEADFOLD_CUDA=ON");
}

} // namespace steadfold::inline v0::reduce_detail
