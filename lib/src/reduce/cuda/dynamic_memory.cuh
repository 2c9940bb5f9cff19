// The shared memory a launch asks for.
#pragma once

namespace steadfold::inline v0::cuda {

extern __shared__ __align__(128) uint4 dynamic_memory[]; // bulk copies are slower to anything less aligned

} // namespace steadfold::inline v0::cuda
