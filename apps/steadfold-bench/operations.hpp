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

/// What a simulation asks of a field, in one pass over it.
[[nodiscard]] inline operation_set one_pass_operations() {
    return parse_operations("sum,mean,var,min,max,l1,l2,linf");
}

/// Operations whose results integers of full width overflow.
[[nodiscard]] inline operation_set squares_or_norms() {
    return parse_operations("sumsq,l1,l2,linf,var,std");
}

/// One name of an operation, "dot" among them.
[[nodiscard]] inline operation_set parse_operations_or_dot(std::string const& name) {
    return name == "dot" ? operation_set(operation::dot) : parse_operations(name);
}

} // namespace steadfold::inline v0::app
