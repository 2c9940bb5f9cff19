// The sum one writes first: every warp adds what it has to one word.
#pragma once

#include "base/cuda_handles.hpp"

#include <cstdint>

namespace steadfold::inline v0::app {

/// Of device memory, by float atomicAdd: in whatever order the warps come. Waits for the result.
[[nodiscard]] float atomic_sum(float const* x, std::int64_t count);

} // namespace steadfold::inline v0::app
