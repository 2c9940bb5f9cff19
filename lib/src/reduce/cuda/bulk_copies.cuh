// Tiles brought to shared memory by the bulk copy engine (compute capability 9.0), several ahead of the one in use:
// what is on its way needs no registers, so heavy passes keep the memory busy with few threads. The last warp of the
// block sends for the tiles, all others use them.
#pragma once

#include "reduce/cuda/vector_loads.cuh"

#include <cstdint>

namespace steadfold::inline v0::cuda {

__device__ inline std::uint32_t shared_address(void const* pointer) {
    return static_cast<std::uint32_t>(__cvta_generic_to_shared(pointer));
}

/// One in shared memory a block. A stage is full when its bytes have come, and empty when every warp has done with it.
struct bulk_barriers {
    std::uint64_t full[bulk_stages], empty[bulk_stages];
};

/// Waits for a phase of a barrier: `parity` is that of the phase's number.
__device__ inline void wait_for_phase(std::uint32_t barrier, unsigned parity) {
#if __CUDA_ARCH__ >= 900
    asm volatile("{\n .reg .pred done;\n again:\n"
                 " mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n @!done bra again;\n}" ::"r"(barrier),
                 "r"(parity)
                 : "memory");
#endif
}

/// Where a block's tiles pass through: bulk_stages stages of x and, behind it, of y if there is one.
template <class Pass, int Count>
class bulk_copies {
  public:
    /// `workers` threads use the tiles. The caller puts a barrier behind it.
    __device__ bulk_copies(vector_source<Pass> const& source, bulk_barriers& barriers, uint4* stages, int workers)
        : source_{source}, full_{shared_address(barriers.full)}, empty_{shared_address(barriers.empty)},
          stages_{stages}, tile_vectors_{workers * Count} {
#if __CUDA_ARCH__ >= 900
        if (threadIdx.x != 0) return;
        for (unsigned s = 0; s < bulk_stages; ++s) {
            asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(full_ + 8 * s));
            asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(empty_ + 8 * s), "r"(workers / 32));
        }
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
#endif
    }

    /// The last warp: sends for the tiles first, first + step ... below `end`.
    __device__ void produce(std::int64_t first, std::int64_t step, std::int64_t end) {
        if (threadIdx.x % 32 == 0) {
            unsigned turn = 0;
            for (std::int64_t tile = first; tile < end; tile += step, ++turn) {
                unsigned const s = turn % bulk_stages;
                if (turn >= bulk_stages) wait_for_phase(empty_ + 8 * s, (turn / bulk_stages - 1) & 1);
                send(tile, s);
            }
        }
        __syncwarp();
    }

    /// Workers: where the thread's vectors of the next tile are; they stay until release().
    [[nodiscard]] __device__ uint4 const* take() {
        wait_for_phase(full_ + 8 * stage_, phase_);
        return stages_ + static_cast<int>(stage_) * stage_vectors() + threadIdx.x;
    }
    /// From a thread's vectors of x to those of y.
    [[nodiscard]] __device__ int y_offset() const {
        return tile_vectors_;
    }

    __device__ void release() {
        __syncwarp();
#if __CUDA_ARCH__ >= 900
        if (threadIdx.x % 32 == 0)
            asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(empty_ + 8 * stage_) : "memory");
#endif
        if (++stage_ == bulk_stages) stage_ = 0, phase_ ^= 1;
    }

  private:
    [[nodiscard]] __device__ int stage_vectors() const {
        return source_.has_y() ? 2 * tile_vectors_ : tile_vectors_;
    }

    __device__ void send(std::int64_t tile, unsigned s) {
#if __CUDA_ARCH__ >= 900
        std::uint32_t const bytes = static_cast<std::uint32_t>(tile_vectors_) * 16, full = full_ + 8 * s;
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(full),
                     "r"(source_.has_y() ? 2 * bytes : bytes)
                     : "memory");
        std::int64_t const v = tile * tile_vectors_;
        uint4* const stage = stages_ + static_cast<int>(s) * stage_vectors();
        copy(stage, source_.x_address(v), bytes, full);
        if (source_.has_y()) copy(stage + tile_vectors_, source_.y_address(v), bytes, full);
#endif
    }

    __device__ static void copy(uint4* to, char const* from, std::uint32_t bytes, std::uint32_t full) {
#if __CUDA_ARCH__ >= 900
        asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
                         shared_address(to)),
                     "l"(from), "r"(bytes), "r"(full)
                     : "memory");
#endif
    }

    vector_source<Pass> const& source_;
    std::uint32_t full_, empty_; // shared addresses of the barriers of stage 0
    uint4* stages_;
    int tile_vectors_;
    unsigned stage_ = 0, phase_ = 0;
};

} // namespace steadfold::inline v0::cuda
