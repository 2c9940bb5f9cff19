// How segments are shared out among warps: by elements, so that neither many tiny nor a few huge ones leave warps idle.
#pragma once

#include "segmented/cuda/lane_group.cuh"
#include "segmented/cuda/row_pieces.hpp"
#include "segmented/cuda/warp_store.cuh"

namespace steadfold::inline v0::segmented {

/// The first segment in [low, high] that lies at `way` or after it; `high` if none does. Every round of the warp looks
/// at 32 places.
__device__ inline std::int64_t first_segment_from(call const& c, std::int64_t way, std::int64_t origin,
                                                  std::int64_t low, std::int64_t high) {
    while (low < high) {
        std::int64_t const step = (high - low + 31) / 32, mine = low + lane_number() * step;
        bool const reached = mine >= high || way_to(c, mine, origin) >= way;
        unsigned const which = __ballot_sync(whole_warp, reached);
        int const first = which == 0 ? 32 : __ffs(static_cast<int>(which)) - 1;
        std::int64_t const before = low + (first - 1) * step;
        if (first < 32) high = ::min(high, before + step);
        if (first > 0) low = before + 1;
    }
    return low;
}

inline __device__ __noinline__ row_work work_of(call const& c, std::int64_t chunk) {
    std::int64_t const origin = boundary(c, 0), way = chunk * c.chunk;
    std::int64_t const first = first_segment_from(c, way, origin, 0, c.outputs);
    std::int64_t const last =
        first_segment_from(c, way + c.chunk, origin, first, ::min(c.outputs, first + c.chunk / segment_cost + 1));
    return work_between(c, chunk, first, last, origin);
}

/// Looks at this warp's share of all offsets.
__device__ inline void check_offsets(call const& c, std::int64_t chunk) {
    if (c.offsets == nullptr) return;
    std::int64_t const share = (c.outputs + c.chunks - 1) / c.chunks, first = chunk * share;
    bool bad = false;
    for (std::int64_t s = first + lane_number(); s < ::min(first + share, c.outputs); s += 32)
        bad = bad || !segment_at(c, s).possible;
    if (bad) *c.bad_offsets = 1;
}

/// Adds a piece of a long segment to its record; the warp that comes last rounds the output.
template <class Add>
__device__ void add_piece(call const& c, warp_store& store, segment_piece const& piece, Add const& add) {
    std::uint64_t* const record = c.records + piece.opened_by * c.record_words();
    add(record);
    if (!arrives_last(control_of(c, record), static_cast<std::uint32_t>(piece.pieces))) return;
    segment_range const whole = segment_at(c, piece.segment);
    store.take(record);
    store.finish(piece.segment, whole.end - whole.begin);
}

} // namespace steadfold::inline v0::segmented
