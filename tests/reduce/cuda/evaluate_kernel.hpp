// The library's evaluation on a device, for tests: every operation in a thread of its own, digits in shared memory.
#pragma once

#include "exact/state.hpp"
#include "reduce/state_view.hpp"
#include "steadfold/operations.hpp"
#include "steadfold/results.hpp"

namespace oracle {

/// `state` and `results` (one for each operation, those not in `ops` untouched) are device memory. `clocks` gets the
/// time each operation took, in cycles.
void evaluate_on_device(steadfold::exact::reduction_state const* state,
                        steadfold::reduce_detail::finish_options const& options, steadfold::operation_set ops,
                        steadfold::result_value* results, long long* clocks);

} // namespace oracle
