// What the host side hands to a kernel, and the table of precompiled kernels.
#pragma once

#include "exact/state.hpp"
#include "steadfold/dtype.hpp"
#include "steadfold/stream.hpp"

#include <cstdint>

namespace steadfold::inline v0::cuda {

/// What a block leaves for the last block: values that are compared, or added in block order.
struct block_partial {
    exact::extrema_state extrema;
    double fast[2][3]; // by component: sum, magnitudes, products
};

/// Trivially copyable kernel argument. Positions and lengths count components (reals): two per complex element.
struct pass_arguments {
    void const* x = nullptr;
    void const* y = nullptr; // second array of pairs
    std::int64_t length = 0;
    std::int64_t head = 0;    // components before x is aligned to 16 bytes; even for complex data
    std::int64_t vectors = 0; // aligned 16-byte vectors after them; the rest is the tail
    std::int64_t first_index = 0;
    bool x_aligned = true;       // false: complex data whose real parts are out of step with 16 bytes
    bool y_aligned = false;      // y + head is aligned to 16 bytes too
    bool counts_specials = true; // false for the second of two kernels over the same data
    bool has_missing = false;
    std::int64_t missing = 0;
    int integer_bytes = 0; // width of integer elements
    exact::reduction_state* state = nullptr;
    block_partial* partials = nullptr; // one a block
    std::uint32_t* ticket = nullptr;   // zero between launches
};

inline constexpr int max_threads_per_block = 512;
inline constexpr int vectors_in_flight = 4; // loads a thread issues before it uses the first

/// A thread sums at most this many elements in one launch: fold values of 2^41 (two per element of products) then fit
/// an int64, and a block of 512 threads makes at most 2^28 deposits into one limb.
inline constexpr std::int64_t elements_per_thread = std::int64_t{1} << 18;

using kernel = void (*)(pass_arguments);

/// The kernel of a component type and family; `components` is 2 for complex data. Null if there is none.
[[nodiscard]] kernel find_kernel(dtype real, int components, unsigned family, bool fast);

} // namespace steadfold::inline v0::cuda
