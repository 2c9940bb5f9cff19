#include "steadfold/read.hpp"

#include "array/device_memory.hpp"
#include "steadfold/error.hpp"

#include <algorithm>
#include <cstring>
#include <string>

namespace steadfold::inline v0::detail {

namespace {

/// A range that one buffer holds, and where it goes.
struct chunk {
    index_range range;
    std::byte* to;
    memory_location location;
};

std::vector<chunk> cut(std::vector<read_target> const& targets, std::int64_t most, std::int64_t element_bytes) {
    std::vector<chunk> chunks;
    for (read_target const& target : targets)
        for (std::int64_t done = 0; done < target.range.count; done += most)
            chunks.push_back({{target.range.first + done, std::min(most, target.range.count - done)},
                              static_cast<std::byte*>(target.memory) + done * element_bytes,
                              target.location});
    return chunks;
}

void copy(chunk const& c, std::byte const* from, std::int64_t element_bytes) {
    auto const bytes = static_cast<std::size_t>(c.range.count * element_bytes);
    if (c.location.kind == memory_kind::device)
        copy_with_gpu(c.location.device, c.to, from, bytes, {}); // without a stream: returns when it has arrived
    else
        std::memcpy(c.to, from, bytes);
}

} // namespace

void read_targets(std::vector<read_target> const& targets, dtype type, std::int64_t elements, std::string_view input,
                  read_options const& options) {
    dataset_reader reader{parse_dataset_spec(input), options};
    std::string const name_of_input{input};
    if (reader.info().type != type)
        throw argument_error(name_of_input + " holds " + std::string(name(reader.info().type)) + ", the array " +
                             std::string(name(type)));
    if (reader.info().elements != elements)
        throw argument_error(name_of_input + " holds " + std::to_string(reader.info().elements) +
                             " elements, the array's partition " + std::to_string(elements));
    auto const element_bytes = static_cast<std::int64_t>(size_bytes(type));
    std::vector<chunk> const chunks = cut(targets, reader.chunk_elements(), element_bytes);
    auto const start = [&](std::size_t k) {
        if (k < chunks.size()) reader.start(static_cast<int>(k % 2), chunks[k].range.first, chunks[k].range.count);
    };
    start(0);
    for (std::size_t k = 0; k < chunks.size(); ++k) {
        reader.wait(static_cast<int>(k % 2));
        start(k + 1); // the child reads on while this chunk is copied
        copy(chunks[k], reader.buffer(static_cast<int>(k % 2)), element_bytes);
    }
}

} // namespace steadfold::inline v0::detail
