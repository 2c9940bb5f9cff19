#include "segmented/arguments.hpp"

#include "reduce/arguments.hpp"
#include "reduce/strided.hpp"
#include "steadfold/error.hpp"

#include <limits>
#include <string>

namespace steadfold::inline v0::segmented {

namespace {

void require_types(settings const& settings, array_view x, output_view const& out) {
    reduce_detail::require_elements(x, settings.what.type, "the array");
    if (out.type != settings.result)
        throw argument_error("the output holds " + std::string(name(out.type)) + ", but " +
                             std::string(name(settings.op)) + " of " + std::string(name(x.type)) + " gives " +
                             std::string(name(settings.result)));
    reduce_detail::require_elements({out.data, out.count, out.type}, settings.result, "the output");
}

struct memory_range {
    void const* data;
    std::int64_t bytes;
    char const* name;
};

memory_range range_of(array_view v, char const* name) {
    return {v.data, v.count * static_cast<std::int64_t>(size_bytes(v.type)), name};
}

void require_apart(memory_range const& a, memory_range const& b) {
    if (a.bytes == 0 || b.bytes == 0 || a.data == nullptr || b.data == nullptr) return;
    auto const first = reinterpret_cast<std::uintptr_t>(a.data), second = reinterpret_cast<std::uintptr_t>(b.data);
    if (first < second + static_cast<std::uintptr_t>(b.bytes) && second < first + static_cast<std::uintptr_t>(a.bytes))
        throw argument_error(std::string("the ") + a.name + " overlaps the " + b.name);
}

void require_no_overlap(array_view x, view<std::int64_t const> offsets, output_view const& out) {
    memory_range const starts = range_of(offsets, "offsets");
    memory_range const output = range_of({out.data, out.count, out.type}, "output");
    memory_range const status = {out.status, out.count, "status output"};
    for (memory_range const& written : {output, status}) {
        if (written.bytes > 0 && written.data != nullptr &&
            reduce_detail::overlaps(x, written.data, static_cast<std::size_t>(written.bytes)))
            throw argument_error(std::string("the ") + written.name + " overlaps the array");
        require_apart(written, starts);
    }
    require_apart(status, output);
}

std::string elements(std::int64_t count) {
    return std::to_string(count) + (count == 1 ? " element" : " elements");
}

/// a * b for numbers that are not negative; the product saturates, which fits no array.
std::int64_t product(std::int64_t a, std::int64_t b) {
    std::int64_t result = 0;
    return __builtin_mul_overflow(a, b, &result) ? std::numeric_limits<std::int64_t>::max() : result;
}

} // namespace

problem problem_of_segments(settings const& settings, array_view x, view<std::int64_t const> offsets, output_view out) {
    require_types(settings, x, out);
    if (offsets.empty())
        throw argument_error("there are no offsets; m segments take m + 1 of them, no segments take one");
    if (out.count != offsets.size() - 1)
        throw argument_error(std::to_string(offsets.size()) + " offsets make " + std::to_string(offsets.size() - 1) +
                             " segments, but the output has " + elements(out.count));
    require_no_overlap(x, offsets, out);
    return {x, {offsets.data(), 0}, out.count, 1, out};
}

problem problem_of_axis(settings const& settings, array_view x, std::span<std::int64_t const> extents, int axis,
                        output_view out) {
    require_types(settings, x, out);
    auto const dimensions = static_cast<int>(extents.size());
    if (dimensions == 0) throw argument_error("no extents given: an array has at least one axis");
    if (axis < 0 || axis >= dimensions)
        throw argument_error("axis is " + std::to_string(axis) + ", but the array has axes 0 to " +
                             std::to_string(dimensions - 1));
    std::int64_t outer = 1, inner = 1;
    for (int i = 0; i < dimensions; ++i) {
        std::int64_t const extent = extents[static_cast<std::size_t>(i)];
        if (extent < 0)
            throw argument_error("the extent of axis " + std::to_string(i) + " is " + std::to_string(extent));
        if (i < axis) outer = product(outer, extent);
        if (i > axis) inner = product(inner, extent);
    }
    std::int64_t const length = extents[static_cast<std::size_t>(axis)], outputs = product(outer, inner);
    if (product(outputs, length) != x.count)
        throw argument_error("the extents make an array of " + elements(product(outputs, length)) +
                             ", but the array has " + elements(x.count));
    if (out.count != outputs)
        throw argument_error("without axis " + std::to_string(axis) + " the extents make " + elements(outputs) +
                             ", but the output has " + elements(out.count));
    require_no_overlap(x, {}, out);
    return {x, {nullptr, length}, outputs, inner, out};
}

void require_offsets(std::int64_t const* offsets, std::int64_t segments, std::int64_t count) {
    bool wrong = offsets[0] < 0 || offsets[segments] > count;
    for (std::int64_t s = 0; s < segments; ++s) wrong |= offsets[s] > offsets[s + 1];
    if (!wrong) return;
    for (std::int64_t s = 0; s <= segments; ++s) {
        if (offsets[s] < 0 || offsets[s] > count)
            throw argument_error("offsets[" + std::to_string(s) + "] is " + std::to_string(offsets[s]) +
                                 ", outside the array of " + elements(count));
        if (s < segments && offsets[s] > offsets[s + 1])
            throw argument_error("offsets[" + std::to_string(s + 1) + "] is " + std::to_string(offsets[s + 1]) +
                                 ", smaller than offsets[" + std::to_string(s) + "], which is " +
                                 std::to_string(offsets[s]));
    }
}

} // namespace steadfold::inline v0::segmented
