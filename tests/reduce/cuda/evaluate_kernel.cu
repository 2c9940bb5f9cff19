#include "reduce/cuda/evaluate_kernel.hpp"
#include "reduce/evaluate.hpp"

namespace oracle {

namespace {

namespace sf = steadfold;
namespace rd = steadfold::reduce_detail;

__global__ void evaluate_kernel(sf::exact::reduction_state const* state, rd::finish_options const __grid_constant__ how,
                                std::uint32_t ops, sf::result_value* results, long long* clocks) {
    // Words, because constructors do not run in shared memory.
    __shared__ std::uint64_t own[sizeof(sf::exact::reduction_state) / 8], view_words[sizeof(rd::state_view) / 8];
    __shared__ rd::evaluation_scratch scratch[sf::operation_count];
    auto& view = reinterpret_cast<rd::state_view&>(view_words);
    for (unsigned i = threadIdx.x; i < sizeof own / 8; i += blockDim.x)
        own[i] = reinterpret_cast<std::uint64_t const*>(state)[i];
    __syncthreads();
    if (threadIdx.x == 0) view = rd::view_of(reinterpret_cast<sf::exact::reduction_state const&>(own), how.type);
    __syncthreads();
    if (threadIdx.x >= sf::operation_count || ((ops >> threadIdx.x) & 1u) == 0) return;
    long long const start = clock64();
    results[threadIdx.x] = rd::evaluate(static_cast<sf::operation>(threadIdx.x), view, how, scratch[threadIdx.x]);
    clocks[threadIdx.x] = clock64() - start;
}

} // namespace

void evaluate_on_device(sf::exact::reduction_state const* state, rd::finish_options const& options,
                        sf::operation_set ops, sf::result_value* results, long long* clocks) {
    evaluate_kernel<<<1, 64>>>(state, options, ops.bits(), results, clocks);
}

} // namespace oracle
