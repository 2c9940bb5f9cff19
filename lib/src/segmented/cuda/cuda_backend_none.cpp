// Stands in for the CUDA back end where there is none.
#include "segmented/backend.hpp"
#include "steadfold/error.hpp"

namespace steadfold::inline v0::segmented {

std::unique_ptr<backend> make_cuda_backend(settings const&, execution const&) {
    throw argument_error("this steadfold has no segmented reductions on GPUs; reduce on the host");
}

} // namespace steadfold::inline v0::segmented
