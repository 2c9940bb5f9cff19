// Stands in for the library's header of this name where kernels run on the CPU: a tile lies in memory as it would lie in
// its stage, and is always there. Of one array only.
#pragma once

#include "reduce/cuda/vector_loads.cuh"

#include <cstdint>

namespace steadfold::inline v0::cuda {

struct bulk_barriers {};

template <class Pass, int Count>
class bulk_copies {
  public:
    bulk_copies(vector_source<Pass> const& source, bulk_barriers&, uint4*, int workers)
        : source_{source}, tile_vectors_{workers * Count}, tile_{blockIdx.x} {}

    void produce(std::int64_t, std::int64_t, std::int64_t) {}
    uint4 const* take() const {
        return reinterpret_cast<uint4 const*>(source_.x_address(tile_ * tile_vectors_)) + threadIdx.x;
    }
    int y_offset() const {
        return 0;
    }
    void release() {
        __syncwarp();
        tile_ += gridDim.x;
    }

  private:
    vector_source<Pass> const& source_;
    int tile_vectors_;
    std::int64_t tile_;
};

} // namespace steadfold::inline v0::cuda
