#include "base/cuda_check.hpp"
#include "reduce/cuda/device_finish.cuh"
#include "reduce/cuda/message_kernels.hpp"
#include "reduce/cuda/partials.cuh"
#include "reduce/cuda/reduce_kernel.cuh" // wait_for_kernel_before
#include "reduce/cuda/state_merge.cuh"
#include "reduce/message.hpp"
#include "reduce/weighted_mean.hpp"

namespace steadfold::inline v0::cuda {

namespace {

using namespace reduce_detail;

constexpr int encoding_threads = 1024; // most states are one word a thread
constexpr int result_threads = 256;

__global__ void __launch_bounds__(encoding_threads) encode_message(rank_message const __grid_constant__ message) {
    __shared__ state_slot own;
    wait_for_kernel_before();
    int const thread = static_cast<int>(threadIdx.x), threads = static_cast<int>(blockDim.x);
    exact::reduction_state const& state = *message.state;
    if (thread == 0) own = slot_of(state);
    if (thread == 32) {
        message.words[0] = message.signature;
        message.words[1] = message.signature * message.signature;
    }
    for (int i = thread; i < state_words; i += threads)
        message.words[signature_words + i] = state_word(state, message.elements, message.finish.options.type, i);
    __syncthreads();
    // In place: the other ranks' slots still hold what the last sum left there.
    std::int64_t* const slots = message.words + message_words(0);
    for (int i = thread; i < message.ranks * slot_words; i += threads)
        slots[i] = i / slot_words == message.rank ? own.word[i % slot_words] : 0;
    auto* const to = reinterpret_cast<std::uint64_t*>(message.state);
    auto const* const from = reinterpret_cast<std::uint64_t const*>(message.empty);
    for (int i = thread; i < static_cast<int>(sizeof(exact::reduction_state) / 8); i += threads) to[i] = from[i];
}

__device__ std::int64_t const* slot_at(rank_message const& message, int rank) {
    return message.words + message_words(rank);
}

/// What all slots hold, each kind by a warp of its own. Only sums of `fast` mode depend on the order, which is that of
/// the ranks.
__device__ void merge_slots(rank_message const& message, exact::reduction_state& state) {
    int const warp = static_cast<int>(threadIdx.x / 32), lane = static_cast<int>(threadIdx.x % 32);
    if (warp == 0) {
        exact::extrema_state mine;
        for (int r = lane; r < message.ranks; r += 32) mine.merge(extrema_in(slot_at(message, r)));
        merge_lanes(mine);
        if (lane == 0) state.component[0].extrema = mine;
    } else if (warp == 1 && lane < 6) {
        int const c = lane / 3, which = lane % 3;
        double sum = 0;
        for (int r = 0; r < message.ranks; ++r) sum = __dadd_rn(sum, fast_in(slot_at(message, r), c, which));
        exact::component_state& part = state.component[c];
        (which == 0 ? part.fast_sum : which == 1 ? part.fast_magnitudes : part.fast_products) = sum;
    } else if (warp == 2 && lane == 0) {
        exact::bit_state all;
        for (int r = 0; r < message.ranks; ++r) all.merge(bits_in(slot_at(message, r)));
        state.bits = all;
    } else if (warp == 3 && lane == 0) {
        exact::product_state all;
        for (int r = 0; r < message.ranks; ++r) all.merge(product_in(slot_at(message, r)));
        state.product = all;
    }
}

/// Normalises the digits of every sum of the state, a warp each, and puts them into the view.
__device__ void view_sums(exact::reduction_state& state, dtype type, state_view& view) {
    exact::digit_layout const sums = exact::sum_layout(component_type(type));
    exact::digit_layout const products = exact::product_layout(component_type(type));
    int const warp = static_cast<int>(threadIdx.x / 32), component = warp / 3;
    if (component >= component_count(type)) return;
    auto const which = static_cast<quantity>(warp % 3);
    exact::digit_layout const layout = which == quantity::products ? products : sums;
    exact::digit_span const span = normalised_span(limbs_of(state, which, component), layout.limbs, layout.anchor);
    if (threadIdx.x % 32 == 0) span_of(view, which, component) = span;
}

__device__ void refuse(rank_message const& message) {
    if (threadIdx.x != 0) return;
    ::cuda::atomic_ref<std::uint32_t, ::cuda::thread_scope_system>{*message.disagreed}.store(
        1, ::cuda::memory_order_relaxed); // the end of the kernel is what the host waits for
    int const results = __popc(message.finish.operations);
    for (int i = 0; i < results; ++i) write_result(message.finish, i, result_of_disagreement(message.types[i]));
}

/// Of a weighted mean, in a kernel of its own: the long division of a quotient takes registers.
template <bool IsQuotient>
__global__ void __launch_bounds__(result_threads) round_message(rank_message const __grid_constant__ message) {
    // Words, because constructors do not run in shared memory.
    __shared__ std::uint64_t state_memory[sizeof(exact::reduction_state) / 8], area_memory[sizeof(finish_area) / 8];
    auto& state = reinterpret_cast<exact::reduction_state&>(state_memory);
    auto& area = reinterpret_cast<finish_area&>(area_memory);
    if (!ranks_agree(message.words[0], message.words[1], message.ranks)) {
        refuse(message);
        return;
    }
    dtype const type = message.finish.options.type;
    for (int i = static_cast<int>(threadIdx.x); i < state_words; i += static_cast<int>(blockDim.x))
        take_state_word(state, message.words[signature_words + i], i);
    merge_slots(message, state);
    __syncthreads();
    if (threadIdx.x == 0) area.view = view_of(state, type);
    __syncthreads();
    view_sums(state, type, area.view);
    __syncthreads();
    unsigned const warp = threadIdx.x / 32;
    if constexpr (IsQuotient) {
        __shared__ exact::ratio_scratch scratch;
        if (threadIdx.x == 0)
            write_result(message.finish, 0, weighted_mean(area.view, message.finish.options, scratch));
    } else if (threadIdx.x % 32 == 0 && warp < finish_area::evaluations) {
        evaluate_share(message.finish, area, static_cast<int>(warp), finish_area::evaluations);
    }
}

static_assert(sizeof(exact::reduction_state) % 8 == 0 && sizeof(finish_area) % 8 == 0);
static_assert(result_threads >= 6 * 32); // a warp for every sum of a state

} // namespace

void load_message_kernels() {
    for (auto* const kernel : {encode_message, round_message<false>, round_message<true>}) {
        cudaFuncAttributes attributes{};
        detail::check(cudaFuncGetAttributes(&attributes, kernel), "loading the kernels for messages between ranks");
    }
}

void enqueue_encoding(rank_message const& message, bool overlaps, cudaStream_t stream) {
    cudaLaunchAttribute overlap{};
    overlap.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    overlap.val.programmaticStreamSerializationAllowed = 1;
    cudaLaunchConfig_t config{};
    config.gridDim = dim3(1);
    config.blockDim = dim3(encoding_threads);
    config.stream = stream;
    config.attrs = &overlap;
    config.numAttrs = overlaps ? 1 : 0;
    detail::check(cudaLaunchKernelEx(&config, encode_message, message), "putting a message to other ranks on a stream");
}

void enqueue_results(rank_message const& message, cudaStream_t stream) {
    cudaLaunchConfig_t config{};
    config.gridDim = dim3(1);
    config.blockDim = dim3(result_threads);
    config.stream = stream;
    bool const is_quotient = (message.finish.operations >> static_cast<unsigned>(operation::weighted_mean) & 1) != 0;
    detail::check(cudaLaunchKernelEx(&config, is_quotient ? round_message<true> : round_message<false>, message),
                  "putting the results of all ranks on a stream");
}

} // namespace steadfold::inline v0::cuda
