// What a warp gathers of one output, in words of shared memory; see store_shape.
#pragma once

#include "reduce/evaluate.hpp"
#include "segmented/cuda/call.hpp"

namespace steadfold::inline v0::segmented {

class store_words {
  public:
    __device__ store_words(call const& c, std::uint64_t* words) : call_{c}, words_{words} {}

    /// Words of shared memory, the room for evaluating included.
    [[nodiscard]] STEADFOLD_HOST_DEVICE static constexpr int words(store_shape const& shape) {
        return shape.words() + static_cast<int>((sizeof(finishing) + 7) / 8);
    }

    /// Room for an evaluation.
    [[nodiscard]] __device__ reduce_detail::evaluation_scratch& scratch() const { return area().scratch; }

  protected:
    /// What evaluating needs in shared memory.
    struct finishing {
        reduce_detail::state_view view;
        reduce_detail::evaluation_scratch scratch;
    };

    __device__ exact::special_counts& counts(int component) const {
        return *reinterpret_cast<exact::special_counts*>(words_ + call_.shape.counts_at(component));
    }
    __device__ exact::extrema_state& extrema() const {
        return *reinterpret_cast<exact::extrema_state*>(words_ + call_.shape.extrema_at());
    }
    /// If there are any.
    __device__ reduce_detail::factor_state& factors() const {
        return *reinterpret_cast<reduce_detail::factor_state*>(words_ + call_.shape.factors_at());
    }
    __device__ finishing& area() const { return *reinterpret_cast<finishing*>(words_ + call_.shape.words()); }
    __device__ std::uint64_t* sums(int component) const { return words_ + component * call_.shape.sum_limbs; }

    call const& call_;
    std::uint64_t* words_;
};

} // namespace steadfold::inline v0::segmented
