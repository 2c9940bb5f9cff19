// Rounding the results on the device, from limbs in the last block's shared memory.
#pragma once

#include "reduce/cuda/grid_merge.cuh"
#include "reduce/cuda/limb_span.cuh"

namespace steadfold::inline v0::cuda {

/// Everything one evaluation needs, in shared memory.
struct finish_area {
    reduce_detail::state_view view;
    exact::special_counts counts[2];
    exact::extrema_state extrema;
    static constexpr int evaluations = 2; // at a time, each with a scratch of its own
    reduce_detail::evaluation_scratch scratch[evaluations];
};

__device__ inline void write_result(finish_request const& finish, int position, result_value const& result) {
    if (finish.results != nullptr) finish.results[position] = result;
    if (finish.value == nullptr || position != 0) return;
    std::size_t const bytes = size_bytes(component_type(result.type));
    auto* out = static_cast<unsigned char*>(finish.value);
    auto const* bits = reinterpret_cast<std::uint64_t const*>(&result.bits); // std::array has host functions only
    for (int c = 0; c < component_count(result.type); ++c) {
        if (bytes == 8)
            reinterpret_cast<std::uint64_t*>(out)[c] = bits[c];
        else if (bytes == 4)
            reinterpret_cast<std::uint32_t*>(out)[c] = static_cast<std::uint32_t>(bits[c]);
        else if (bytes == 2)
            reinterpret_cast<std::uint16_t*>(out)[c] = static_cast<std::uint16_t>(bits[c]);
        else
            out[c] = static_cast<unsigned char>(bits[c]);
    }
}

/// Rounds the operations whose position is `which` modulo `of`. One thread.
inline __device__ __noinline__ void evaluate_share(finish_request const& finish, finish_area& area, int which, int of) {
    int position = 0;
#pragma unroll 1
    for (std::uint32_t left = finish.operations; left != 0; left &= left - 1, ++position) {
        if (position % of != which) continue;
        auto const op = static_cast<operation>(__ffs(static_cast<int>(left)) - 1);
        write_result(finish, position, reduce_detail::evaluate(op, area.view, finish.options, area.scratch[which]));
    }
}

} // namespace steadfold::inline v0::cuda
