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

namespace steadfold::inline v0::detail {

reduction_results reduce_source(communicator const& ranks, dtype type, tile_source source, std::int64_t count,
                                operation_set operations, reduce_options const& options, std::int64_t first_index) {
    reduce_detail::require_indices(first_index, count);
    reduce_detail::plan const what = reduce_detail::make_plan(type, operations, options);
    if (operations.intersects(of_pairs))
        throw argument_error(to_string(operations) + " takes two arrays: transform their products or differences");
    auto const back_end = reduce_detail::make_host_backend(what, {});
    back_end->add_source(source, count, first_index);
    exact::reduction_state state = back_end->take();
    combine(state, what, options, ranks);
    return reduce_detail::finish(state, what, options);
}

void require_host_memory(array_view data) {
    if (data.count > 0 && locate(data.data).kind == memory_kind::device)
        throw argument_error("the array is device memory; transforms are not available on GPUs yet");
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
    throw argument_error("transforms are not available on GPUs yet");
}

} // namespace steadfold::inline v0::reduce_detail
