// What the host side hands to a kernel, and the table of precompiled kernels.
#pragma once

#include "exact/state.hpp"
#include "reduce/evaluate.hpp"
#include "reduce/plan.hpp"
#include "steadfold/dtype.hpp"
#include "steadfold/stream.hpp"

#include <cstddef>
#include <cstdint>

namespace steadfold::inline v0::cuda {

/// What a block leaves for the last block: values that are compared, or added in block order.
struct block_partial {
    exact::extrema_state extrema;
    double fast[2][3]; // by component: sum, magnitudes, products
};

/// Words by which the blocks of a launch meet without a fence: see grid_merge.cuh.
inline constexpr int most_hot_words = 16;

/// Device memory of one reduction, used by one launch at a time. Zero but for `state`, and so again after every launch
/// that finishes.
struct grid_memory {
    exact::reduction_state state;
    std::uint64_t hot[most_hot_words];       // sums and arrivals of the blocks of the launch
    std::uint64_t hot_total[most_hot_words]; // complete words of a launch whose last arrivals were split
    std::uint32_t hot_complete;              // how many of them
    std::uint32_t ticket;                    // blocks that are done
    std::int32_t hot_top;                    // kept: the window whose digits meet there, see hot_digits.cuh
    std::int32_t wanted_top;                 // hot_bias + the highest other window that warps had; 0: none
};

/// How a launch ends: by rounding results, or by leaving the state for later.
struct finish_request {
    reduce_detail::finish_options options;
    std::uint32_t operations = 0;      // bits of an operation_set; 0: leave the state
    std::int64_t elements = 0;         // of all that was added to the state
    bool may_be_quick = false;         // real results, all of quick_type: see rounded_sum.cuh; a sum or dot of integers
    bool some_are_quick = false;       // perhaps: exact results of real data, of quick_type: see quick_statistics.cuh
    bool is_one_sum = false;           // may be quick, and there is one result: the sum itself, rounded
    bool keeps_negative_zero = false;  //   which may be -0
    dtype quick_type = dtype::float64; // float64 or float32; of that of integers, int64 or uint64
    result_value* results = nullptr;   // in the order of `operation`; device or pinned memory
    void* value = nullptr;             // the bits of the first result alone, in its own type; or null
};

/// Trivially copyable kernel argument. Positions and lengths count components (reals): two per complex element.
struct pass_arguments {
    void const* x = nullptr;
    void const* y = nullptr;   // second array of pairs; null: pairs of x with itself
    std::int64_t x_stride = 1; // elements from one to the next
    std::int64_t y_stride = 1;
    std::int64_t length = 0;
    std::int64_t head = 0;    // components before x is aligned to 16 bytes; even for complex data
    std::int64_t vectors = 0; // aligned 16-byte vectors after them; the rest is the tail
    std::int64_t first_index = 0;
    std::int64_t tiles = 0;       // a warp's, of Pass::vectors_in_flight; see vector_loads.cuh
    std::int64_t whole_tiles = 0; // the first ones, which hold whole vectors only
    std::int64_t block_tiles = 0; // whole ones of a block, with bulk copies
    bool strided = false;         // one of the arrays: vectors are read by their elements, and no tile is whole
    bool has_ends = false;        // there are components before the first or after the last aligned vector
    bool bulk = false;            // whole tiles come by the bulk copy engine
    bool direct = false;          // so little data that rests go straight to the limbs: the bins need no clearing
    bool x_aligned = true;        // false: complex data whose real parts are out of step with 16 bytes
    bool y_aligned = false;       // y + head is aligned to 16 bytes too; of one array: x is
    bool counts_specials = true;  // false for the second of two kernels over the same data
    bool counts_zeros = false;
    int small_bits = 0;        // not 0: small_sum.cuh will do, with digits of so many bits;
    int small_vectors = 0;     //   whole vectors of one of its blocks
    bool integer_only = false; // no folds: every value through the bins
    bool has_missing = false;
    std::int64_t missing = 0;
    int integer_bytes = 0; // width of integer elements
    grid_memory* memory = nullptr;
    block_partial* partials = nullptr; // one a block, for passes that compare or add in order
    finish_request finish;
};

inline constexpr int warp_threads = 32;
inline constexpr int max_threads_per_block = 256;
inline constexpr int most_small_blocks = 8; // every device with clusters has them of eight blocks
inline constexpr int most_bulk_stages = 4;  // tiles a warp has on their way

using kernel = void (*)(pass_arguments);

/// A kernel and what its launch needs.
struct kernel_choice {
    kernel function = nullptr;
    std::size_t shared_bytes = 0; // dynamic shared memory, without the stages of bulk copies
    int vectors_in_flight = 0;    // 16-byte loads a thread issues before it uses the first
    int bulk_stages = 0;          // tiles a warp has on their way
    int most_small_vectors = 0;   // a thread's, of data for small_sum.cuh; 0: not this kernel
    int small_folds = 2;          //   and its folds
    std::int64_t most_small_elements = 0;
    bool may_bulk = false;
    bool has_partials = false;
};

/// The kernel for the exact or the fast parts of a plan.
[[nodiscard]] kernel_choice find_kernel(reduce_detail::plan const& plan, bool fast);

} // namespace steadfold::inline v0::cuda
