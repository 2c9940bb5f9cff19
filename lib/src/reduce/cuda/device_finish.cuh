// Rounding the results on the device, from limbs in the last block's shared memory.
#pragma once

#include "reduce/cuda/grid_merge.cuh"
#include "reduce/cuda/quick_statistics.cuh"

#include <cstddef>

namespace steadfold::inline v0::cuda {

/// Everything one evaluation needs, in shared memory.
struct finish_area {
    reduce_detail::state_view view;
    exact::special_counts counts[2];
    exact::extrema_state extrema;
    warp_number numbers[warp_numbers];
    static constexpr int evaluations = 2; // at a time, each with a scratch of its own
    reduce_detail::evaluation_scratch scratch[evaluations];
};

/// All bytes of a result, those between its members too, so that whoever copies it copies none that nobody wrote.
__device__ inline void store_result(result_value& to, dtype type, std::uint64_t low, std::uint64_t high,
                                    status_flags status) {
    static_assert(sizeof(result_value) == 32 && offsetof(result_value, type) == 0 &&
                  offsetof(result_value, bits) == 8 && offsetof(result_value, status) == 24);
    auto* const words = reinterpret_cast<std::uint64_t*>(&to); // of a little-endian device
    words[0] = static_cast<std::uint64_t>(type);
    words[1] = low;
    words[2] = high;
    words[3] = static_cast<std::uint64_t>(status);
}

__device__ inline void write_result(finish_request const& finish, int position, result_value const& result) {
    auto const* bits = reinterpret_cast<std::uint64_t const*>(&result.bits); // std::array has host functions only
    if (finish.results != nullptr) store_result(finish.results[position], result.type, bits[0], bits[1], result.status);
    if (finish.value == nullptr || position != 0) return;
    std::size_t const bytes = size_bytes(component_type(result.type));
    auto* out = static_cast<unsigned char*>(finish.value);
#pragma unroll // else the result is put into local memory
    for (int c = 0; c < 2; ++c) {
        if (c == component_count(result.type)) break;
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

/// The same of a result that has quick_type, in few instructions.
__device__ inline void write_quick(finish_request const& finish, int position, quick_value const& result) {
    if (finish.results != nullptr)
        store_result(finish.results[position], finish.quick_type, result.bits, 0,
                     result.exact ? status_flags::none : status_flags::inexact);
    if (finish.value == nullptr || position != 0) return;
    if (finish.quick_type == dtype::float32)
        *static_cast<std::uint32_t*>(finish.value) = static_cast<std::uint32_t>(result.bits);
    else
        *static_cast<std::uint64_t*>(finish.value) = result.bits;
}

/// All operations of one sum; one warp, with the same arguments in every lane. False if some result needs the long way,
/// which writes all of them again.
__device__ inline bool write_quick_results(finish_request const& finish, rounded_sum const& sum, bool negative_zero) {
    if (finish.is_one_sum) { // the usual call: the shortest way from the sum to memory
        quick_value result = quick_sum(sum, finish.quick_type);
        if (!result.known) return false;
        if (negative_zero && finish.keeps_negative_zero) result.bits = sign_bit_of(finish.quick_type);
        if (threadIdx.x % warp_threads == 0) write_quick(finish, 0, result);
        return true;
    }
    int position = 0;
#pragma unroll 1
    for (std::uint32_t left = finish.operations; left != 0; left &= left - 1, ++position) {
        auto const op = static_cast<operation>(__ffs(static_cast<int>(left)) - 1);
        quick_value const result = quick_result(op, sum, finish, negative_zero);
        if (!result.known) return false;
        if (threadIdx.x % warp_threads == 0) write_quick(finish, position, result);
    }
    return true;
}

/// Rounds the operations whose position is `which` modulo `of`. One thread; with more than `evaluations` of them, which
/// only real data has, a scratch is that of its operation: just two need one.
inline __device__ __noinline__ void evaluate_share(finish_request const& finish, finish_area& area, int which, int of) {
#pragma unroll 1
    for (int position = which; position < __popc(finish.operations); position += of) {
        std::uint32_t left = finish.operations;
#pragma unroll 1
        for (int i = 0; i < position; ++i) left &= left - 1;
        auto const op = static_cast<operation>(__ffs(static_cast<int>(left)) - 1);
        int const scratch = of <= finish_area::evaluations ? which : op == operation::stddev ? 1 : 0;
        write_result(finish, position, reduce_detail::evaluate(op, area.view, finish.options, area.scratch[scratch]));
    }
}

/// Rounds all operations side by side: in different warps, and those of one warp in different lanes. All threads, after
/// a barrier. Whoever has no quick way takes the long one.
__device__ inline void evaluate_all(finish_request const& finish, finish_area& area) {
    int const warps = static_cast<int>(blockDim.x / 32), warp = static_cast<int>(threadIdx.x / 32);
    int const lane = static_cast<int>(threadIdx.x % 32);
    if (is_complex(finish.options.type)) { // whose sums of two parts need a scratch each
        int const of = ::min(warps, finish_area::evaluations);
        if (lane == 0 && warp < of) evaluate_share(finish, area, warp, of);
        return;
    }
    exact::special_counts const& counts = *area.view.component[0].counts;
    bool const quick = finish.some_are_quick && (counts.nan | counts.infinite) == 0;
    constexpr std::uint32_t spreads =
        (1u << static_cast<unsigned>(operation::variance)) | (1u << static_cast<unsigned>(operation::stddev));
    if (quick && warp == warps - 1 && (finish.operations & spreads) != 0)
        note_spread(area.numbers[spread_number], area.numbers[0], area.numbers[2],
                    static_cast<std::uint64_t>(finish.elements));
    std::uint32_t left = finish.operations;
#pragma unroll 1
    for (int i = 0; i < lane; ++i) left &= left - 1;
    if (left == 0) return;
    auto const op = static_cast<operation>(__ffs(static_cast<int>(left)) - 1);
    if (warp != (is_spread(op) ? warps - 1 : lane % warps)) return;
    quick_value result{0, false, false};
    if (quick) result = quick_statistic(op, area.numbers, area.extrema, finish, counts.not_negative_zero == 0);
    if (result.known)
        write_quick(finish, lane, result);
    else
        evaluate_share(finish, area, lane, warp_threads);
}

/// All threads; the caller puts a barrier behind it.
__device__ inline void clear_view(finish_area& area) {
    auto* words = reinterpret_cast<std::uint64_t*>(&area.view);
#pragma unroll 1
    for (unsigned i = threadIdx.x; i < sizeof(area.view) / 8; i += blockDim.x) words[i] = 0;
}

} // namespace steadfold::inline v0::cuda
