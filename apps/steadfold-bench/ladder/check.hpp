// Are the rungs' sums right, also for arrays that begin and end anywhere?
#pragma once

#include "ladder/launcher.hpp"

#include <cstdint>
#include <vector>

namespace steadfold::inline v0::app::ladder {

/// @param x  elements of the rung's type on the device, aligned to their size
/// @throws wrong_result  unless the rung's sum of x[0 .. n) has the bits of `expected`, or is NaN if that is NaN
void require_sum(launcher const& rung, void const* x, std::int64_t n, double expected, scratch const& memory,
                 std::int64_t most_blocks = 0);

/// Sums of some hundred short arrays a rung: odd lengths, every alignment, grids of a few blocks, whose pipelines wrap
/// around; for the exact rungs also numbers that cancel, that fill a fold, and that are outside the window. With a
/// small
/// --elements, the program does little else, and can run under compute-sanitizer.
/// @return how many sums were compared
/// @throws wrong_result
int check_rungs(std::vector<launcher> const& rungs);

} // namespace steadfold::inline v0::app::ladder
