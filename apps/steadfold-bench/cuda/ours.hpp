// steadfold's reductions as device_calls.
#pragma once

#include "device_call.hpp"
#include "device_data.hpp"
#include "steadfold/operations.hpp"
#include "steadfold/options.hpp"

#include <cstdint>
#include <string>

namespace steadfold::inline v0::app {

/// `operations` over the first `count` elements; operation::dot alone over pairs.
template <class T>
[[nodiscard]] device_call ours(std::string const& name, operation_set operations, reduction_mode mode,
                               std::shared_ptr<device_data<T> const> const& data, std::int64_t count,
                               result_place place = result_place::device);

} // namespace steadfold::inline v0::app
