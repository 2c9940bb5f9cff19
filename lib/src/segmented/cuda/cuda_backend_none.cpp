// Stands in for the CUDA back end where the library is built without CUDA.
#include "segmented/backend.hpp"
#include "steadfold/error.hpp"

namespace steadfold::inline v0::segmented {

std::unique_ptr<backend> make_cuda_backend(settings const&, execution const&) {
    throw argument_error("this steadfold was built without CUDA; reduce on the host, or build with STEADFOLD_CUDA=ON");
}

} // namespace steadfold::inline v0::segmented
