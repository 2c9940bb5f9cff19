// Counting on the GPU. With few bins every block counts in shared memory, in 32 bits, and adds its counts to the
// device's at its end; with many all blocks count in device memory, equal elements of a warp together.
#pragma once

#include "histogram/bin_table.hpp"
#include "histogram/cuda/element.cuh"

namespace steadfold::inline v0::histogram_detail::cuda {

/// One thread's view of the counting.
template <dtype Type, bool InShared>
class histogram_pass {
  public:
    using load = element<Type>;
    using word = typename load::word;
    using key = typename load::key;
    static_assert(std::is_same_v<key, float> == fits_float(Type));
    static constexpr int width = 16 / sizeof(word);
    /// Loads a thread issues before it uses the first. The code of an element is not small, and narrow types are bound
    /// by the counting: 8 or 16 elements at a time.
    static constexpr int vectors_in_flight = width <= 2 ? 4 : width == 4 ? 2 : 1;

    /// `memory` is the block's dynamic shared memory. All threads of the block make one.
    __device__ histogram_pass(pass_arguments const& arguments, unsigned char* memory)
        : arguments_{arguments}, counters_{reinterpret_cast<unsigned*>(
                                     memory +
                                     threshold_bytes(arguments.bins + extra_slots, static_cast<int>(sizeof(key))))},
          copy_{threadIdx.x & static_cast<unsigned>(arguments.copies - 1)} {
        auto const* global = static_cast<key const*>(arguments.thresholds);
        table_.threshold = InShared ? reinterpret_cast<key const*>(memory) : global;
        table_.bins = arguments.bins;
        table_.half_low = static_cast<key>(arguments.half_low);
        table_.scale = static_cast<key>(arguments.scale);
        if constexpr (InShared) {
            auto* own = reinterpret_cast<key*>(memory);
            for (int i = static_cast<int>(threadIdx.x); i < slots(); i += static_cast<int>(blockDim.x))
                own[i] = global[i];
            int const counters = slots() * arguments.copies;
            for (int i = static_cast<int>(threadIdx.x); i < counters; i += static_cast<int>(blockDim.x))
                counters_[i] = 0;
            __syncthreads();
        }
    }

    /// The thread's share, in steps of the grid: vectors, and the few elements before and after them, or all of strided
    /// data.
    __device__ void run(std::int64_t thread, std::int64_t threads) {
        auto const* words = static_cast<word const*>(arguments_.data);
        auto const* vectors = reinterpret_cast<uint4 const*>(words + arguments_.head);
        std::int64_t v = thread;
        // A warp stays together here: its last lane decides.
        for (std::int64_t last_lane = v | 31; last_lane + (vectors_in_flight - 1) * threads < arguments_.vectors;
             last_lane += vectors_in_flight * threads, v += vectors_in_flight * threads) {
            uint4 x[vectors_in_flight];
#pragma unroll
            for (int u = 0; u < vectors_in_flight; ++u) x[u] = __ldcs(vectors + v + u * threads); // read once
            batch<true>(x);
        }
        for (; v < arguments_.vectors; v += threads) {
            uint4 const x[1] = {__ldcs(vectors + v)};
            batch<false>(x);
        }
        std::int64_t const in_vectors = arguments_.vectors * width;
        for (std::int64_t left = thread; left < arguments_.count - in_vectors; left += threads) {
            std::int64_t const i = left < arguments_.head ? left : in_vectors + left;
            tally<false>(slot_of(words[i * arguments_.stride]));
        }
    }

    /// All threads of the block, once all have run.
    __device__ void finish() {
        if constexpr (InShared) {
            __syncthreads();
            for (int slot = static_cast<int>(threadIdx.x); slot < slots(); slot += static_cast<int>(blockDim.x)) {
                unsigned long long sum = 0;
                for (int c = 0; c < arguments_.copies; ++c) // each thread begins with its own copy: other banks
                    sum +=
                        counters_[slot * arguments_.copies + ((c + static_cast<int>(copy_)) & (arguments_.copies - 1))];
                if (sum != 0) atomicAdd(arguments_.counts + slot, sum);
            }
        }
    }

  private:
    [[nodiscard]] __device__ int slots() const {
        return arguments_.bins + extra_slots;
    }

    template <bool WholeWarp, int Count>
    __device__ void batch(uint4 const (&x)[Count]) {
        // One branch a batch, so that the code of the two kinds of bins is not mixed.
        if (arguments_.uniform)
            batch_of<WholeWarp, true>(x);
        else
            batch_of<WholeWarp, false>(x);
    }

    template <bool WholeWarp, bool Uniform, int Count>
    __device__ void batch_of(uint4 const (&x)[Count]) {
#pragma unroll
        for (int u = 0; u < Count; ++u)
#pragma unroll
            for (int j = 0; j < width; ++j) tally<WholeWarp>(slot_of<Uniform>(word_at<word>(x[u], j)));
    }

    __device__ int slot_of(word x) const {
        return arguments_.uniform ? slot_of<true>(x) : slot_of<false>(x);
    }

    template <bool Uniform>
    __device__ int slot_of(word x) const {
        bin_table<key> table = table_;
        table.uniform = Uniform;
        return table.slot(load::of(x, arguments_));
    }

    /// WholeWarp: all 32 lanes call it together.
    template <bool WholeWarp>
    __device__ void tally(int slot) {
        if constexpr (InShared) {
            atomicAdd(counters_ + slot * arguments_.copies + copy_, 1u);
        } else if constexpr (WholeWarp) {
            unsigned const equal = __match_any_sync(0xffffffffu, slot);
            if (threadIdx.x % 32 == static_cast<unsigned>(__ffs(static_cast<int>(equal)) - 1))
                atomicAdd(arguments_.counts + slot, static_cast<unsigned long long>(__popc(equal)));
        } else {
            atomicAdd(arguments_.counts + slot, 1ull);
        }
    }

    pass_arguments const& arguments_;
    bin_table<key> table_;
    unsigned* counters_; // slot by slot, `copies` of each
    unsigned copy_;
};

template <dtype Type, bool InShared>
__global__ void __launch_bounds__(max_threads_per_block)
    histogram_kernel(pass_arguments const __grid_constant__ arguments) {
    extern __shared__ __align__(16) unsigned char memory[];
    histogram_pass<Type, InShared> pass{arguments, memory};
    pass.run(static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x,
             static_cast<std::int64_t>(gridDim.x) * blockDim.x);
    pass.finish();
}

} // namespace steadfold::inline v0::histogram_detail::cuda
