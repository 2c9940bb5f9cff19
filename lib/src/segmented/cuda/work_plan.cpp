#include "segmented/cuda/work_plan.hpp"

#include "reduce/finish.hpp"
#include "steadfold/results.hpp"

#include <algorithm>
#include <bit>
#include <limits>

namespace steadfold::inline v0::segmented {

namespace {

/// How much work is a piece, in elements: so much that beginning it costs little, and so little that no warp ends long
/// after the others.
struct share {
    std::int64_t a_warp;  // pieces for each warp that the device runs at a time
    std::int64_t longest; // of a piece
};
constexpr share rows_share{4, 8192};
constexpr share cut_share{2, 32768}; // its warps search for where theirs begins
constexpr std::int64_t shortest_chunk = 256;
constexpr std::int64_t least_rows_a_part = 64; // of a column that is cut
constexpr std::int64_t words_a_lane = 4;       // of 8 bytes, that one step takes
constexpr std::int64_t worth_cutting = 2048;   // elements

std::int64_t ceiling(std::int64_t a, std::int64_t b) {
    return (a + b - 1) / b;
}

fixed_result fixed(result_value const& value) {
    return {{value.bits[0], value.bits[1]}, value.status};
}

/// Results of nothing and of a NaN, as reduce() gives them.
void set_fixed_results(settings const& settings, call& c) {
    exact::reduction_state state;
    c.empty = fixed(reduce_detail::finish(state, settings.what, settings.options)[settings.op]);
    state.elements = state.component[0].counts.nan = 1;
    c.nan = fixed(reduce_detail::finish(state, settings.what, settings.options)[settings.op]);
}

call describe(settings const& settings, problem const& problem) {
    call c;
    c.x = problem.x.data;
    c.elements = problem.x.count;
    c.stride = problem.x.contiguous() ? 1 : problem.x.stride;
    c.offsets = problem.segments.offsets;
    c.length = problem.segments.length;
    c.inner = problem.inner;
    c.outputs = problem.outputs;
    c.op = settings.op;
    c.type = settings.what.type;
    c.result = settings.result;
    c.finish = reduce_detail::make_finish_options(settings.what, settings.options);
    c.shape = shape_of(settings.op, c.type);
    // Magnitudes and squares of both parts are added together before anything is rounded.
    if (settings.op == operation::l1 || settings.op == operation::l2 || settings.op == operation::sum_of_squares)
        c.finish.type = component_type(c.type);
    c.has_missing = settings.what.missing.has_value();
    c.missing = settings.what.missing.value_or(0);
    set_fixed_results(settings, c);
    c.out = problem.out.data;
    c.status = problem.out.status;
    return c;
}

/// Fold values of so many elements are added up; products of float64 come with errors that count as well.
int spacing_of(call const& c, std::int64_t elements) {
    return spacing_for(c.shape.product_limbs > 0 ? 2 * elements : elements);
}

/// Elements, or what of segments counts as such, that keep all warps busy for a while.
std::int64_t even_share(std::int64_t work, std::int64_t warps, share of) {
    return std::clamp(ceiling(work, of.a_warp * warps), shortest_chunk, of.longest);
}

/// Lanes that take a row of so many words in one step.
int lanes_for(std::int64_t words) {
    std::int64_t const lanes = std::clamp<std::int64_t>(ceiling(words, words_a_lane), 1, 32);
    return static_cast<int>(std::bit_ceil(static_cast<std::uint64_t>(lanes)));
}

void cut_rows(work_plan& plan, std::int64_t warps) {
    call& c = plan.arguments;
    auto const bytes = static_cast<std::int64_t>(size_bytes(c.type));
    std::int64_t const per_row = c.offsets == nullptr ? c.length : ceiling(c.elements, c.outputs);
    std::int64_t const work = per_row * c.outputs + c.outputs * segment_cost;
    c.cuts = c.offsets != nullptr || c.length > rows_share.longest;
    if (c.cuts) {
        c.chunk = even_share(work, warps, cut_share);
        c.chunks = std::max<std::int64_t>(1, ceiling(work, c.chunk));
        c.longest = c.shape.factors ? std::numeric_limits<std::int64_t>::max() : std::max(c.chunk, worth_cutting);
        plan.records = c.chunks;
        std::int64_t const way = (c.offsets == nullptr ? work : c.elements + c.outputs * segment_cost);
        c.segments_a_step = static_cast<double>(c.outputs) / static_cast<double>(way);
        c.lanes = lanes_for(2 * ceiling(per_row * bytes, 8)); // rows of their own length, most below twice the average
    } else {
        std::int64_t const rows =
            std::max<std::int64_t>(1, even_share(work, warps, rows_share) / (c.length + segment_cost));
        // 32 rows are rounded as quickly as one.
        c.chunk = rows > 32 ? rows / 32 * 32 : rows;
        c.chunks = ceiling(c.outputs, c.chunk);
        bool const aligned = reinterpret_cast<std::uintptr_t>(c.x) % 8 == 0 && per_row * bytes % 8 == 0;
        c.lanes = lanes_for(ceiling(per_row * bytes, 8) + (aligned ? 0 : 1));
    }
    c.spacing = spacing_of(c, c.cuts ? std::min(c.longest, cut_share.longest) : rows_share.longest);
}

void cut_columns(work_plan& plan, bool has_quick, std::int64_t warps) {
    call& c = plan.arguments;
    std::int64_t const groups = has_quick ? ceiling(c.outputs, 32) : c.outputs; // a lane, or a warp for each
    // Cut columns need records: only where the columns alone leave the device idle, or are too long to be summed whole.
    std::int64_t parts = groups * 3 < warps ? ceiling(2 * warps, groups) : 1;
    parts = std::min(parts, std::max<std::int64_t>(1, c.length / least_rows_a_part));
    parts = c.shape.factors ? 1 : std::max(parts, ceiling(c.length, longest_piece));
    c.chunk = std::max<std::int64_t>(1, ceiling(c.length, parts));
    c.parts = std::max<std::int64_t>(1, ceiling(c.length, c.chunk));
    c.chunks = groups * c.parts;
    c.spacing = spacing_of(c, c.chunk);
    if (c.parts > 1) plan.records = c.outputs;
}

} // namespace

work_plan plan_work(settings const& settings, problem const& problem, bool has_quick, std::int64_t resident_warps) {
    work_plan plan;
    plan.arguments = describe(settings, problem);
    if (problem.outputs == 0) return plan;
    if (problem.inner == 1)
        cut_rows(plan, resident_warps);
    else
        cut_columns(plan, has_quick, resident_warps);
    return plan;
}

std::int64_t most_records(std::int64_t elements, std::int64_t outputs, bool has_quick,
                          std::int64_t resident_warps) noexcept {
    std::int64_t const work = elements + 2 * outputs;
    std::int64_t const of_rows = std::max(ceiling(work, cut_share.longest),
                                          std::min(ceiling(work, shortest_chunk), cut_share.a_warp * resident_warps));
    // Columns are cut where they are few, or where each has more elements than one warp may sum.
    std::int64_t const few = resident_warps / 3 * (has_quick ? 32 : 1) + 32;
    return std::max({std::int64_t{1}, of_rows, std::min(outputs, std::max(few, elements / longest_piece + 1))});
}

} // namespace steadfold::inline v0::segmented
