#include "reduce/cuda/launch.hpp"

#include "base/cuda_check.hpp"
#include "steadfold/error.hpp"

#include <algorithm>
#include <string>

namespace steadfold::inline v0::cuda {

namespace {

using steadfold::detail::check;

constexpr int default_threads_per_block = 256;
constexpr int least_bulk_tiles = 5; // a warp's: with fewer, plain loads are as quick
constexpr int least_float64_ratio =
    4; // float32 units for each float64 unit, above which integers are quicker than folds

int attribute(cudaDeviceAttr which, int device, char const* what) {
    int value = 0;
    check(cudaDeviceGetAttribute(&value, which, device), std::string("asking for ") + what);
    return value;
}

int threads_of(execution const& where) {
    int const threads = where.threads_per_block > 0 ? where.threads_per_block : default_threads_per_block;
    if (where.threads_per_block < 0 || threads % 32 != 0 || threads > max_threads_per_block)
        throw argument_error("threads_per_block is " + std::to_string(where.threads_per_block) +
                             "; it must be a multiple of 32, at most " + std::to_string(max_threads_per_block));
    return threads;
}

cudaLaunchAttribute cluster_of(int blocks) {
    cudaLaunchAttribute attribute{};
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim = {static_cast<unsigned>(blocks), 1, 1};
    return attribute;
}

} // namespace

launcher::launcher(reduce_detail::plan const& plan, bool fast, execution const& where)
    : choice_{find_kernel(plan, fast)}, device_{where.device}, threads_{threads_of(where)},
      fixed_blocks_{where.blocks > 0}, fixed_threads_{where.threads_per_block > 0}, what_{plan} {
    if (where.blocks < 0) throw argument_error("blocks is " + std::to_string(where.blocks));
    auto const* const function = reinterpret_cast<void const*>(choice_.function);
    int const multiprocessors = attribute(cudaDevAttrMultiProcessorCount, device_, "the number of multiprocessors");
    auto const blocks_with = [&](std::size_t shared) {
        int per_multiprocessor = 0;
        check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_multiprocessor, function, threads_, shared),
              "asking how many blocks of the reduction fit a multiprocessor");
        return per_multiprocessor * multiprocessors;
    };
    // The attribute belongs to the function, not to this launcher: always all there is.
    cudaFuncAttributes attributes{};
    check(cudaFuncGetAttributes(&attributes, function), "asking about a reduction kernel");
    std::size_t const most_shared = static_cast<std::size_t>(attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin, device_,
                                                                       "the size of shared memory")) -
                                    attributes.sharedSizeBytes;
    check(cudaFuncSetAttribute(function, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(most_shared)),
          "reserving shared memory for a reduction");
    // Code for an older chip has no bulk copies in it, and waits for nobody, wherever it runs.
    constexpr int first_with_both = 90;
    overlaps_ = attributes.ptxVersion >= first_with_both &&
                attribute(cudaDevAttrComputeCapabilityMajor, device_, "the compute capability") >= 9;
    bool const can_bulk = choice_.may_bulk && overlaps_ && choice_.shared_bytes + bulk_bytes(2) <= most_shared;
    blocks_ = fixed_blocks_ ? where.blocks : std::max(1, blocks_with(choice_.shared_bytes));
    if (can_bulk)
        for (int arrays : {1, 2})
            bulk_blocks_[arrays - 1] =
                fixed_blocks_ ? where.blocks : blocks_with(choice_.shared_bytes + bulk_bytes(arrays));
    small_ = {1, threads_, fixed_blocks_ ? 0 : choice_.most_small_vectors, choice_.small_folds,
              choice_.most_small_elements};
    if (small_.vectors > 0 && overlaps_) small_.blocks = most_cluster_blocks();
    integer_only_ = where.integer_arithmetic || attribute(cudaDevAttrSingleToDoublePrecisionPerfRatio, device_,
                                                          "the speed of float64") > least_float64_ratio;
}

