// The quick kernels of one element type, for the CPU; see lib/src/segmented/CMakeLists.txt for what is defined.
#include <cstdint>

namespace steadfold::inline v0::segmented {
static std::uint64_t shared_words[1 << 15]; // warps run one after the other
}

#include "segmented/cuda/kernels.cu"
