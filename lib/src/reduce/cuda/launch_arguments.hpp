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

/// Whether small_sum.cuh will do: when everything else is known of the launch. `threads` is the most that a block has,
/// `vectors` the most of a thread; 0: not this kernel.
void set_small(pass_arguments& arguments, int threads, int vectors);

/// Threads of the block of such a launch.
[[nodiscard]] int threads_of_small(pass_arguments const& arguments, int most_threads);

/// What asks a launch for results of `elements` elements; where to put them is the caller's to set.
[[nodiscard]] finish_request make_finish_request(reduce_detail::plan const& plan, reduce_options const& options,
                                                 std::int64_t elements);

} // namespace steadfold::inline v0::cuda
