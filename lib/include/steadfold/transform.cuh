/// Reductions of what a function makes of elements in GPU memory, on that GPU; for units compiled by nvcc.
///
///     struct kinetic {
///         __host__ __device__ double operator()(double m, double v) const { return 0.5 * m * v * v; }
///     };
///     auto e = sf::transform_reduce(world, sf::view{d_m, n}, sf::view{d_v, n}, sf::on_device{kinetic{}}, sf::sum);
///     int g = sf::fast_reduce(sf::view{d_k, n}, 0, sf::on_device{gcd{}});
///
/// The function is compiled in your own program and makes a few MiB at a time, which the library's kernels find in the
/// cache: they reduce it exactly. The results have the same bits as those of transform.hpp, as long as the function
/// gives the same values: compile it with -fmad=false and without -use_fast_math, or write __dmul_rn and the like.
/// The arrays are device memory of one GPU, with managed and pinned memory among them, or all managed; strided or not.
#pragma once

#ifndef __CUDACC__
#error "steadfold/transform.cuh holds kernels: compile this unit with nvcc, or include steadfold/transform.hpp"
#endif

#include "steadfold/error.hpp"
#include "steadfold/transform.hpp"

#include <cstdint>
#include <cuda_runtime.h>
#include <string>
#include <type_traits>

