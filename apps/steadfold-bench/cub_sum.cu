#include "cub_sum.hpp"

#include <cub/cub.cuh>

namespace steadfold::inline v0::app {

template <class T>
cub_sum<T>::cub_sum(T const* device_data, std::int64_t count, cudaStream_t stream)
    : data_{device_data}, count_{count}, stream_{stream},
      on_device_{detail::allocate_device<T>(1, "CUB's sum")}, on_host_{detail::allocate_pinned<T>(1, "CUB's sum")} {
    detail::check(cub::DeviceReduce::Sum(nullptr, workspace_bytes_, data_, on_device_.get(), count_, stream_),
                  "asking CUB how much workspace it needs");
    workspace_ = detail::allocate_device<std::byte>(workspace_bytes_, "CUB's workspace");
}

template <class T>
void cub_sum<T>::enqueue() {
    detail::check(cub::DeviceReduce::Sum(workspace_.get(), workspace_bytes_, data_, on_device_.get(), count_, stream_),
                  "starting CUB's sum");
}

template <class T>
T cub_sum<T>::result() {
    enqueue();
    detail::check(cudaMemcpyAsync(on_host_.get(), on_device_.get(), sizeof(T), cudaMemcpyDeviceToHost, stream_),
                  "copying CUB's sum");
    detail::check(cudaStreamSynchronize(stream_), "waiting for CUB's sum");
    return *on_host_;
}

template class cub_sum<float>;
template class cub_sum<double>;

std::string cub_version() {
    constexpr int version = CUB_VERSION; // major, three digits of minor, two of the rest
    return std::to_string(version / 100000) + "." + std::to_string(version / 100 % 1000) + "." +
           std::to_string(version % 100);
}

} // namespace steadfold::inline v0::app
