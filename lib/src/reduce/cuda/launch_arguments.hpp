// What a reduction kernel is told, as far as it is known without a GPU.
#pragma once

#include "reduce/cuda/pass.hpp"
#include "reduce/plan.hpp"
#include "steadfold/options.hpp"
#include "steadfold/view.hpp"

#include <cstdint>

namespace steadfold::inline v0::cuda {

/// What all arrays of a plan have in common.
struct described_elements {
    int components = 1;
    std::int64_t component_bytes = 8;
    bool counts_zeros = false, has_missing = false;
    std::int64_t missing = 0;

    described_elements() = default;
    explicit described_elements(reduce_detail::plan const& plan);
};

/// Where the arrays are and which 16-byte vectors they consist of. `y` is null unless there are pairs of two arrays.
void set_arrays(pass_arguments& arguments, array_view x, array_view y, described_elements const& what);

/// Tiles for warps whose lanes take `vectors_in_flight` vectors of each.
void set_tiles(pass_arguments& arguments, int vectors_in_flight);
/// Shares of blocks, after that.
void set_block_tiles(pass_arguments& arguments, std::int64_t blocks);

/// What a launch for small_sum.cuh may use.
struct small_limits {
    int blocks = 1, threads = max_threads_per_block, vectors = 0; // vectors of a thread; 0: not this kernel
    int folds = 2;
    std::int64_t elements = 0; // at most 2^17: two digits of 36 bits then
};
/// The grid of such a launch.
struct small_grid {
    int blocks = 1, threads = warp_threads;
};
/// Whether that will do, when everything else is known of the launch.
void set_small(pass_arguments& arguments, small_limits const& limits);
[[nodiscard]] small_grid grid_of_small(pass_arguments const& arguments, small_limits const& limits);

/// What asks a launch for results of `elements` elements; where to put them is the caller's to set.
[[nodiscard]] finish_request make_finish_request(reduce_detail::plan const& plan, reduce_options const& options,
                                                 std::int64_t elements);

} // namespace steadfold::inline v0::cuda
