// Stands in for the library's header of this name where kernels run on the CPU, one block after the other.
#pragma once

namespace steadfold::inline v0::cuda {

alignas(128) inline uint4 dynamic_memory[1 << 14];

} // namespace steadfold::inline v0::cuda
