#include "special_values.hpp"

#include "base/cuda_handles.hpp"
#include "peers.hpp"
#include "reference.hpp"
#include "steadfold/dtype.hpp"
#include "steadfold/reduce.hpp"

#include <cmath>
#include <limits>
#include <type_traits>
#include <utility>

namespace steadfold::inline v0::app {

namespace {

template <class T>
struct example {
    std::string what;
    std::vector<T> x;
    T expected;
};

template <class T>
std::vector<example<T>> examples() {
    using limits = std::numeric_limits<T>;
    constexpr int few = 1000, many = 100000;
    T const tiny = 3 * limits::denorm_min(), large = std::is_same_v<T, double> ? T(1e100) : T(1e30);
    std::vector<T> ones(few, T{1});
    ones[few / 2] = limits::infinity();
    return {{"1,000 zeros", std::vector<T>(few, T{0}), T{0}},
            {"+Inf among ones", std::move(ones), limits::infinity()},
            {"100,000 subnormals", std::vector<T>(many, tiny),
             std::ldexp(T{3 * many}, limits::min_exponent - limits::digits)},
            {std::is_same_v<T, double> ? "1e100 + 1 - 1e100" : "1e30 + 1 - 1e30", {large, T{1}, -large}, T{1}}};
}

template <class T>
detail::device_buffer<T> on_device(std::vector<T> const& x) {
    auto memory = detail::allocate_device<T>(x.size(), "an example");
    detail::check(cudaMemcpy(memory.get(), x.data(), x.size() * sizeof(T), cudaMemcpyHostToDevice),
                  "copying an example to the device");
    return memory;
}

/// @param make  called with the check that receives the result
template <class T, class Make>
std::optional<double> result_of(Make const& make) {
    T result{};
    std::optional<device_call> const call = make([&result](T sum) { result = sum; });
    if (!call) return {};
    detail::owned_stream const stream = detail::make_stream();
    call->enqueue(stream.get());
    call->fetch(stream.get());
    call->check();
    return result;
}

template <class T>
special_sum summed(example<T> const& one) {
    auto const x = on_device(one.x);
    auto const count = static_cast<std::int64_t>(one.x.size());
    auto const cub =
        result_of<T>([&](result_check<T> keep) { return std::optional(cub_sum<T>(x.get(), count, keep)); });
    auto const gpu_to_gpu =
        result_of<T>([&](result_check<T> keep) { return cub_gpu_to_gpu_sum<T>(x.get(), count, keep); });
    T const ours = reduce({}, view<T const>{x.get(), count}, sum).sum;
    require_same_bits(ours, one.expected, one.what.c_str());
    return {one.what, std::string(name(dtype_of<T>)), one.expected, *cub, gpu_to_gpu, ours};
}

} // namespace

std::vector<special_sum> special_sums() {
    std::vector<special_sum> all;
    for (example<double> const& each : examples<double>()) all.push_back(summed(each));
    for (example<float> const& each : examples<float>()) all.push_back(summed(each));
    return all;
}

} // namespace steadfold::inline v0::app
