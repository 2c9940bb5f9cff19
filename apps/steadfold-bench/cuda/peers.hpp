// What one would use on a GPU without steadfold, as a user calls it with everything made beforehand. Each in a file of
// its own. `check` is given the result of every call that is verified, and throws wrong_result.
#pragma once

#include "device_call.hpp"
#include "values.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace steadfold::inline v0::app {

template <class R>
using result_check = std::function<void(R)>;

/// CUB's DeviceReduce::Sum of the toolkit; half and bfloat16 with float accumulation, integers in 64 bits.
/// T is double, float, half, bfloat16, or a signed integer. Of the current device, as everything here.
template <class T>
[[nodiscard]] device_call cub_sum(T const* x, std::int64_t count, result_check<sum_type<T>> check,
                                  result_place place = result_place::device);

/// CUB's DeviceSegmentedReduce::Sum of the toolkit over segments of one length, whose offsets it computes on the way.
template <class T>
[[nodiscard]] device_call cub_segmented_sum(T const* x, std::int64_t segments, int segment_size,
                                            result_check<std::vector<sum_type<T>> const&> check);

/// thrust::reduce: waits for its result, which it returns. T as for cub_sum, but half and bfloat16.
template <class T>
[[nodiscard]] device_call thrust_sum(T const* x, std::int64_t count, result_check<T> check);

/// CUB's gpu_to_gpu determinism and its sum over segments of a fixed length, of CCCL headers newer than the toolkit's.
/// Nothing without them (CMake option STEADFOLD_BENCH_CCCL). T is double or float.
template <class T>
[[nodiscard]] std::optional<device_call> cub_gpu_to_gpu_sum(T const* x, std::int64_t count, result_check<T> check,
                                                            result_place place = result_place::device);
template <class T>
[[nodiscard]] std::optional<device_call> cub_fixed_size_segmented_sum(T const* x, std::int64_t segments,
                                                                      int segment_size,
                                                                      result_check<std::vector<T> const&> check);

/// cuBLAS. Nothing in a build without it. T is double or float.
template <class T>
[[nodiscard]] std::optional<device_call> cublas_dot(T const* x, T const* y, std::int64_t count, result_check<T> check);
template <class T>
[[nodiscard]] std::optional<device_call> cublas_nrm2(T const* x, std::int64_t count, result_check<T> check);
template <class T>
[[nodiscard]] std::optional<device_call> cublas_asum(T const* x, std::int64_t count, result_check<T> check);

/// No reduction: reads everything with a plain kernel of 16-byte loads. What the memory gives.
[[nodiscard]] device_call plain_read(void const* x, std::int64_t bytes, std::uint32_t exclusive_or_of_words);

/// E.g. "3.0.1": of the toolkit's CUB, and of the newer one; empty without it.
[[nodiscard]] std::string cub_version();
[[nodiscard]] std::string newer_cub_version();

} // namespace steadfold::inline v0::app
