// What the host side hands to a kernel, and the table of precompiled kernels.
#pragma once

#include "steadfold/bits.hpp"
#include "steadfold/dtype.hpp"

#include <cstdint>

namespace steadfold::inline v0::histogram_detail::cuda {

/// Trivially copyable kernel argument.
struct pass_arguments {
    void const* data = nullptr;
    std::int64_t count = 0;
    std::int64_t stride = 1;          // elements from one to the next
    std::int64_t head = 0;            // elements before data is aligned to 16 bytes
    std::int64_t vectors = 0;         // aligned 16-byte vectors after them, none of strided data; the rest is the tail
    void const* thresholds = nullptr; // bins + extra_slots of the key's type, in device memory
    unsigned long long* counts = nullptr; // bins + extra_slots, in device memory
    int bins = 0;
    int copies = 1; // of the counts a block keeps in shared memory: a power of two, at most 32
    bool uniform = false;
    bool has_missing = false;
    std::int64_t missing = 0;
    double half_low = 0, scale = 0, top = 0; // of the bin_table; the last edge
};

inline constexpr int max_threads_per_block = 512;

/// A block counts in 32 bits and adds its counts to those of the device at its end.
inline constexpr std::int64_t elements_per_block = std::int64_t{1} << 31;

/// Keeps its thresholds and counts in shared memory up to this many bins, in device memory beyond.
inline constexpr int most_bins_in_shared = 8192;

/// Copies of few counts keep the threads of a warp, and some warps, from waiting for each other.
[[nodiscard]] constexpr int copies_for(int slots) noexcept {
    int copies = 1;
    while (copies < 32 && 2 * copies * slots <= 8192) copies *= 2;
    return copies;
}

/// Bytes of the thresholds, before the counts in shared memory.
[[nodiscard]] STEADFOLD_HOST_DEVICE constexpr int threshold_bytes(int slots, int key_bytes) noexcept {
    return (slots * key_bytes + 15) / 16 * 16;
}

using kernel = void (*)(pass_arguments);

[[nodiscard]] kernel find_kernel(dtype type, bool in_shared);

} // namespace steadfold::inline v0::histogram_detail::cuda
