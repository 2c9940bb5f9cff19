// What every reduction asks of its arrays before any work starts.
#pragma once

#include "steadfold/options.hpp"
#include "steadfold/view.hpp"

#include <cstdint>

namespace steadfold::inline v0::reduce_detail {

/// @throws argument_error for another element type than `type`, a negative count, a null or misaligned pointer, or
///         elements outside the address space
void require_elements(array_view data, dtype type, char const* argument);

/// @throws argument_error for a negative index, or one that makes the last element's exceed 2^63 - 1
void require_indices(std::int64_t first_index, std::int64_t count);

/// @throws argument_error unless the two arrays of a dot product have one length
void require_pairs(array_view x, array_view y);

/// @throws argument_error for a number of threads that no node has, and for negative numbers
void require_execution(execution const& where);

} // namespace steadfold::inline v0::reduce_detail
