// Times all rungs on one size, in turn.
#pragma once

#include "ladder/launcher.hpp"
#include "settings.hpp"

#include <cstdint>
#include <vector>

namespace steadfold::inline v0::app::ladder {

struct timed_rung {
    rung what;
    kernel_facts facts;
    std::int64_t elements = 0, bytes = 0;
    launches work;
    int calls_per_sample = 1;
    std::vector<double> samples_us = {}; // time of one call, one entry a round

    [[nodiscard]] double median_us() const;
    [[nodiscard]] double rate_gb_per_s() const;
};

/// Checks every rung's sum of the data that is timed, before and after.
/// @throws wrong_result
[[nodiscard]] std::vector<timed_rung> climb(std::vector<launcher> const& rungs, std::int64_t elements,
                                            settings const& chosen, cudaStream_t stream);

} // namespace steadfold::inline v0::app::ladder
