#include "peers.hpp"

#include <cub/device/device_reduce.cuh>
#include <cub/version.cuh>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <memory>
#include <type_traits>
#include <utility>

namespace steadfold::inline v0::app {

namespace {

struct to_float {
    __device__ float operator()(__half x) const { return __half2float(x); }
    __device__ float operator()(__nv_bfloat16 x) const { return __bfloat162float(x); }
};

template <class T>
using cuda_type = std::conditional_t<std::is_same_v<T, half>, __half,
                                     std::conditional_t<std::is_same_v<T, bfloat16>, __nv_bfloat16, T>>;

template <class T>
cudaError_t sum(void* workspace, std::size_t& bytes, T const* x, sum_type<T>* result, std::int64_t count,
                cudaStream_t stream) {
    auto const* const data = reinterpret_cast<cuda_type<T> const*>(x);
    if constexpr (std::is_same_v<T, half> || std::is_same_v<T, bfloat16>)
        return cub::DeviceReduce::TransformReduce(workspace, bytes, data, result, count, cuda::std::plus<>{},
                                                  to_float{}, 0.0f, stream);
    else
        return cub::DeviceReduce::Sum(workspace, bytes, data, result, count, stream);
}

template <class T>
struct state {
    T const* x;
    std::int64_t count;
    device_value<sum_type<T>> result;
    std::size_t workspace_bytes = 0;
    detail::device_buffer<std::byte> workspace = nullptr;
};

} // namespace

template <class T>
device_call cub_sum(T const* x, std::int64_t count, result_check<sum_type<T>> check, result_place place) {
    auto const with = std::make_shared<state<T>>(x, count, device_value<sum_type<T>>{"CUB's sum", place});
    detail::check(sum<T>(nullptr, with->workspace_bytes, x, with->result.target(), count, nullptr),
                  "asking CUB how much workspace it needs");
    with->workspace = detail::allocate_device<std::byte>(with->workspace_bytes, "CUB's workspace");
    device_call call;
    call.name = "cub-" + cub_version();
    call.bytes = count * static_cast<std::int64_t>(sizeof(T));
    call.enqueue = [with](cudaStream_t stream) {
        detail::check(
            sum<T>(with->workspace.get(), with->workspace_bytes, with->x, with->result.target(), with->count, stream),
            "starting CUB's sum");
    };
    call.fetch = [with](cudaStream_t stream) { with->result.fetch(stream); };
    call.check = [with, check = std::move(check)] { check(with->result.value()); };
    return call;
}

template device_call cub_sum(double const*, std::int64_t, result_check<double>, result_place);
template device_call cub_sum(float const*, std::int64_t, result_check<float>, result_place);
template device_call cub_sum(half const*, std::int64_t, result_check<float>, result_place);
template device_call cub_sum(bfloat16 const*, std::int64_t, result_check<float>, result_place);
template device_call cub_sum(std::int8_t const*, std::int64_t, result_check<std::int64_t>, result_place);
template device_call cub_sum(std::int16_t const*, std::int64_t, result_check<std::int64_t>, result_place);
template device_call cub_sum(std::int32_t const*, std::int64_t, result_check<std::int64_t>, result_place);
template device_call cub_sum(std::int64_t const*, std::int64_t, result_check<std::int64_t>, result_place);

std::string cub_version() {
    constexpr int version = CUB_VERSION; // major, three digits of minor, two of the rest
    return std::to_string(version / 100000) + "." + std::to_string(version / 100 % 1000) + "." +
           std::to_string(version % 100);
}

} // namespace steadfold::inline v0::app