namespace steadfold {
inline namespace v0 {

/// Says that a function runs on the GPU: a trivially copyable object whose operator() is __device__, or __host__
/// __device__. Of a lambda write the type of what it returns: [] __device__ (double x) -> double { ... }.
template <class F>
struct on_device {
    F function;
};
template <class F>
on_device(F) -> on_device<F>;

namespace detail {

inline constexpr int making_threads = 256, folding_threads = 128;

template <class F, class T>
struct maker_of_one {
    using result = std::remove_cvref_t<std::invoke_result_t<F&, T const&>>;
    F f;
    T const* x;
    std::int64_t stride;
    __device__ result operator()(std::int64_t i) const { return f(x[i * stride]); }
};

template <class F, class T, class U>
struct maker_of_two {
    using result = std::remove_cvref_t<std::invoke_result_t<F&, T const&, U const&>>;
    F f;
    T const* x;
    U const* y;
    std::int64_t x_stride, y_stride;
    __device__ result operator()(std::int64_t i) const { return f(x[i * x_stride], y[i * y_stride]); }
};

/// Starts a kernel; the error is this launch's own, whatever the caller left unasked.
template <class... Parameters, class... Arguments>
void start_kernel(void (*kernel)(Parameters...), unsigned blocks, int threads, stream_ref stream,
                  Arguments const&... arguments) {
    cudaLaunchConfig_t config{};
    config.gridDim = dim3(blocks);
    config.blockDim = dim3(static_cast<unsigned>(threads));
    config.stream = stream.get();
    cudaError_t const error = cudaLaunchKernelEx(&config, kernel, Parameters(arguments)...);
    if (error != cudaSuccess)
        throw library_error(std::string("starting a kernel that calls a function of yours: CUDA says ") +
                            cudaGetErrorString(error));
}

template <class Maker>
__global__ void __launch_bounds__(making_threads)
    make_elements(Maker const maker, std::int64_t first, std::int64_t count, typename Maker::result* out) {
    std::int64_t const i = std::int64_t{blockIdx.x} * making_threads + threadIdx.x;
    if (i < count) out[i] = maker(first + i);
}

/// A device_source::enqueue.
template <class Maker>
void enqueue_made(void const* maker, std::int64_t first, std::int64_t count, void* out, stream_ref stream) {
    auto const blocks = static_cast<unsigned>((count + making_threads - 1) / making_threads);
    start_kernel(make_elements<Maker>, blocks, making_threads, stream, *static_cast<Maker const*>(maker), first, count,
                 static_cast<typename Maker::result*>(out));
}

/// The array in blocks, each folded from the left by a thread.
template <class T, class Value, class Operator>
__global__ void __launch_bounds__(folding_threads)
    fold_blocks(T const* x, std::int64_t stride, std::int64_t count, Operator const op, Value* out) {
    std::int64_t const b = std::int64_t{blockIdx.x} * folding_threads + threadIdx.x, first = b * fast_block;
    if (first >= count) return;
    std::int64_t const last = first + fast_block < count ? first + fast_block : count;
    Value value = x[first * stride];
    for (std::int64_t i = first + 1; i < last; ++i) value = op(value, x[i * stride]);
    out[b] = value;
}

/// The folded blocks, from the left: one thread, to which the others bring them.
template <class Value, class Operator>
__global__ void __launch_bounds__(folding_threads)
    fold_folded(Value const* folded, std::int64_t count, Value value, Operator const op, Value* out) {
    __shared__ alignas(Value) unsigned char memory[folding_threads * sizeof(Value)];
    auto* const brought = reinterpret_cast<Value*>(memory);
    for (std::int64_t first = 0; first < count; first += folding_threads) {
        std::int64_t const left = count - first;
        if (threadIdx.x < left) brought[threadIdx.x] = folded[first + threadIdx.x];
        __syncthreads();
        for (int i = 0; threadIdx.x == 0 && i < folding_threads && i < left; ++i) value = op(value, brought[i]);
        __syncthreads();
    }
    if (threadIdx.x == 0) *out = value;
}

template <class View, class Value, class Operator>
struct fold_on_device {
    View x;
    Value identity;
    Operator op;

    /// `memory` holds a value for each block, and before them the result.
    static void enqueue(void const* what, void* memory, stream_ref stream) {
        using element = std::remove_cv_t<std::remove_pointer_t<decltype(x.data())>>;
        auto const& fold = *static_cast<fold_on_device const*>(what);
        auto* const values = static_cast<Value*>(memory);
        std::int64_t const count = fold_count(fold.x.size());
        auto const blocks = static_cast<unsigned>((count + folding_threads - 1) / folding_threads);
        if (blocks > 0)
            start_kernel(&fold_blocks<element, Value, Operator>, blocks, folding_threads, stream, fold.x.data(),
                         array_view(fold.x).stride, fold.x.size(), fold.op, values + 1);
        start_kernel(&fold_folded<Value, Operator>, 1, folding_threads, stream, values + 1, count, fold.identity,
                     fold.op, values);
    }
};

} // namespace detail

/// As transform_reduce() of transform.hpp, on the GPU.
///
/// @param stream  the arrays are read in its order: after the work already on it, before work put on it later
/// @throws argument_error for arrays in host memory or of two GPUs, library_error if a kernel does not start, besides
///         what reduction throws
template <typed_view View, class F>
[[nodiscard]] auto transform_reduce(communicator const& ranks, View x, on_device<F> const& f, operation_set operations,
                                    reduce_options const& options = {}, std::int64_t first_index = 0,
                                    stream_ref stream = {}) {
    using maker = detail::maker_of_one<F, typename View::value_type>;
    detail::require_default_result(options);
    maker const make{f.function, x.data(), array_view(x).stride};
    return detail::typed<typename maker::result>(
        detail::reduce_source(ranks, dtype_of<typename maker::result>, {detail::enqueue_made<maker>, &make},
                              detail::where_made_on_device({x}), x.size(), operations, options, first_index, stream));
}

/// The same over f(x[i], y[i]).
template <typed_view X, typed_view Y, class F>
[[nodiscard]] auto transform_reduce(communicator const& ranks, X x, Y y, on_device<F> const& f,
                                    operation_set operations, reduce_options const& options = {},
                                    std::int64_t first_index = 0, stream_ref stream = {}) {
    using maker = detail::maker_of_two<F, typename X::value_type, typename Y::value_type>;
    detail::require_default_result(options);
    detail::require_same_length(x, y);
    maker const make{f.function, x.data(), y.data(), array_view(x).stride, array_view(y).stride};
    return detail::typed<typename maker::result>(detail::reduce_source(
        ranks, dtype_of<typename maker::result>, {detail::enqueue_made<maker>, &make},
        detail::where_made_on_device({x, y}), x.size(), operations, options, first_index, stream));
}

/// As fast_reduce() of transform.hpp, in the same order and thus with the same bits, on the GPU. `Value` is trivially
/// copyable. Waits for the result. @throws as transform_reduce(); timeout_error if the device does not finish
template <typed_view View, class Value, class Operator>
[[nodiscard]] Value fast_reduce(View x, Value identity, on_device<Operator> const& op, stream_ref stream = {}) {
    static_assert(std::is_trivially_copyable_v<Value>, "values travel between host and GPU as bytes");
    if (x.empty()) return identity;
    using fold = detail::fold_on_device<View, Value, Operator>;
    fold const what{x, identity, op.function};
    detail::device_work const work{fold::enqueue, &what};
    auto const bytes = static_cast<std::size_t>(detail::fold_count(x.size()) + 1) * sizeof(Value);
    detail::run_on_device(detail::where_made_on_device({x}), bytes, work, &identity, sizeof(Value), stream);
    return identity;
}

} // namespace v0
} // namespace steadfold
