// The sets of operations that are measured beside the sum.
#pragma once

#include "steadfold/operations.hpp"

#include <string>
#include <vector>

namespace steadfold::inline v0::app {

struct named_operations {
    std::string name;
    operation_set operations;
};

/// Those of one array; dot is apart.
[[nodiscard]] inline std::vector<named_operations> measured_operations() {
    return {{"mean+var", operation_set(operation::mean) | operation::variance},
            {"l1", operation::l1},
            {"l2", operation::l2},
            {"extrema", parse_operations("extrema")},
            {"all", parse_operations("all")}};
}

} // namespace steadfold::inline v0::app
