#include "peers.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <memory>

namespace steadfold::inline v0::app {

namespace {

constexpr int threads_per_block = 512;

struct words {
    uint4 const* first;
    std::int64_t count;
};

__device__ unsigned mixed(uint4 word) {
    return word.x ^ word.y ^ word.z ^ word.w;
}

/// Every word once. What is read must count for something, or the compiler would read nothing: all words' exclusive or
/// is added to `result`, or compared with a value it does not have.
template <int Unroll, bool Keep>
__global__ void __launch_bounds__(threads_per_block) read_all(words x, unsigned never, unsigned* result) {
    constexpr int tile = threads_per_block * Unroll;
    std::int64_t const whole = x.count / tile;
    unsigned seen = 0;
    for (std::int64_t i = blockIdx.x; i < whole; i += gridDim.x) {
        uint4 const* const from = x.first + i * tile + threadIdx.x;
        uint4 loaded[Unroll];
#pragma unroll
        for (int k = 0; k < Unroll; ++k) loaded[k] = __ldg(from + k * threads_per_block);
#pragma unroll
        for (int k = 0; k < Unroll; ++k) seen ^= mixed(loaded[k]);
    }
    if (blockIdx.x == gridDim.x - 1)
        for (std::int64_t i = whole * tile + threadIdx.x; i < x.count; i += threads_per_block)
            seen ^= mixed(x.first[i]);
    if constexpr (Keep)
        atomicXor(result, seen);
    else if (seen == never)
        *result = 1;
}

using kernel = void (*)(words, unsigned, unsigned*);
constexpr std::array<kernel, 3> kernels{read_all<4, false>, read_all<8, false>, read_all<16, false>};
constexpr std::array<kernel, 3> checked{read_all<4, true>, read_all<8, true>, read_all<16, true>};

int blocks_of(kernel which) {
    int device = 0, processors = 0, resident = 0;
    detail::check(cudaGetDevice(&device), "asking for the current device");
    detail::check(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device), "counting SMs");
    detail::check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, which, threads_per_block, 0),
                  "asking how many blocks fit");
    return std::max(1, processors * resident);
}

struct state {
    words x;
    unsigned expected = 0;
    std::size_t which = 0;
    std::array<int, 3> blocks{blocks_of(kernels[0]), blocks_of(kernels[1]), blocks_of(kernels[2])};
    device_value<unsigned> result{"a plain read"};

    void start(kernel what, cudaStream_t stream) const {
        what<<<static_cast<unsigned>(blocks[which]), threads_per_block, 0, stream>>>(x, 0x9e3779b9u, result.target());
        detail::check(cudaGetLastError(), "starting a plain read");
    }

    /// Of three runs, after one to warm up.
    float milliseconds() const {
        cudaEvent_t before = nullptr, after = nullptr;
        detail::check(cudaEventCreate(&before), "creating an event");
        detail::owned_event const first{before};
        detail::check(cudaEventCreate(&after), "creating an event");
        detail::owned_event const last{after};
        start(kernels[which], nullptr);
        detail::check(cudaEventRecord(before, nullptr), "recording an event");
        for (int i = 0; i < 3; ++i) start(kernels[which], nullptr);
        detail::check(cudaEventRecord(after, nullptr), "recording an event");
        detail::check(cudaEventSynchronize(after), "waiting for a plain read");
        float time = 0;
        detail::check(cudaEventElapsedTime(&time, before, after), "taking the time");
        return time;
    }

    void choose_best() {
        std::array<float, 3> times{};
        for (which = 0; which < kernels.size(); ++which) times[which] = milliseconds();
        which = static_cast<std::size_t>(std::min_element(times.begin(), times.end()) - times.begin());
    }

    void check_all_kernels() {
        std::size_t const chosen = which;
        for (which = 0; which < checked.size(); ++which) {
            detail::check(cudaMemset(result.target(), 0, sizeof(unsigned)), "clearing a result");
            start(checked[which], nullptr);
            result.fetch(nullptr);
            if (result.value() != expected) throw wrong_result("the plain read did not read every word once");
        }
        which = chosen;
    }
};

} // namespace

device_call plain_read(void const* x, std::int64_t bytes, std::uint32_t exclusive_or_of_words) {
    auto const with = std::make_shared<state>();
    with->x = {static_cast<uint4 const*>(x), bytes / 16};
    with->expected = exclusive_or_of_words;
    with->choose_best();
    device_call call;
    call.name = "plain-read";
    call.bytes = bytes / 16 * 16;
    call.enqueue = [with](cudaStream_t stream) { with->start(kernels[with->which], stream); };
    call.fetch = [with](cudaStream_t stream) { with->result.fetch(stream); };
    call.check = [with] { with->check_all_kernels(); };
    return call;
}

} // namespace steadfold::inline v0::app
