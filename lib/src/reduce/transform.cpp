#include "steadfold/transform.hpp"

#include "base/cpus.hpp"
#include "base/floating_environment.hpp"
#include "base/thread_pool.hpp"
#include "reduce/arguments.hpp"
#include "reduce/backend.hpp"
#include "reduce/combine.hpp"
#include "reduce/finish.hpp"
#include "steadfold/error.hpp"

#include <algorithm>
#include <atomic>
#include <string>

namespace steadfold::inline v0::detail {

namespace {

using reduce_detail::plan;

plan plan_of_made(dtype type, std::int64_t count, operation_set operations, reduce_options const& options,
                  std::int64_t first_index) {
    reduce_detail::require_indices(first_index, count);
    if (operations.intersects(of_pairs))
        throw argument_error(to_string(operations) + " takes two arrays: transform their products or differences");
    return reduce_detail::make_plan(type, operations, options);
}

reduction_results finish(reduce_detail::backend& back_end, plan const& what, reduce_options const& options,
                         communicator const& ranks) {
    exact::reduction_state state = back_end.take();
    combine(state, what, options, ranks);
    return reduce_detail::finish(state, what, options);
}

} // namespace

reduction_results reduce_source(communicator const& ranks, dtype type, tile_source source, std::int64_t count,
                                operation_set operations, reduce_options const& options, std::int64_t first_index) {
    plan const what = plan_of_made(type, count, operations, options, first_index);
    auto const back_end = reduce_detail::make_host_backend(what, {});
    back_end->add_source(source, count, first_index);
    return finish(*back_end, what, options, ranks);
}

reduction_results reduce_source(communicator const& ranks, dtype type, device_source source, execution const& where,
                                std::int64_t count, operation_set operations, reduce_options const& options,
                                std::int64_t first_index, stream_ref stream) {
    plan const what = plan_of_made(type, count, operations, options, first_index);
    bool const on_gpu = where.kind == processor_kind::cuda;
    auto const back_end = on_gpu ? make_cuda_backend(what, where) : make_host_backend(what, {});
    if (count > 0) back_end->add_device_source(source, count, first_index, stream);
    return finish(*back_end, what, options, ranks);
}

void require_host_memory(array_view data) {
    if (data.count > 0 && locate(data.data).kind == memory_kind::device)
        throw argument_error("the array is device memory, but the function runs on the host: include "
                             "steadfold/transform.cuh and pass on_device{function}");
}

execution where_made(std::initializer_list<array_view> arrays) {
    execution const where = where_they_lie(arrays);
    auto const on_host = [](array_view const& x) { return x.count > 0 && locate(x.data).kind == memory_kind::host; };
    if (where.kind == processor_kind::cuda && std::any_of(arrays.begin(), arrays.end(), on_host))
        throw argument_error("one array is device memory, the other one host memory that GPUs cannot read: copy one of "
                             "them, or use pinned or managed memory");
    return where;
}

execution where_made_on_device(std::initializer_list<array_view> arrays) {
    execution const where = where_made(arrays);
    bool const any = std::any_of(arrays.begin(), arrays.end(), [](array_view const& x) { return x.count > 0; });
    if (any && where.kind == processor_kind::host)
        throw argument_error("the array is host memory, but on_device says that the function runs on a GPU: pass the "
                             "function itself");
    return where;
}

void require_same_length(array_view x, array_view y) {
    reduce_detail::require_pairs(x, y);
}

void run_on_threads(void (*run)(void const* context, std::int64_t i), void const* context, std::int64_t count) {
    constexpr std::int64_t worth_a_thread = 8;
    std::int64_t const useful = std::clamp<std::int64_t>(count / worth_a_thread, 1, base::allowed_cpu_count());
    std::atomic<std::int64_t> next{0};
    auto const job = [&](int) {
        base::default_floating_environment const environment;
        for (std::int64_t i = next++; i < count; i = next++) run(context, i);
    };
    if (useful == 1)
        job(0);
    else
        base::thread_pool{static_cast<int>(useful)}.run(job);
}

} // namespace steadfold::inline v0::detail

namespace steadfold::inline v0::reduce_detail {

void backend::add_source(detail::tile_source, std::int64_t, std::int64_t) {
    throw argument_error("what is made on the host cannot be reduced on a GPU");
}

void backend::add_device_source(detail::device_source, std::int64_t, std::int64_t, stream_ref) {
    throw argument_error("what is made on a GPU cannot be reduced on the host");
}

} // namespace steadfold::inline v0::reduce_detail
