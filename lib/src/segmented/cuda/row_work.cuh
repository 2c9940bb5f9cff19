// How segments are shared out among warps: by elements, so that neither many tiny nor a few huge ones leave warps idle.
#pragma once

#include "segmented/cuda/lane_group.cuh"
#include "segmented/cuda/warp_store.cuh"

namespace steadfold::inline v0::segmented {

struct segment_range {
    std::int64_t begin = 0, end = 0;
    bool possible = true; // its offsets are in order and inside x
};

__device__ inline std::int64_t boundary(call const& c, std::int64_t segment) {
    return c.offsets != nullptr ? __ldg(reinterpret_cast<long long const*>(c.offsets) + segment) : segment * c.length;
}

/// Never outside of x, whatever the offsets are.
__device__ inline segment_range segment_at(call const& c, std::int64_t segment) {
    std::int64_t const begin = boundary(c, segment), end = boundary(c, segment + 1);
    if (begin < 0 || end < begin || end > c.elements) return {0, 0, false};
    return {begin, end, true};
}

/// Where segment s lies on the way through all elements and segments.
__device__ inline std::int64_t way_to(call const& c, std::int64_t segment, std::int64_t origin) {
    return boundary(c, segment) - origin + segment * segment_cost;
}

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

/// A part of a segment that is too long for one warp.
struct segment_piece {
    std::int64_t segment = -1; // none
    std::int64_t begin = 0, end = 0;
    std::int64_t opened_by = 0; // the chunk it begins in: its record
    std::int64_t pieces = 0;
};

/// The work of one warp: whole segments, and at most two pieces.
struct row_work {
    std::int64_t first = 0, last = 0;
    segment_piece head, tail;
};

__device__ inline bool is_long(call const& c, segment_range const& s) {
    return s.end - s.begin > c.longest;
}

/// The part of a long segment that lies in a chunk.
__device__ inline segment_piece piece_of(call const& c, std::int64_t segment, segment_range const& s, std::int64_t way,
                                         std::int64_t chunk) {
    std::int64_t const from = ::max(chunk * c.chunk - way, std::int64_t{0}), length = s.end - s.begin;
    if (from >= length) return {};
    segment_piece piece;
    piece.segment = segment;
    piece.begin = s.begin + from;
    piece.end = s.begin + ::min((chunk + 1) * c.chunk - way, length);
    piece.opened_by = way / c.chunk;
    piece.pieces = (way + length - 1) / c.chunk - piece.opened_by + 1;
    return piece;
}

/// A segment belongs to the warp in whose chunk it begins; a long one is the last to begin there, and goes on in the
/// chunks after it. For calls with `cuts`.
inline __device__ __noinline__ row_work work_of(call const& c, std::int64_t chunk) {
    row_work work;
    std::int64_t const origin = boundary(c, 0), way = chunk * c.chunk;
    work.first = first_segment_from(c, way, origin, 0, c.outputs);
    work.last = first_segment_from(c, way + c.chunk, origin, work.first,
                                   ::min(c.outputs, work.first + c.chunk / segment_cost + 1));
    if (work.first > 0) {
        segment_range const before = segment_at(c, work.first - 1);
        if (before.possible && is_long(c, before))
            work.head = piece_of(c, work.first - 1, before, way_to(c, work.first - 1, origin), chunk);
    }
    if (work.last > work.first) {
        segment_range const last = segment_at(c, work.last - 1);
        if (last.possible && is_long(c, last)) {
            --work.last;
            work.tail = piece_of(c, work.last, last, way_to(c, work.last, origin), chunk);
        }
    }
    return work;
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
