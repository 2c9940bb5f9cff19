#include "reduce/cuda/launch.hpp"

#include "base/cuda_check.hpp"
#include "steadfold/error.hpp"

#include <algorithm>
#include <string>

namespace steadfold::inline v0::cuda {

namespace {

using steadfold::detail::check;

constexpr int default_threads_per_block = 256;
constexpr std::size_t shared_bytes_without_asking = 48 * 1024;
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

} // namespace

launcher::launcher(kernel_choice const& choice, reduce_detail::plan const& plan, execution const& where)
    : choice_{choice}, device_{where.device}, threads_{threads_of(where)}, fixed_blocks_{where.blocks > 0},
      components_{component_count(plan.type)}, component_bytes_{static_cast<std::int64_t>(
                                                   size_bytes(component_type(plan.type)))},
      counts_zeros_{(plan.features & reduce_detail::feature_zeros) != 0},
      has_missing_{plan.missing.has_value()}, missing_{plan.missing.value_or(0)} {
    if (where.blocks < 0) throw argument_error("blocks is " + std::to_string(where.blocks));
    auto const* const function = reinterpret_cast<void const*>(choice.function);
    if (choice.shared_bytes > shared_bytes_without_asking)
        check(cudaFuncSetAttribute(function, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                   static_cast<int>(choice.shared_bytes)),
              "reserving shared memory for a reduction");
    int per_multiprocessor = 0;
    check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_multiprocessor, function, threads_, choice.shared_bytes),
          "asking how many blocks of the reduction fit a multiprocessor");
    int const multiprocessors = attribute(cudaDevAttrMultiProcessorCount, device_, "the number of multiprocessors");
    blocks_ = fixed_blocks_ ? where.blocks : std::max(1, per_multiprocessor * multiprocessors);
    overlaps_ = attribute(cudaDevAttrComputeCapabilityMajor, device_, "the compute capability") >= 9;
    integer_only_ = where.integer_arithmetic || attribute(cudaDevAttrSingleToDoublePrecisionPerfRatio, device_,
                                                          "the speed of float64") > least_float64_ratio;
}

pass_arguments launcher::arguments_for(void const* x, void const* y, std::int64_t count,
                                       std::int64_t first_index) const {
    pass_arguments arguments;
    arguments.x = x;
    arguments.y = y;
    arguments.length = count * components_;
    auto const misaligned = static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(x) % 16);
    arguments.head = std::min(arguments.length, (16 - misaligned) % 16 / component_bytes_);
    if (components_ == 2 && arguments.head % 2 != 0) {
        arguments.head = 0;
        arguments.x_aligned = false;
    }
    arguments.vectors = (arguments.length - arguments.head) * component_bytes_ / 16;
    auto const y_start =
        reinterpret_cast<std::uintptr_t>(y) + static_cast<std::uintptr_t>(arguments.head * component_bytes_);
    arguments.y_aligned = y_start % 16 == 0;
    arguments.first_index = first_index;
    arguments.counts_zeros = counts_zeros_;
    arguments.integer_only = integer_only_;
    arguments.has_missing = has_missing_;
    arguments.missing = missing_;
    arguments.integer_bytes = static_cast<int>(component_bytes_);
    return arguments;
}

int launcher::blocks_for(pass_arguments const& arguments) const {
    if (fixed_blocks_) return blocks_;
    std::int64_t const work_a_block = std::int64_t{threads_} * choice_.vectors_in_flight;
    std::int64_t const useful = std::max<std::int64_t>(1, (arguments.vectors + work_a_block - 1) / work_a_block);
    return static_cast<int>(std::min<std::int64_t>(blocks_, useful));
}

void launcher::launch(pass_arguments const& arguments, cudaStream_t stream) const {
    cudaLaunchAttribute overlap{};
    overlap.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    overlap.val.programmaticStreamSerializationAllowed = 1;
    cudaLaunchConfig_t config{};
    config.gridDim = dim3(static_cast<unsigned>(blocks_for(arguments)));
    config.blockDim = dim3(static_cast<unsigned>(threads_));
    config.dynamicSmemBytes = choice_.shared_bytes;
    config.stream = stream;
    config.attrs = &overlap;
    config.numAttrs = overlaps_ ? 1 : 0;
    void* parameters[] = {const_cast<pass_arguments*>(&arguments)};
    check(cudaLaunchKernelExC(&config, reinterpret_cast<void const*>(choice_.function), parameters),
          "starting a reduction on device " + std::to_string(device_));
}

void require_device(int device) {
    int count = 0;
    cudaError_t const result = cudaGetDeviceCount(&count);
    if (result != cudaSuccess) {
        static_cast<void>(cudaGetLastError());
        throw argument_error(std::string("there is no usable GPU here: CUDA says ") + cudaGetErrorString(result));
    }
    if (device < 0 || device >= count)
        throw argument_error("there is no CUDA device " + std::to_string(device) + "; this process sees " +
                             std::to_string(count));
}

} // namespace steadfold::inline v0::cuda
