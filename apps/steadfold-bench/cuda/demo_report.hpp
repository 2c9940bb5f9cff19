// The demonstration as text and as JSON.
#pragma once

#include "special_values.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace steadfold::inline v0::app {

/// Sums of the same array, run after run.
struct repeated_sums {
    std::int64_t elements = 0;
    float exact = 0;
    std::vector<float> atomic, ours;
};

/// How many different bit patterns there are.
[[nodiscard]] int distinct(std::vector<float> const& sums);

[[nodiscard]] std::string demo_text(repeated_sums const& sums, std::vector<special_sum> const& specials);
[[nodiscard]] std::string demo_json(repeated_sums const& sums, std::vector<special_sum> const& specials);

} // namespace steadfold::inline v0::app
