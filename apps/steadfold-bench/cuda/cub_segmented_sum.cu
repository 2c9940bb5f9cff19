#include "peers.hpp"
#include "segment_values.hpp"

#include <cub/device/device_segmented_reduce.cuh>
#include <memory>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <utility>

namespace steadfold::inline v0::app {

namespace {

struct begin_of_segment {
    int size;
    __host__ __device__ std::int64_t operator()(std::int64_t segment) const { return segment * size; }
};
using offsets = thrust::transform_iterator<begin_of_segment, thrust::counting_iterator<std::int64_t>>;

template <class T>
struct state {
    T const* x;
    std::int64_t segments;
    offsets begin;
    std::size_t workspace_bytes = 0;
    detail::device_buffer<std::byte> workspace = nullptr;
    segment_values<sum_type<T>> result{static_cast<std::size_t>(segments), "CUB's segmented sum"};

    cudaError_t run(cudaStream_t stream) {
        return cub::DeviceSegmentedReduce::Sum(workspace.get(), workspace_bytes, x, result.on_device(), segments, begin,
                                               begin + 1, stream);
    }
};

} // namespace

template <class T>
device_call cub_segmented_sum(T const* x, std::int64_t segments, int segment_size,
                              result_check<std::vector<sum_type<T>> const&> check) {
    offsets const begin{thrust::counting_iterator<std::int64_t>{0}, begin_of_segment{segment_size}};
    auto const with = std::make_shared<state<T>>(x, segments, begin);
    detail::check(with->run(nullptr), "asking CUB how much workspace it needs");
    with->workspace = detail::allocate_device<std::byte>(with->workspace_bytes, "CUB's workspace");
    device_call call;
    call.name = "cub-segmented-" + cub_version();
    call.bytes = segments * segment_size * static_cast<std::int64_t>(sizeof(T));
    call.enqueue = [with](cudaStream_t stream) { detail::check(with->run(stream), "starting CUB's segmented sum"); };
    call.fetch = [with](cudaStream_t stream) { with->result.fetch(stream); };
    call.check = [with, check = std::move(check)] { check(with->result.values()); };
    return call;
}

template device_call cub_segmented_sum(double const*, std::int64_t, int, result_check<std::vector<double> const&>);
template device_call cub_segmented_sum(float const*, std::int64_t, int, result_check<std::vector<float> const&>);

} // namespace steadfold::inline v0::app
