// Products and bitwise operations on a GPU: a pass of their own over the data, beside the one that counts.
#pragma once

#include "base/cuda_handles.hpp"
#include "exact/state.hpp"
#include "reduce/factors.hpp"
#include "reduce/plan.hpp"
#include "steadfold/view.hpp"

#include <cstdint>

namespace steadfold::inline v0::cuda {

/// Of the current device. Two kernels a call: every block gathers its share, then one block merges what they gathered,
/// always in the same order.
class factor_pass {
  public:
    factor_pass() = default;
    explicit factor_pass(reduce_detail::plan const& plan, int device);

    /// Merges the elements into the bits and the product of `state`, in the order of the stream.
    void enqueue(array_view data, exact::reduction_state* state, cudaStream_t stream) const;
    /// After a missed deadline: kernels may still use the memory.
    void leak() noexcept { static_cast<void>(partials_.release()); }

  private:
    reduce_detail::factor_rules rules_;
    int most_blocks_ = 0;
    steadfold::detail::device_buffer<reduce_detail::factor_state> partials_; // one a block
};

} // namespace steadfold::inline v0::cuda
