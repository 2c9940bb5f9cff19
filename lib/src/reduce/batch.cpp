#include "steadfold/batch.hpp"

#include "reduce/arguments.hpp"
#include "reduce/backend.hpp"
#include "reduce/combine.hpp"
#include "reduce/finish.hpp"
#include "steadfold/error.hpp"

#include <memory>

namespace steadfold {
inline namespace v0 {

namespace {

using reduce_detail::plan;

struct started {
    plan what;
    execution where;
    std::unique_ptr<reduce_detail::backend> back_end;
    exact::reduction_state state;
};

bool takes_pairs(batch_item const& item) {
    return item.operations.intersects(of_pairs);
}

started prepare(batch_item const& item) {
    started s;
    s.what = reduce_detail::make_plan(item.x.type, item.operations, item.options);
    reduce_detail::require_elements(item.x, item.x.type, "the array");
    reduce_detail::require_indices(item.first_index, item.x.count);
    if (takes_pairs(item)) {
        reduce_detail::require_elements(item.y, item.x.type, "the second array");
        reduce_detail::require_pairs(item.x, item.y);
        s.where = where_they_lie({item.x, item.y});
    } else {
        if (item.y.data != nullptr || item.y.count != 0)
            throw argument_error("a batch item has a second array, but " + to_string(item.operations) + " takes one");
        s.where = where_it_lies(item.x);
    }
    return s;
}

void start(started& s, batch_item const& item) {
    s.back_end =
        s.where.kind == processor_kind::cuda ? make_cuda_backend(s.what, s.where) : make_host_backend(s.what, s.where);
    if (item.x.count == 0) return;
    if (takes_pairs(item))
        s.back_end->add_pairs(item.x, item.y, {});
    else
        s.back_end->add(item.x, item.first_index, {});
}

} // namespace

std::vector<reduction_results> reduce(communicator const& ranks, std::span<batch_item const> items) {
    std::vector<started> all;
    for (batch_item const& item : items) all.push_back(prepare(item));
    // GPUs first: they return at once and work while the host does.
    for (processor_kind const kind : {processor_kind::cuda, processor_kind::host})
        for (std::size_t i = 0; i < items.size(); ++i)
            if (all[i].where.kind == kind) start(all[i], items[i]);
    std::vector<reduce_detail::combined> together;
    for (std::size_t i = 0; i < items.size(); ++i) {
        all[i].state = all[i].back_end->take();
        together.push_back({&all[i].state, &all[i].what, &items[i].options});
    }
    combine(together, ranks);
    std::vector<reduction_results> results;
    for (std::size_t i = 0; i < items.size(); ++i)
        results.push_back(reduce_detail::finish(all[i].state, all[i].what, items[i].options));
    return results;
}

} // namespace v0
} // namespace steadfold
