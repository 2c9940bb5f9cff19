#include "steadfold/reduce.hpp"

#include "exact/state.hpp"
#include "reduce/arguments.hpp"
#include "reduce/backend.hpp"
#include "reduce/combine.hpp"
#include "reduce/finish.hpp"
#include "reduce/plan.hpp"
#include "steadfold/error.hpp"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace steadfold {
inline namespace v0 {

using reduce_detail::plan;

struct reduction::implementation {
    plan what;
    reduce_options options;
    execution where;
    std::unique_ptr<reduce_detail::backend> back_end;
    exact::reduction_state merged; // from other reductions
};

namespace {

std::unique_ptr<reduce_detail::backend> make_backend(plan const& what, execution const& where) {
    reduce_detail::require_execution(where);
    if (where.kind == processor_kind::host) return make_host_backend(what, where);
    return make_cuda_backend(what, where);
}

void require_data(array_view data, plan const& what, execution const& where, char const* argument) {
    reduce_detail::require_elements(data, what.type, argument);
    if (data.count == 0) return;
    if (where.kind == processor_kind::host && locate(data.data).kind == memory_kind::device)
        throw argument_error(std::string(argument) +
                             " is device memory; reduce it with execution{.kind = processor_kind::cuda}");
}

} // namespace

reduction::reduction(dtype type, operation_set operations, reduce_options const& options, execution const& where)
    : implementation_{std::make_unique<implementation>()} {
    implementation_->what = reduce_detail::make_plan(type, operations, options);
    implementation_->options = options;
    implementation_->where = where;
    implementation_->back_end = make_backend(implementation_->what, where);
}

reduction::~reduction() = default;
reduction::reduction(reduction&&) noexcept = default;
reduction& reduction::operator=(reduction&&) noexcept = default;

void reduction::add(array_view data, std::int64_t first_index, stream_ref stream) {
    implementation& self = *implementation_;
    require_data(data, self.what, self.where, "the array");
    reduce_detail::require_indices(first_index, data.count);
    if (self.what.operations.intersects(of_pairs))
        throw argument_error("this reduction computes " + to_string(self.what.operations) +
                             ": give it pairs with add_products");
    if (data.count > 0) self.back_end->add(data, first_index, stream);
}

void reduction::add_products(array_view x, array_view y, stream_ref stream) {
    implementation& self = *implementation_;
    require_data(x, self.what, self.where, "the first array");
    require_data(y, self.what, self.where, "the second array");
    reduce_detail::require_pairs(x, y);
    if (!self.what.operations.intersects(of_pairs))
        throw argument_error("this reduction computes " + to_string(self.what.operations) + ": give it data with add");
    if (x.count > 0) self.back_end->add_pairs(x, y, stream);
}

void reduction::wait() {
    implementation_->back_end->wait();
}

void reduction::merge(reduction& other) {
    implementation &self = *implementation_, &theirs = *other.implementation_;
    if (this == &other) throw argument_error("a reduction cannot be merged into itself");
    if (self.what.type != theirs.what.type || self.what.operations != theirs.what.operations ||
        self.what.mode != theirs.what.mode || self.what.missing != theirs.what.missing ||
        self.options.nans != theirs.options.nans || self.options.ddof != theirs.options.ddof ||
        self.options.result != theirs.options.result)
        throw mismatch_error("reductions of different types, operations or options cannot be merged: " +
                             to_string(self.what.operations) + " of " + std::string(name(self.what.type)) + " and " +
                             to_string(theirs.what.operations) + " of " + std::string(name(theirs.what.type)));
    exact::reduction_state state = theirs.back_end->take();
    exact::merge(self.merged, state, self.what.type);
    exact::merge(self.merged, theirs.merged, self.what.type);
    theirs.merged = {};
}

reduction_results reduction::finish(communicator const& ranks) {
    implementation& self = *implementation_;
    exact::reduction_state state = self.back_end->take();
    exact::merge(state, self.merged, self.what.type);
    self.merged = {};
    combine(state, self.what, self.options, ranks);
    return reduce_detail::finish(state, self.what, self.options);
}

dtype reduction::type() const noexcept {
    return implementation_->what.type;
}
operation_set reduction::operations() const noexcept {
    return implementation_->what.operations;
}

reduction_results reduce(communicator const& ranks, array_view x, operation_set operations,
                         reduce_options const& options, std::int64_t first_index) {
    reduction once{x.type, operations, options, where_it_lies(x)};
    once.add(x, first_index);
    return once.finish(ranks);
}

reduction_results reduce(communicator const& ranks, dtype type, std::span<array_piece const> pieces,
                         operation_set operations, reduce_options const& options) {
    for (array_piece const& piece : pieces) { // all of them before work starts on any
        reduce_detail::require_elements(piece.data, type, "a piece");
        reduce_detail::require_indices(piece.first_index, piece.data.count);
    }
    // One reduction for every processor that holds a piece; the host takes part even if it holds none.
    std::vector<std::pair<execution, reduction>> places;
    places.emplace_back(execution{}, reduction{type, operations, options, {}});
    for (array_piece const& piece : pieces) {
        execution const where = where_it_lies(piece.data);
        auto place = std::find_if(places.begin(), places.end(), [&where](auto const& p) {
            return p.first.kind == where.kind && (where.kind == processor_kind::host || p.first.device == where.device);
        });
        if (place == places.end())
            place = places.emplace(places.end(), where, reduction{type, operations, options, where});
        place->second.add(piece.data, piece.first_index); // GPUs return at once and work side by side
    }
    for (std::size_t i = 1; i < places.size(); ++i) places[0].second.merge(places[i].second);
    return places[0].second.finish(ranks);
}

result_value dot(communicator const& ranks, array_view x, array_view y, reduce_options const& options) {
    reduction once{x.type, operation::dot, options, where_they_lie({x, y})};
    once.add_products(x, y);
    return once.finish(ranks)[operation::dot];
}

namespace detail {
void require_default_result(reduce_options const& options) {
    if (options.result)
        throw argument_error(
            "options.result is set, but typed results have fixed types; pass an array_view to choose one");
}
} // namespace detail

} // namespace v0
} // namespace steadfold
