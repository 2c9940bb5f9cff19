#include "base/cuda_check.hpp"
#include "reduce/cuda/elementwise.hpp"

namespace steadfold::inline v0::cuda {

namespace {

using namespace reduce_detail;

constexpr int threads_per_block = 256;

/// A thread an element: chunks are small, and the next kernel finds them in the cache.
template <class Maker, class Out>
__global__ void __launch_bounds__(threads_per_block)
    make_elements(Maker const maker, std::int64_t first, std::int64_t count, Out const out) {
    std::int64_t const i = std::int64_t{blockIdx.x} * threads_per_block + threadIdx.x;
    if (i < count) maker.make(first + i, out, i);
}

template <class Maker, class Out>
void enqueue(Maker const& maker, std::int64_t first, std::int64_t count, Out const& out, stream_ref stream) {
    if (count == 0) return;
    cudaLaunchConfig_t config{};
    config.gridDim = dim3(static_cast<unsigned>((count + threads_per_block - 1) / threads_per_block));
    config.blockDim = dim3(threads_per_block);
    config.stream = stream.get();
    steadfold::detail::check(cudaLaunchKernelEx(&config, make_elements<Maker, Out>, maker, first, count, out),
                             "starting to make elements");
}

} // namespace

void enqueue_differences(void const* context, std::int64_t first, std::int64_t count, void* out, stream_ref stream) {
    enqueue(*static_cast<difference_maker const*>(context), first, count, out, stream);
}

void enqueue_complex_differences(void const* context, std::int64_t first, std::int64_t count, void* out,
                                 stream_ref stream) {
    enqueue_differences(context, 2 * first, 2 * count, out, stream);
}

void enqueue_powers(void const* context, std::int64_t first, std::int64_t count, void* out, stream_ref stream) {
    enqueue(*static_cast<power_maker const*>(context), first, count, out, stream);
}

void load_making_kernels() {
    cudaFuncAttributes attributes{};
    steadfold::detail::check(cudaFuncGetAttributes(&attributes, make_elements<pair_maker, pair_maker::outputs>),
                             "loading the kernel that makes pairs");
    steadfold::detail::check(cudaFuncGetAttributes(&attributes, make_elements<weight_maker, void*>),
                             "loading the kernel that makes weights");
}

void enqueue_pairs(pair_maker const& make, pair_maker::outputs const& out, stream_ref stream) {
    enqueue(make, 0, make.x.count, out, stream);
}

void enqueue_weights(weight_maker const& make, void* out, stream_ref stream) {
    enqueue(make, 0, make.w.count, out, stream);
}

} // namespace steadfold::inline v0::cuda
