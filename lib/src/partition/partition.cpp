#include "steadfold/partition.hpp"

#include "steadfold/error.hpp"

#include <string>

namespace steadfold {
inline namespace v0 {
namespace detail {

namespace {

std::string listed(std::span<std::int64_t const> numbers) {
    std::string text = "{";
    for (std::int64_t const number : numbers) {
        if (text.size() > 1) text += ", ";
        text += std::to_string(number);
    }
    return text + "}";
}

} // namespace

void throw_bad_partition(std::span<std::int64_t const> extents, level_counts levels) {
    if (extents.empty() || extents.size() > max_dimensions) {
        throw argument_error("a partition has 1 to " + std::to_string(max_dimensions) + " extents, not " +
                             std::to_string(extents.size()) + ": " + listed(extents));
    }
    for (std::int64_t const extent : extents) {
        if (extent < 0) throw argument_error("negative extent " + std::to_string(extent) + " in " + listed(extents));
    }
    std::int64_t product = 0;
    if (!product_fits(extents, 0, product)) {
        throw argument_error("the product of the extents " + listed(extents) + " does not fit in 63 bits");
    }
    std::int64_t const counts[] = {levels.ranks, levels.devices_per_rank, levels.domains_per_device};
    throw argument_error("the counts {ranks, devices per rank, domains per device} = " + listed(counts) +
                         " must each be at least 1 and their product must fit in 63 bits");
}

} // namespace detail
} // namespace v0
} // namespace steadfold
