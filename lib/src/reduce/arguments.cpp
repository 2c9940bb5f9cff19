#include "reduce/arguments.hpp"

#include "steadfold/error.hpp"

#include <limits>
#include <string>

namespace steadfold::inline v0::reduce_detail {

void require_elements(array_view data, dtype type, char const* argument) {
    if (data.type != type)
        throw argument_error(std::string(argument) + " holds " + std::string(name(data.type)) +
                             ", but the reduction is of " + std::string(name(type)));
    if (data.count < 0)
        throw argument_error(std::string(argument) + " has " + std::to_string(data.count) + " elements");
    if (data.count == 0) return;
    if (data.data == nullptr)
        throw argument_error(std::string(argument) + " is null but has " + std::to_string(data.count) + " elements");
    auto const alignment = size_bytes(component_type(data.type));
    if (reinterpret_cast<std::uintptr_t>(data.data) % alignment != 0)
        throw argument_error(std::string(argument) + " is not aligned to the " + std::to_string(alignment) +
                             " bytes of its elements");
    detail::require_strides(argument, reinterpret_cast<std::uintptr_t>(data.data), data.count, data.stride, data.type);
}

void require_indices(std::int64_t first_index, std::int64_t count) {
    if (first_index < 0)
        throw argument_error("first_index is " + std::to_string(first_index) + "; it must be 0 or more");
    if (first_index > std::numeric_limits<std::int64_t>::max() - count)
        throw argument_error("first_index is " + std::to_string(first_index) + ": with " + std::to_string(count) +
                             " elements the indices would exceed 2^63 - 1");
}

void require_pairs(array_view x, array_view y) {
    if (x.count != y.count)
        throw argument_error("two arrays of different length: " + std::to_string(x.count) + " and " +
                             std::to_string(y.count) + " elements");
}

void require_execution(execution const& where) {
    constexpr int most_threads = 1024; // more than any node has: a slip, and it would take the machine with it
    if (where.threads < 0 || where.threads > most_threads)
        throw argument_error("threads is " + std::to_string(where.threads) + "; it must be from 0 to " +
                             std::to_string(most_threads));
    auto const require_count = [](int value, char const* what) {
        if (value < 0)
            throw argument_error(std::string(what) + " is " + std::to_string(value) + "; it must be 0 or more");
    };
    require_count(where.device, "device");
    require_count(where.blocks, "blocks");
    require_count(where.threads_per_block, "threads_per_block");
    if (where.deadline.count() < 0) throw argument_error("deadline is negative; give the longest wait, e.g. 5 s");
}

} // namespace steadfold::inline v0::reduce_detail
