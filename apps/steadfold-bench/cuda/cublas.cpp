#include "peers.hpp"

#include <cublas_v2.h>
#include <memory>
#include <utility>

namespace steadfold::inline v0::app {

namespace {

void check_cublas(cublasStatus_t status, char const* doing) {
    if (status != CUBLAS_STATUS_SUCCESS)
        throw library_error(std::string(doing) + ": cuBLAS says " + cublasGetStatusString(status));
}

struct cublas_destroy {
    void operator()(cublasHandle_t handle) const noexcept { static_cast<void>(cublasDestroy(handle)); }
};
using owned_cublas = std::unique_ptr<std::remove_pointer_t<cublasHandle_t>, cublas_destroy>;

constexpr std::size_t workspace_bytes = std::size_t{32} << 20; // what cuBLAS recommends for Hopper

/// A handle with a workspace of its own, without which calls could not be captured.
template <class T>
struct state {
    owned_cublas handle;
    detail::device_buffer<std::byte> workspace = detail::allocate_device<std::byte>(workspace_bytes, "cuBLAS");
    device_value<T> result{"cuBLAS"};

    state() {
        cublasHandle_t made = nullptr;
        check_cublas(cublasCreate(&made), "starting cuBLAS");
        handle.reset(made);
        check_cublas(cublasSetPointerMode(made, CUBLAS_POINTER_MODE_DEVICE), "setting the pointer mode");
    }
    void use(cudaStream_t stream) {
        if (in_use && stream == used) return;
        check_cublas(cublasSetStream(handle.get(), stream), "setting the stream"); // takes the workspace away
        check_cublas(cublasSetWorkspace(handle.get(), workspace.get(), workspace_bytes), "setting the workspace");
        used = stream;
        in_use = true;
    }

    cudaStream_t used = nullptr;
    bool in_use = false;
};

std::string version_of(cublasHandle_t handle) {
    int version = 0;
    check_cublas(cublasGetVersion(handle, &version), "asking for the version of cuBLAS");
    return std::to_string(version / 10000) + "." + std::to_string(version / 100 % 100) + "." +
           std::to_string(version % 100);
}

/// @param start  called with a handle and where the result is to go
template <class T, class Start>
device_call call_of(char const* name, std::int64_t bytes, result_check<T> check, Start start) {
    auto const with = std::make_shared<state<T>>();
    device_call call;
    call.name = "cublas-" + std::string(name) + "-" + version_of(with->handle.get());
    call.bytes = bytes;
    call.enqueue = [with, start](cudaStream_t stream) {
        with->use(stream);
        check_cublas(start(with->handle.get(), with->result.target()), "starting a reduction of cuBLAS");
    };
    call.fetch = [with](cudaStream_t stream) { with->result.fetch(stream); };
    call.check = [with, check = std::move(check)] { check(with->result.value()); };
    return call;
}

template <class T>
std::int64_t bytes_of(std::int64_t count) {
    return count * static_cast<std::int64_t>(sizeof(T));
}

} // namespace

template <class T>
std::optional<device_call> cublas_dot(T const* x, T const* y, std::int64_t count, result_check<T> check) {
    return call_of<T>("dot", 2 * bytes_of<T>(count), std::move(check), [=](cublasHandle_t handle, T* result) {
        if constexpr (std::is_same_v<T, double>)
            return cublasDdot_64(handle, count, x, 1, y, 1, result);
        else
            return cublasSdot_64(handle, count, x, 1, y, 1, result);
    });
}

template <class T>
std::optional<device_call> cublas_nrm2(T const* x, std::int64_t count, result_check<T> check) {
    return call_of<T>("nrm2", bytes_of<T>(count), std::move(check), [=](cublasHandle_t handle, T* result) {
        if constexpr (std::is_same_v<T, double>)
            return cublasDnrm2_64(handle, count, x, 1, result);
        else
            return cublasSnrm2_64(handle, count, x, 1, result);
    });
}

template <class T>
std::optional<device_call> cublas_asum(T const* x, std::int64_t count, result_check<T> check) {
    return call_of<T>("asum", bytes_of<T>(count), std::move(check), [=](cublasHandle_t handle, T* result) {
        if constexpr (std::is_same_v<T, double>)
            return cublasDasum_64(handle, count, x, 1, result);
        else
            return cublasSasum_64(handle, count, x, 1, result);
    });
}

template std::optional<device_call> cublas_dot(double const*, double const*, std::int64_t, result_check<double>);
template std::optional<device_call> cublas_dot(float const*, float const*, std::int64_t, result_check<float>);
template std::optional<device_call> cublas_nrm2(double const*, std::int64_t, result_check<double>);
template std::optional<device_call> cublas_nrm2(float const*, std::int64_t, result_check<float>);
template std::optional<device_call> cublas_asum(double const*, std::int64_t, result_check<double>);
template std::optional<device_call> cublas_asum(float const*, std::int64_t, result_check<float>);

} // namespace steadfold::inline v0::app
