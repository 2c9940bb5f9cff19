// In place of cccl.cu in builds without STEADFOLD_BENCH_CCCL.
#include "peers.hpp"

namespace steadfold::inline v0::app {

template <class T>
std::optional<device_call> cub_gpu_to_gpu_sum(T const*, std::int64_t, result_check<T>, result_place) {
    return {};
}
template <class T>
std::optional<device_call> cub_fixed_size_segmented_sum(T const*, std::int64_t, int,
                                                        result_check<std::vector<T> const&>) {
    return {};
}

template std::optional<device_call> cub_gpu_to_gpu_sum(double const*, std::int64_t, result_check<double>, result_place);
template std::optional<device_call> cub_gpu_to_gpu_sum(float const*, std::int64_t, result_check<float>, result_place);
template std::optional<device_call> cub_fixed_size_segmented_sum(double const*, std::int64_t, int,
                                                                 result_check<std::vector<double> const&>);
template std::optional<device_call> cub_fixed_size_segmented_sum(float const*, std::int64_t, int,
                                                                 result_check<std::vector<float> const&>);

std::string newer_cub_version() {
    return {};
}

} // namespace steadfold::inline v0::app
