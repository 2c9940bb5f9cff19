#include "peers.hpp"

#include <memory>
#include <thrust/execution_policy.h>
#include <thrust/reduce.h>
#include <utility>

namespace steadfold::inline v0::app {

template <class T>
device_call thrust_sum(T const* x, std::int64_t count, result_check<T> check) {
    auto const result = std::make_shared<T>();
    device_call call;
    call.name = "thrust-reduce";
    call.bytes = count * static_cast<std::int64_t>(sizeof(T));
    call.capturable = false; // it returns the sum
    call.enqueue = [=](cudaStream_t stream) {
        *result = thrust::reduce(thrust::cuda::par.on(stream), x, x + count, T{});
    };
    call.fetch = [](cudaStream_t) {};
    call.check = [result, check = std::move(check)] { check(*result); };
    return call;
}

template device_call thrust_sum(double const*, std::int64_t, result_check<double>);
template device_call thrust_sum(float const*, std::int64_t, result_check<float>);
template device_call thrust_sum(std::int64_t const*, std::int64_t, result_check<std::int64_t>);

} // namespace steadfold::inline v0::app
