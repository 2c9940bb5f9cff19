#include "ladder/launcher.hpp"

#include <algorithm>

namespace steadfold::inline v0::app::ladder {

namespace {

constexpr int smallest_block = 256; // elements that a block of any rung sums

std::int64_t divided_up(std::int64_t a, std::int64_t b) {
    return (a + b - 1) / b;
}

cudaLaunchConfig_t configuration(std::int64_t blocks, int threads, int cluster, cudaStream_t stream,
                                 cudaLaunchAttribute& attribute) {
    cudaLaunchConfig_t how{};
    how.gridDim = dim3(static_cast<unsigned>(blocks));
    how.blockDim = dim3(static_cast<unsigned>(threads));
    how.stream = stream;
    if (cluster > 1) {
        attribute.id = cudaLaunchAttributeClusterDimension;
        attribute.val.clusterDim = {static_cast<unsigned>(cluster), 1, 1};
        how.attrs = &attribute;
        how.numAttrs = 1;
    }
    return how;
}

std::int64_t resident_blocks_of(rung const& what, int blocks_per_multiprocessor) {
    if (what.cluster > 1) { // clusters fit into groups of multiprocessors, which the driver knows
        cudaLaunchAttribute attribute{};
        cudaLaunchConfig_t const how = configuration(what.cluster, what.threads, what.cluster, nullptr, attribute);
        int clusters = 0;
        detail::check(cudaOccupancyMaxActiveClusters(&clusters, what.kernel, &how), "asking how many clusters fit");
        return std::max(1, clusters) * what.cluster;
    }
    int device = 0, multiprocessors = 0;
    detail::check(cudaGetDevice(&device), "asking for the current device");
    detail::check(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device),
                  "asking for the number of multiprocessors");
    return std::max(1, blocks_per_multiprocessor) * multiprocessors;
}

template <class T>
double fetched(void const* from, cudaStream_t stream) {
    T value{};
    detail::check(cudaMemcpyAsync(&value, from, sizeof value, cudaMemcpyDeviceToHost, stream), "copying a sum");
    detail::check(cudaStreamSynchronize(stream), "waiting for a sum");
    return static_cast<double>(value);
}

} // namespace

scratch::scratch(std::int64_t most_elements) {
    std::int64_t sums = most_elements;
    for (auto& level : sums_) {
        sums = divided_up(sums, smallest_block);
        level = detail::allocate_device<std::byte>(static_cast<std::size_t>(sums) * 4, "the blocks' sums");
    }
    result_ = detail::allocate_device<std::byte>(8, "a sum");
    words_ = detail::allocate_device<std::byte>(digit_words * 8, "digits");
}

launcher::launcher(rung const& what, cudaStream_t stream)
    : rung_{what}, stream_{stream}, facts_{facts_of(what.kernel, what.threads)},
      resident_{resident_blocks_of(what, facts_.blocks_per_multiprocessor)} {}

std::int64_t launcher::blocks_for(std::int64_t n, std::int64_t most_blocks) const {
    std::int64_t blocks = divided_up(n, rung_.elements_per_block);
    if (!rung_.resident) return blocks;
    blocks = std::min(blocks, resident_);
    if (most_blocks > 0) blocks = std::min(blocks, most_blocks);
    if (rung_.elements_per_thread > 0)
        blocks = std::max(blocks, divided_up(n, rung_.elements_per_thread * rung_.threads));
    return divided_up(blocks, rung_.cluster) * rung_.cluster;
}

void launcher::launch(void const* kernel, std::int64_t blocks, int threads, void** arguments) const {
    cudaLaunchAttribute attribute{};
    int const cluster = kernel == rung_.kernel ? rung_.cluster : 1;
    cudaLaunchConfig_t const how = configuration(blocks, threads, cluster, stream_, attribute);
    detail::check(cudaLaunchKernelExC(&how, kernel, arguments), "starting the rung " + rung_.name);
}

void launcher::launch_sum(std::int64_t blocks, void const* x, std::int64_t n, void* to) const {
    void* arguments[] = {&x, &n, &to};
    launch(rung_.kernel, blocks, rung_.threads, arguments);
}

void launcher::clear(void* memory, std::size_t bytes) const {
    detail::check(cudaMemsetAsync(memory, 0, bytes, stream_), "zeroing a sum");
}

launches launcher::enqueue(void const* x, std::int64_t n, scratch const& memory, std::int64_t most_blocks) const {
    std::int64_t const blocks = blocks_for(n, most_blocks);
    void* const result = memory.result();
    switch (rung_.merge) {
    case merging::levels: {
        int level = 0;
        std::int64_t left = blocks;
        launch_sum(blocks, x, n, left == 1 ? result : memory.sums(0));
        for (; left > 1; ++level) {
            std::int64_t const next = blocks_for(left, 0);
            launch_sum(next, memory.sums(level % 2), left, next == 1 ? result : memory.sums((level + 1) % 2));
            left = next;
        }
        return {blocks, level + 1};
    }
    case merging::second_pass:
        launch_sum(blocks, x, n, blocks == 1 ? result : memory.sums(0));
        if (blocks == 1) return {blocks, 1};
        launch_sum(1, memory.sums(0), blocks, result);
        return {blocks, 2};
    case merging::atomics:
        clear(result, 8);
        launch_sum(blocks, x, n, result);
        return {blocks, 2};
    case merging::digits: {
        void* words = memory.words();
        clear(words, digit_words * 8);
        launch_sum(blocks, x, n, words);
        void* to = result;
        void* arguments[] = {&words, &to};
        launch(rung_.rounding, 1, 1, arguments);
        return {blocks, 3};
    }
    case merging::none:
        break;
    }
    launch_sum(blocks, x, n, result);
    return {blocks, 1};
}

double launcher::result(scratch const& memory) const {
    switch (rung_.type) {
    case dtype::int32:
        return fetched<std::int32_t>(memory.result(), stream_);
    case dtype::float64:
        return fetched<double>(memory.result(), stream_);
    default:
        return fetched<float>(memory.result(), stream_);
    }
}

} // namespace steadfold::inline v0::app::ladder
