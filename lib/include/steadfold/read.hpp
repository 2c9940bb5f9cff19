/// Filling partitioned arrays from files.
///
///     sf::array<double> p{layout, here.self, here.here().devices};
///     sf::read(p, "field.h5:/pressure");   // every rank reads its own part, into the memory of its devices
#pragma once

#include "steadfold/array.hpp"
#include "steadfold/dataset.hpp"

#include <string_view>
#include <vector>

namespace steadfold {
inline namespace v0 {

namespace detail {
/// Where a range of the data set goes; device memory too.
struct read_target {
    void* memory;
    index_range range;
    memory_location location;
};
void read_targets(std::vector<read_target> const& targets, dtype type, std::int64_t elements, std::string_view input,
                  read_options const& options);
} // namespace detail

/// Reads this rank's part of a data set, "FILE[:DATASET]" as parse_dataset_spec() takes it. Returns when all of it has
/// arrived; not collective. Works through two buffers of `options.buffer_bytes`, whatever the size.
///
/// @throws argument_error  if the data set's element type is not T or its number of elements not that of the partition
/// @throws io_error, timeout_error  as dataset_reader
template <class T>
void read(array<T>& into, std::string_view input, read_options const& options = {}) {
    std::vector<detail::read_target> targets;
    for (auto const& shard : into.shards())
        if (shard.range.count > 0) targets.push_back({shard.data.data(), shard.range, shard.location});
    detail::read_targets(targets, dtype_of<T>, into.layout().size(), input, options);
}

} // namespace v0
} // namespace steadfold
