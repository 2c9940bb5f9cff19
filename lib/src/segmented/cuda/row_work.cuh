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

/// Where a search goes on.
struct search_range {
    std::int64_t low = 0, high = 0;
};

/// Places around a guess, ever further apart: a good guess leaves nothing to search for. One a lane, in [0, high].
__device__ inline std::int64_t place_around(std::int64_t guess, std::int64_t high, int lane) {
    std::int64_t const place = guess + (lane < 16 ? -(1 << (15 - lane)) : (1 << (lane - 16)) - 1);
    return ::max(std::int64_t{0}, ::min(place, high));
}

__device__ inline search_range range_around(std::int64_t guess, std::int64_t high, bool reached) {
    unsigned const which = __ballot_sync(whole_warp, reached);
    int const first = which == 0 ? 32 : __ffs(static_cast<int>(which)) - 1;
    return {first == 0 ? 0 : place_around(guess, high, first - 1) + 1,
            first == 32 ? high : place_around(guess, high, first)};
}

inline __device__ __noinline__ row_work work_of(call const& c, std::int64_t chunk) {
    std::int64_t const origin = boundary(c, 0), way = chunk * c.chunk, end = c.outputs;
    // Both ends are looked for at the same time: a warp waits for memory here, and for nothing else.
    auto const guess = static_cast<std::int64_t>(static_cast<double>(way) * c.segments_a_step);
    auto const guess_last = static_cast<std::int64_t>(static_cast<double>(way + c.chunk) * c.segments_a_step);
    std::int64_t const mine = place_around(guess, end, lane_number());
    std::int64_t const mine_last = place_around(guess_last, end, lane_number());
    std::int64_t const way_there = way_to(c, mine, origin), way_to_last = way_to(c, mine_last, origin);
    search_range const range = range_around(guess, end, mine == end || way_there >= way);
    search_range const range_last = range_around(guess_last, end, mine_last == end || way_to_last >= way + c.chunk);
    std::int64_t const first = first_segment_from(c, way, origin, range.low, range.high);
    // Offsets out of order must not give a warp more than its share.
    std::int64_t const high = ::min(range_last.high, first + c.chunk / segment_cost + 1);
    std::int64_t const last = first_segment_from(
        c, way + c.chunk, origin, ::min(::max(first, range_last.low), ::max(first, high)), ::max(first, high));
    return work_between(c, chunk, first, last, origin);
}

/// Looks at this warp's share of all offsets.
__device__ inline void check_offsets(call const& c, std::int64_t chunk) {
    if (c.offsets == nullptr) return;
    std::int64_t const share = (c.outputs + c.chunks - 1) / c.chunks, first = chunk * share;
    bool bad = false;
#pragma unroll 4 // their loads are on their way together
    for (std::int64_t s = first + lane_number(); s < ::min(first + share, c.outputs); s += 32)
        bad |= !segment_at(c, s).possible;
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
