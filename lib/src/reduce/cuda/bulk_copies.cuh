// Tiles brought to shared memory by the bulk copy engine (compute capability 9.0), several ahead of the one in use:
// what is on its way needs no registers, so heavy passes keep the memory busy with few threads. Every warp sends for
// its own tiles into stages of its own, and waits for no other warp.
#pragma once

#include "reduce/cuda/ptx.cuh"
#include "reduce/cuda/vector_loads.cuh"

#include <cstdint>

namespace steadfold::inline v0::cuda {

/// One for each stage of a warp, in shared memory: a phase ends when the stage's bytes have come.
struct bulk_barriers {
    std::uint64_t full[most_bulk_stages];
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

/// Where a warp's tiles pass through: some stages of x and, behind it, of y if there is one.
template <class Pass, int Count>
class bulk_copies {
  public:
    static constexpr int tile_vectors = warp_threads * Count;
    static constexpr unsigned stage_count = Pass::bulk_stages;

    /// `barriers` and `stages` of this warp.
    __device__ bulk_copies(vector_source<Pass> const& source, bulk_barriers& barriers, uint4* stages)
        : source_{source}, full_{shared_address(barriers.full)}, stages_{stages} {
#if __CUDA_ARCH__ >= 900
        if (threadIdx.x % warp_threads == 0) {
            for (unsigned s = 0; s < stage_count; ++s)
                asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(full_ + 8 * s));
            asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
        }
#endif
        __syncwarp();
    }

    /// Sends for the first tiles: first, first + step ... below `end`.
    __device__ void begin(std::int64_t first, std::int64_t step, std::int64_t end) {
        for (unsigned s = 0; s + 1 < stage_count; ++s, first += step)
            if (first < end) send(first, s);
    }

    /// Where the lane's vectors of the next tile are, until the next call. That also sends for the tile `later`, which
    /// is stage_count - 1 tiles on, if it is below `end`.
    [[nodiscard]] __device__ uint4 const* take(std::int64_t later, std::int64_t end) {
        __syncwarp(); // all lanes have read what was in the stage before
        if (later < end) send(later, stage_ == 0 ? stage_count - 1 : stage_ - 1);
        wait_for_phase(full_ + 8 * stage_, phase_);
        uint4 const* const place = stages_ + static_cast<int>(stage_) * stage_vectors() + threadIdx.x % warp_threads;
        if (++stage_ == stage_count) stage_ = 0, phase_ ^= 1;
        return place;
    }

  private:
    [[nodiscard]] __device__ int stage_vectors() const {
        return source_.has_y() ? 2 * tile_vectors : tile_vectors;
    }

    __device__ void send(std::int64_t tile, unsigned s) {
#if __CUDA_ARCH__ >= 900
        if (threadIdx.x % warp_threads != 0) return;
        constexpr std::uint32_t bytes = tile_vectors * 16;
        std::uint32_t const full = full_ + 8 * s;
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(full),
                     "r"(source_.has_y() ? 2 * bytes : bytes)
                     : "memory");
        std::int64_t const v = tile * tile_vectors;
        uint4* const stage = stages_ + static_cast<int>(s) * stage_vectors();
        copy(stage, source_.x_address(v), bytes, full);
        if (source_.has_y()) copy(stage + tile_vectors, source_.y_address(v), bytes, full);
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
    std::uint32_t full_; // shared address of the barrier of stage 0
    uint4* stages_;
    unsigned stage_ = 0, phase_ = 0;
};

} // namespace steadfold::inline v0::cuda