pass_arguments launcher::arguments_for(array_view x, array_view y, std::int64_t first_index) const {
    pass_arguments arguments;
    set_arrays(arguments, x, y, what_);
    arguments.first_index = first_index;
    set_tiles(arguments, choice_.vectors_in_flight);
    int const bulk_blocks = bulk_blocks_[y.data != nullptr ? 1 : 0];
    arguments.bulk = bulk_blocks > 0 && !arguments.strided && arguments.x_aligned && arguments.y_aligned &&
                     arguments.tiles >= least_bulk_tiles * warps_of(bulk_blocks);
    arguments.direct = arguments.tiles <= warps_of(blocks_);
    arguments.integer_only = integer_only_;
    return arguments;
}

std::int64_t launcher::warps_of(int blocks) const {
    return std::int64_t{blocks} * (threads_ / warp_threads);
}

std::size_t launcher::bulk_bytes(int arrays) const {
    return std::size_t{16} *
           static_cast<std::size_t>(choice_.bulk_stages * arrays * threads_ * choice_.vectors_in_flight);
}

int launcher::blocks_for(pass_arguments const& arguments) const {
    if (fixed_blocks_) return blocks_;
    if (arguments.small_bits != 0) return grid_of_small(arguments, small_).blocks;
    std::int64_t const most = arguments.bulk ? bulk_blocks_[arguments.y != nullptr ? 1 : 0] : blocks_;
    std::int64_t const warps = threads_ / warp_threads, wanted = (arguments.tiles + warps - 1) / warps;
    return static_cast<int>(std::clamp<std::int64_t>(wanted, 1, most));
}

int launcher::threads_for(pass_arguments const& arguments) const {
    if (fixed_threads_) return threads_;
    if (arguments.small_bits != 0) return grid_of_small(arguments, small_).threads;
    return static_cast<int>(std::clamp<std::int64_t>(arguments.tiles * warp_threads, warp_threads, threads_));
}

int launcher::most_cluster_blocks() const {
    for (int blocks = most_small_blocks; blocks > 1; blocks /= 2) {
        cudaLaunchAttribute attribute = cluster_of(blocks);
        cudaLaunchConfig_t config{};
        config.gridDim = dim3(static_cast<unsigned>(blocks));
        config.blockDim = dim3(static_cast<unsigned>(threads_));
        config.dynamicSmemBytes = choice_.shared_bytes;
        config.attrs = &attribute;
        config.numAttrs = 1;
        int clusters = 0;
        check(cudaOccupancyMaxActiveClusters(&clusters, reinterpret_cast<void const*>(choice_.function), &config),
              "asking how many clusters of a reduction fit the device");
        if (clusters > 0) return blocks;
    }
    return 1;
}

void launcher::launch(pass_arguments arguments, cudaStream_t stream) const {
    set_small(arguments, small_);
    int const blocks = blocks_for(arguments);
    set_block_tiles(arguments, blocks);
    cudaLaunchAttribute attributes[2]{};
    attributes[0].id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attributes[0].val.programmaticStreamSerializationAllowed = 1;
    attributes[1] = cluster_of(blocks);
    cudaLaunchConfig_t config{};
    config.gridDim = dim3(static_cast<unsigned>(blocks));
    config.blockDim = dim3(static_cast<unsigned>(threads_for(arguments)));
    config.dynamicSmemBytes = choice_.shared_bytes + (arguments.bulk ? bulk_bytes(arguments.y != nullptr ? 2 : 1) : 0);
    config.stream = stream;
    config.attrs = attributes;
    config.numAttrs = !overlaps_ ? 0 : arguments.small_bits != 0 && blocks > 1 ? 2 : 1;
    void* parameters[] = {&arguments};
    check(cudaLaunchKernelExC(&config, reinterpret_cast<void const*>(choice_.function), parameters),
          "starting a reduction");
}

} // namespace steadfold::inline v0::cuda
