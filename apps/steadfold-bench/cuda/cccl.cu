// Built with the headers of STEADFOLD_BENCH_CCCL in place of the toolkit's. Both may be in one program: CUB's names
// carry its version.
#include "peers.hpp"
#include "segment_values.hpp"

#include <cub/device/device_reduce.cuh>
#include <cub/device/device_segmented_reduce.cuh>
#include <cub/version.cuh>
#include <cuda/memory_resource>
#include <memory>
#include <utility>

namespace steadfold::inline v0::app {

/// gpu_to_gpu takes no workspace, only something to ask for one. This gives it always the same, so that it pays for no
/// allocations. Not in the unnamed namespace: nvcc warns of members there that concepts alone need.
struct same_memory {
    std::byte* memory;
    std::size_t bytes;

    [[nodiscard]] void* allocate_sync(std::size_t wanted, std::size_t = 0) const {
        if (wanted > bytes)
            throw library_error("CUB asks for " + std::to_string(wanted) +
                                " bytes of workspace, more than it was given");
        return memory;
    }
    [[nodiscard]] void* allocate(cuda::stream_ref, std::size_t wanted, std::size_t = 0) const {
        return allocate_sync(wanted);
    }
    void deallocate_sync(void*, std::size_t, std::size_t = 0) const noexcept {}
    void deallocate(cuda::stream_ref, void*, std::size_t, std::size_t = 0) const noexcept {}
    friend bool operator==(same_memory const& a, same_memory const& b) { return a.memory == b.memory; }
    friend constexpr void get_property(same_memory const&, cuda::mr::device_accessible) noexcept {}
};

namespace {

constexpr std::size_t workspace_bytes = std::size_t{64} << 20;

template <class T>
struct gpu_to_gpu {
    T const* x;
    std::int64_t count;
    device_value<T> result;
    detail::device_buffer<std::byte> workspace = detail::allocate_device<std::byte>(workspace_bytes, "CUB's workspace");

    void enqueue(cudaStream_t stream) const {
        namespace execution = cuda::std::execution;
        auto const environment = execution::env{
            execution::prop{cuda::get_stream_t{}, cuda::stream_ref{stream}},
            execution::prop{cuda::mr::get_memory_resource_t{}, same_memory{workspace.get(), workspace_bytes}},
            cuda::execution::require(cuda::execution::determinism::gpu_to_gpu)};
        detail::check(cub::DeviceReduce::Sum(x, result.target(), count, environment), "starting CUB's gpu_to_gpu sum");
    }
};

template <class T>
struct fixed_size_segments {
    T const* x;
    std::int64_t segments;
    int size;
    std::size_t bytes = 0;
    detail::device_buffer<std::byte> workspace = nullptr;
    segment_values<T> result{static_cast<std::size_t>(segments), "CUB's segmented sum"};

    cudaError_t run(cudaStream_t stream) {
        return cub::DeviceSegmentedReduce::Sum(workspace.get(), bytes, x, result.on_device(), segments, size, stream);
    }
};

} // namespace

template <class T>
std::optional<device_call> cub_gpu_to_gpu_sum(T const* x, std::int64_t count, result_check<T> check,
                                              result_place place) {
    auto const with = std::make_shared<gpu_to_gpu<T> const>(x, count, device_value<T>{"CUB's gpu_to_gpu sum", place});
    device_call call;
    call.name = "cub-gpu-to-gpu-" + newer_cub_version();
    call.bytes = count * static_cast<std::int64_t>(sizeof(T));
    call.enqueue = [with](cudaStream_t stream) { with->enqueue(stream); };
    call.fetch = [with](cudaStream_t stream) { with->result.fetch(stream); };
    call.check = [with, check = std::move(check)] { check(with->result.value()); };
    return call;
}

template <class T>
std::optional<device_call> cub_fixed_size_segmented_sum(T const* x, std::int64_t segments, int segment_size,
                                                        result_check<std::vector<T> const&> check) {
    auto const with = std::make_shared<fixed_size_segments<T>>(x, segments, segment_size);
    detail::check(with->run(nullptr), "asking CUB how much workspace it needs");
    with->workspace = detail::allocate_device<std::byte>(with->bytes, "CUB's workspace");
    device_call call;
    call.name = "cub-segmented-" + newer_cub_version();
    call.bytes = segments * segment_size * static_cast<std::int64_t>(sizeof(T));
    call.enqueue = [with](cudaStream_t stream) { detail::check(with->run(stream), "starting CUB's segmented sum"); };
    call.fetch = [with](cudaStream_t stream) { with->result.fetch(stream); };
    call.check = [with, check = std::move(check)] { check(with->result.values()); };
    return call;
}

template std::optional<device_call> cub_gpu_to_gpu_sum(double const*, std::int64_t, result_check<double>, result_place);
template std::optional<device_call> cub_gpu_to_gpu_sum(float const*, std::int64_t, result_check<float>, result_place);
template std::optional<device_call> cub_fixed_size_segmented_sum(double const*, std::int64_t, int,
                                                                 result_check<std::vector<double> const&>);
template std::optional<device_call> cub_fixed_size_segmented_sum(float const*, std::int64_t, int,
                                                                 result_check<std::vector<float> const&>);

std::string newer_cub_version() {
    constexpr int version = CUB_VERSION; // major, three digits of minor, two of the rest
    return std::to_string(version / 100000) + "." + std::to_string(version / 100 % 1000) + "." +
           std::to_string(version % 100);
}

} // namespace steadfold::inline v0::app
