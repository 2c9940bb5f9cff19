/// Reductions of what a function makes of the elements, and operators of your own.
///
///     auto s = sf::transform_reduce(world, sf::view{t.data(), n}, [](double x) { return x * x * x; }, sf::sum);
///     auto e = sf::transform_reduce(world, sf::view{p.data(), n}, sf::view{q.data(), n},
///                                   [](float a, float b) { return double{a} * b; }, sf::sum | sf::max);
///     int g = sf::fast_reduce(sf::view{k.data(), n}, 0, [](int a, int b) { return std::gcd(a, b); });
///
/// The function is called once an element, from several threads at once, in the default floating-point environment,
/// and compiled in your own program, with its flags. What it returns is reduced exactly: the same bits everywhere, as
/// long as the function is. For that compile it with -ffp-contract=off and without -ffast-math. Host memory only: for
/// functions that run on a GPU, over its memory, see transform.cuh.
#pragma once

#include "steadfold/reduce.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <type_traits>
#include <vector>

namespace steadfold {
inline namespace v0 {

namespace detail {

/// An array that is made piece by piece: fill() writes `count` elements, from element `first` on. Called by several
/// threads at once.
struct tile_source {
    void (*fill)(void const* context, std::int64_t first, std::int64_t count, void* out);
    void const* context;
};

/// The same on a GPU: enqueue() puts on `stream` what writes the elements to device memory, which is small enough to
/// stay in the cache. The device is the current one.
struct device_source {
    void (*enqueue)(void const* context, std::int64_t first, std::int64_t count, void* out, stream_ref stream);
    void const* context;
};

/// reduce() of the source's `count` elements of `type`. Collective.
[[nodiscard]] reduction_results reduce_source(communicator const& ranks, dtype type, tile_source source,
                                              std::int64_t count, operation_set operations,
                                              reduce_options const& options, std::int64_t first_index = 0);
/// @param where   from where_made(); a GPU unless there are no elements
/// @param stream  of the caller: elements are made after what is on it, before what comes to it later
[[nodiscard]] reduction_results reduce_source(communicator const& ranks, dtype type, device_source source,
                                              execution const& where, std::int64_t count, operation_set operations,
                                              reduce_options const& options, std::int64_t first_index = 0,
                                              stream_ref stream = {});

/// where_they_lie(), for elements that are made of the arrays. @throws argument_error if that is a GPU and one of them
/// is host memory that it cannot read
[[nodiscard]] execution where_made(std::initializer_list<array_view> arrays);
/// The same, @throws argument_error for arrays in host memory alone
[[nodiscard]] execution where_made_on_device(std::initializer_list<array_view> arrays);

/// @throws argument_error for memory that only a GPU can read
void require_host_memory(array_view data);
/// @throws argument_error for arrays of different length
void require_same_length(array_view x, array_view y);

template <class T>
[[nodiscard]] T const& element(view<T> x, std::int64_t i) noexcept {
    return x.data()[i];
}
template <class T>
[[nodiscard]] T const& element(strided_view<T> x, std::int64_t i) noexcept {
    return x.data()[i * x.stride()];
}

/// Work on a GPU with memory of its own: enqueue() puts it on `stream`.
struct device_work {
    void (*enqueue)(void const* context, void* memory, stream_ref stream);
    void const* context;
};
/// Gives the work `bytes` of memory, waits for it and copies the first `result_bytes` of the memory to `result`.
/// @throws timeout_error if it takes longer than where.deadline
void run_on_device(execution const& where, std::size_t bytes, device_work work, void* result, std::size_t result_bytes,
                   stream_ref stream);

/// The blocks that fast_reduce() folds on their own.
inline constexpr std::int64_t fast_block = 4096;
[[nodiscard]] constexpr std::int64_t fold_count(std::int64_t elements) {
    return elements / fast_block + (elements % fast_block != 0);
}

/// Calls run(context, i) for every i in [0, count), on several threads.
void run_on_threads(void (*run)(void const* context, std::int64_t i), void const* context, std::int64_t count);

} // namespace detail

/// Results over f(x[i]) on every rank, in one pass; `x` is a view<T> or strided_view<T>. f returns an element type of
/// reduce(). Collective over `ranks`.
///
/// @param f  callable as const from several threads; an exception of it is thrown again here, on this rank only
/// @throws argument_error for device memory, besides what reduction throws
template <typed_view View, class F>
[[nodiscard]] auto transform_reduce(communicator const& ranks, View x, F const& f, operation_set operations,
                                    reduce_options const& options = {}, std::int64_t first_index = 0) {
    using result = std::remove_cvref_t<std::invoke_result_t<F const&, typename View::value_type const&>>;
    detail::require_default_result(options);
    detail::require_host_memory(x);
    struct context {
        View x;
        F const* f;
    } const what{x, &f};
    auto const fill = [](void const* from, std::int64_t first, std::int64_t count, void* out) {
        auto const& c = *static_cast<context const*>(from);
        for (std::int64_t i = 0; i < count; ++i) static_cast<result*>(out)[i] = (*c.f)(detail::element(c.x, first + i));
    };
    return detail::typed<result>(
        detail::reduce_source(ranks, dtype_of<result>, {fill, &what}, x.size(), operations, options, first_index));
}

/// The same over f(x[i], y[i]).
template <typed_view X, typed_view Y, class F>
[[nodiscard]] auto transform_reduce(communicator const& ranks, X x, Y y, F const& f, operation_set operations,
                                    reduce_options const& options = {}, std::int64_t first_index = 0) {
    using result = std::remove_cvref_t<
        std::invoke_result_t<F const&, typename X::value_type const&, typename Y::value_type const&>>;
    detail::require_default_result(options);
    detail::require_host_memory(x);
    detail::require_host_memory(y);
    detail::require_same_length(x, y);
    struct context {
        X x;
        Y y;
        F const* f;
    } const what{x, y, &f};
    auto const fill = [](void const* from, std::int64_t first, std::int64_t count, void* out) {
        auto const& c = *static_cast<context const*>(from);
        for (std::int64_t i = 0; i < count; ++i)
            static_cast<result*>(out)[i] = (*c.f)(detail::element(c.x, first + i), detail::element(c.y, first + i));
    };
    return detail::typed<result>(
        detail::reduce_source(ranks, dtype_of<result>, {fill, &what}, x.size(), operations, options, first_index));
}

/// identity op x[0] op x[1] ... of this process's array, for any associative operator; it need not commute.
///
/// Blocks of 4096 elements are folded from the left, then the blocks: the same order, thus the same bits, for any
/// number of threads, but not the same as a plain loop's where the operator rounds.
template <typed_view View, class Value, class Operator>
[[nodiscard]] Value fast_reduce(View x, Value identity, Operator const& op) {
    constexpr std::int64_t block = detail::fast_block;
    detail::require_host_memory(x);
    struct slot { // std::vector<bool> would share bytes among threads
        Value value;
    };
    std::vector<slot> folded(static_cast<std::size_t>(detail::fold_count(x.size())), slot{identity});
    struct context {
        View x;
        Operator const* op;
        slot* out;
    } const what{x, &op, folded.data()};
    auto const fold = [](void const* from, std::int64_t b) {
        auto const& c = *static_cast<context const*>(from);
        std::int64_t const first = b * block, last = std::min(first + block, c.x.size());
        Value value = detail::element(c.x, first);
        for (std::int64_t i = first + 1; i < last; ++i) value = (*c.op)(value, detail::element(c.x, i));
        c.out[b].value = value;
    };
    detail::run_on_threads(fold, &what, static_cast<std::int64_t>(folded.size()));
    for (slot const& one : folded) identity = op(identity, one.value);
    return identity;
}

} // namespace v0
} // namespace steadfold
