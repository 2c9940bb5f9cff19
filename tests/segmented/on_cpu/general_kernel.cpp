// The general kernel for the CPU, beside the one of the library.
#include <cstdint>

#define find_general_kernel find_general_kernel_on_cpu
#define shared_bytes shared_bytes_on_cpu

namespace steadfold::inline v0::segmented {
namespace {
std::uint64_t shared_words[1 << 15]; // warps run one after the other
}
} // namespace steadfold::inline v0::segmented

#include "segmented/cuda/general_kernel.cu"
