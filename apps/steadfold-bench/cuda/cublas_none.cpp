// In place of cublas.cpp in builds without cuBLAS.
#include "peers.hpp"

namespace steadfold::inline v0::app {

template <class T>
std::optional<device_call> cublas_dot(T const*, T const*, std::int64_t, result_check<T>) {
    return {};
}
template <class T>
std::optional<device_call> cublas_nrm2(T const*, std::int64_t, result_check<T>) {
    return {};
}
template <class T>
std::optional<device_call> cublas_asum(T const*, std::int64_t, result_check<T>) {
    return {};
}

template std::optional<device_call> cublas_dot(double const*, double const*, std::int64_t, result_check<double>);
template std::optional<device_call> cublas_dot(float const*, float const*, std::int64_t, result_check<float>);
template std::optional<device_call> cublas_nrm2(double const*, std::int64_t, result_check<double>);
template std::optional<device_call> cublas_nrm2(float const*, std::int64_t, result_check<float>);
template std::optional<device_call> cublas_asum(double const*, std::int64_t, result_check<double>);
template std::optional<device_call> cublas_asum(float const*, std::int64_t, result_check<float>);

} // namespace steadfold::inline v0::app
