// Stands in for the CUDA back end where the library is built without CUDA.
#include "reduce/backend.hpp"
#include "reduce/cuda/elementwise.hpp"
#include "steadfold/error.hpp"

namespace steadfold::inline v0::reduce_detail {

std::unique_ptr<backend> make_cuda_backend(plan const&, execution const&) {
    throw argument_error("this steadfold was built without CUDA; reduce on the host, or build with STEADFOLD_CUDA=ON");
}

} // namespace steadfold::inline v0::reduce_detail

// Never called: without CUDA no array lies on a GPU.
namespace steadfold::inline v0::cuda {

void enqueue_differences(void const*, std::int64_t, std::int64_t, void*, stream_ref) {}
void enqueue_complex_differences(void const*, std::int64_t, std::int64_t, void*, stream_ref) {}
void enqueue_powers(void const*, std::int64_t, std::int64_t, void*, stream_ref) {}

} // namespace steadfold::inline v0::cuda

namespace steadfold::inline v0::detail {

void run_on_device(execution const&, std::size_t, device_work, void*, std::size_t, stream_ref) {}

} // namespace steadfold::inline v0::detail
