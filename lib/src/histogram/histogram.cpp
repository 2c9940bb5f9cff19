#include "steadfold/histogram.hpp"

#include "histogram/backend.hpp"
#include "histogram/combine.hpp"
#include "reduce/arguments.hpp"
#include "steadfold/error.hpp"
#include "steadfold/reduce.hpp"

#include <algorithm>
#include <numeric>
#include <string>

namespace steadfold {
inline namespace v0 {

using histogram_detail::plan;

struct histogram_counter::implementation {
    plan what;
    execution where;
    std::unique_ptr<histogram_detail::backend> back_end;
    std::vector<std::int64_t> totals; // taken from back ends, one a slot
};

namespace {

void require_plan(plan const& what) {
    std::string const type_name{name(what.type)};
    if (is_complex(what.type))
        throw argument_error("complex numbers have no order: there is no histogram of " + type_name +
                             "; count real and imaginary parts as real arrays");
    if (what.missing && !is_integer(what.type))
        throw argument_error("a missing value can only be given for integers; mark missing " + type_name +
                             " elements with NaN");
    if (what.bins.count() < 1) throw argument_error("these bins were moved away: they have no edges left");
}

std::unique_ptr<histogram_detail::backend> make_backend(plan const& what, execution const& where) {
    reduce_detail::require_execution(where);
    return where.kind == processor_kind::cuda ? make_cuda_backend(what, where) : make_host_backend(what, where);
}

void require_data(array_view data, plan const& what, execution const& where) {
    if (data.type != what.type)
        throw argument_error("the array holds " + std::string(name(data.type)) + ", but the histogram is of " +
                             std::string(name(what.type)));
    if (data.count < 0) throw argument_error("the array has " + std::to_string(data.count) + " elements");
    if (data.count == 0) return;
    detail::require_view(reinterpret_cast<std::uintptr_t>(data.data), data.count, size_bytes(data.type), data.type);
    detail::require_strides("the array", reinterpret_cast<std::uintptr_t>(data.data), data.count, data.stride,
                            data.type);
    if (where.kind == processor_kind::host && locate(data.data).kind == memory_kind::device)
        throw argument_error("the array is device memory; count it with execution{.kind = processor_kind::cuda}");
}

} // namespace

histogram_counter::histogram_counter(dtype type, histogram_bins bins, histogram_options const& options,
                                     execution const& where)
    : implementation_{
          std::make_unique<implementation>(implementation{{type, std::move(bins), options.missing}, where, {}, {}})} {
    implementation& self = *implementation_;
    require_plan(self.what);
    self.back_end = make_backend(self.what, where);
    self.totals.resize(static_cast<std::size_t>(self.what.slots()));
}

histogram_counter::~histogram_counter() = default;
histogram_counter::histogram_counter(histogram_counter&&) noexcept = default;
histogram_counter& histogram_counter::operator=(histogram_counter&&) noexcept = default;

void histogram_counter::add(array_view data, stream_ref stream) {
    implementation& self = *implementation_;
    require_data(data, self.what, self.where);
    if (data.count > 0) self.back_end->add(data, stream);
}

void histogram_counter::wait() {
    implementation_->back_end->wait();
}

void histogram_counter::merge(histogram_counter& other) {
    implementation &self = *implementation_, &theirs = *other.implementation_;
    if (this == &other) throw argument_error("a histogram cannot be merged into itself");
    if (self.what != theirs.what)
        throw mismatch_error("histograms of different types, edges or missing values cannot be merged: " +
                             std::to_string(self.what.bins.count()) + " bins of " + std::string(name(self.what.type)) +
                             " and " + std::to_string(theirs.what.bins.count()) + " bins of " +
                             std::string(name(theirs.what.type)));
    theirs.back_end->take(theirs.totals);
    std::transform(self.totals.begin(), self.totals.end(), theirs.totals.begin(), self.totals.begin(), std::plus{});
    std::fill(theirs.totals.begin(), theirs.totals.end(), 0);
}

histogram_result histogram_counter::finish(communicator const& ranks) {
    implementation& self = *implementation_;
    self.back_end->take(self.totals);
    std::vector<std::int64_t> totals(self.totals.size());
    totals.swap(self.totals);
    combine(totals, self.what, ranks);
    auto const above = totals.end() - 2, nan = totals.end() - 1; // slots of histogram_detail::bin_table
    return {.counts = {totals.begin() + 1, above},
            .below = totals.front(),
            .above = *above,
            .nan = *nan,
            .total = std::accumulate(totals.begin(), totals.end(), std::int64_t{0})};
}

dtype histogram_counter::type() const noexcept {
    return implementation_->what.type;
}
histogram_bins const& histogram_counter::bins() const noexcept {
    return implementation_->what.bins;
}

histogram_result histogram(communicator const& ranks, array_view x, histogram_bins const& bins,
                           histogram_options const& options) {
    histogram_counter once{x.type, bins, options, where_it_lies(x)};
    once.add(x);
    return once.finish(ranks);
}

histogram_result histogram(communicator const& ranks, dtype type, std::span<array_view const> pieces,
                           histogram_bins const& bins, histogram_options const& options) {
    // One counter for every processor that holds a piece; the host takes part even if it holds none.
    std::vector<std::pair<execution, histogram_counter>> places;
    places.emplace_back(execution{}, histogram_counter{type, bins, options});
    plan const what{type, bins, options.missing};
    for (array_view const piece : pieces) require_data(piece, what, where_it_lies(piece)); // before work on any
    for (array_view const piece : pieces) {
        execution const where = where_it_lies(piece);
        auto place = std::find_if(places.begin(), places.end(), [&where](auto const& p) {
            return p.first.kind == where.kind && p.first.device == where.device;
        });
        if (place == places.end())
            place = places.emplace(places.end(), where, histogram_counter{type, bins, options, where});
        place->second.add(piece); // GPUs return at once and work side by side
    }
    for (std::size_t i = 1; i < places.size(); ++i) places[0].second.merge(places[i].second);
    return places[0].second.finish(ranks);
}

} // namespace v0
} // namespace steadfold
