// Stands in for the library's header of this name where kernels run on the CPU: a tile lies in memory as it would lie
// in its stage, and is always there. Of one array only.
#pragma once

#include "reduce/cuda/vector_loads.cuh"

#include <cstdint>
#include <cstdlib>

namespace steadfold::inline v0::cuda {

struct bulk_barriers {};

template <class Pass, int Count>
class bulk_copies {
  public:
    static constexpr int tile_vectors = warp_threads * Count;

    bulk_copies(vector_source<Pass> const& source, bulk_barriers&, uint4*) : source_{source} {}

    void begin(std::int64_t first, std::int64_t step, std::int64_t) {
        tile_ = first, step_ = step;
        sent_ = first + (Pass::bulk_stages - 1) * step;
    }
    uint4 const* take(std::int64_t later, std::int64_t) {
        __syncwarp();
        if (later != sent_) std::abort(); // a tile is sent for out of turn
        auto const* const place = reinterpret_cast<uint4 const*>(source_.x_address(tile_ * tile_vectors));
        tile_ += step_;
        sent_ += step_;
        return place + threadIdx.x % warp_threads;
    }

  private:
    vector_source<Pass> const& source_;
    std::int64_t tile_ = 0, step_ = 0, sent_ = 0;
};

} // namespace steadfold::inline v0::cuda
