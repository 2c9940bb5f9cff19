// What the blocks of a cluster tell each other once, by stores into each other's shared memory ("st.async", compute
// capability 9.0): a barrier there counts their bytes as they arrive. A barrier of the cluster would take three times
// as long, for what is stored before it is released to all of the device.
#pragma once

#include "reduce/cuda/pass.hpp"
#include "reduce/cuda/ptx.cuh"

namespace steadfold::inline v0::cuda {

/// In shared memory, in the same place of every block. Part: a whole number of 64-bit words.
template <class Part>
class cluster_parts {
  public:
    /// All threads, once, and before their block's first barrier.
    __device__ void prepare() {
#if __CUDA_ARCH__ >= 900
        if (threadIdx.x == 0) {
            asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(shared_address(&arrived_)) : "memory");
            asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
        }
        __syncwarp();
        if (threadIdx.x == 0)
            asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(&arrived_)),
                         "r"(gridDim.x * static_cast<unsigned>(sizeof(Part)))
                         : "memory");
        __syncwarp();
        asm volatile("barrier.cluster.arrive.relaxed.aligned;" ::: "memory"); // the fence above has released enough
#endif
    }

    /// All threads: the other blocks are there, and prepared.
    __device__ static void wait_for_blocks() {
#if __CUDA_ARCH__ >= 900
        asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
#endif
    }

    /// One warp, after that: this block's part, to all blocks.
    __device__ void tell(Part const& mine) {
#if __CUDA_ARCH__ >= 900
        if (threadIdx.x >= gridDim.x) return;
        std::uint32_t const to = in_block(threadIdx.x, of_block_[blockIdx.x]), there = in_block(threadIdx.x, arrived_);
        auto const* const words = reinterpret_cast<std::uint64_t const*>(&mine);
#pragma unroll
        for (unsigned i = 0; i < sizeof(Part) / 8; ++i)
            asm volatile(
                "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.b64 [%0], %1, [%2];" ::"r"(to + 8 * i),
                "l"(words[i]), "r"(there)
                : "memory");
#endif
    }

    /// Any thread: until all blocks have told this one theirs.
    __device__ void wait() {
#if __CUDA_ARCH__ >= 900
        asm volatile("{\n .reg .pred done;\n again:\n mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 done, "
                     "[%0], 0;\n @!done bra again;\n}" ::"r"(shared_address(&arrived_))
                     : "memory");
#endif
    }

    [[nodiscard]] __device__ Part const& of_block(unsigned block) const {
        return of_block_[block];
    }

  private:
    /// Of the same place in another block.
    template <class Value>
    __device__ static std::uint32_t in_block(unsigned block, Value const& here) {
        std::uint32_t there = 0;
#if __CUDA_ARCH__ >= 900
        asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(shared_address(&here)), "r"(block));
#endif
        return there;
    }

    Part of_block_[most_small_blocks];
    std::uint64_t arrived_; // a phase that ends when all parts have come
};

} // namespace steadfold::inline v0::cuda
