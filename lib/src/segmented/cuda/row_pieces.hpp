// Which segments, and which parts of long ones, lie in a warp's share of all elements and segments. Arithmetic alone:
// tested on the host.
#pragma once

#include "segmented/cuda/call.hpp"

#include <cstdint>

namespace steadfold::inline v0::segmented {

struct segment_range {
    std::int64_t begin = 0, end = 0;
    bool possible = true; // its offsets are in order and inside x
};

STEADFOLD_HOST_DEVICE inline std::int64_t boundary(call const& c, std::int64_t segment) {
    if (c.offsets == nullptr) return segment * c.length;
#if defined(__CUDA_ARCH__)
    return __ldg(reinterpret_cast<long long const*>(c.offsets) + segment);
#else
    return c.offsets[segment];
#endif
}

/// Never outside of x, whatever the offsets are.
STEADFOLD_HOST_DEVICE inline segment_range segment_at(call const& c, std::int64_t segment) {
    std::int64_t const begin = boundary(c, segment), end = boundary(c, segment + 1);
    if (begin < 0 || end < begin || end > c.elements) return {0, 0, false};
    return {begin, end, true};
}

/// Where segment s lies on the way through all elements and segments.
STEADFOLD_HOST_DEVICE inline std::int64_t way_to(call const& c, std::int64_t segment, std::int64_t origin) {
    return boundary(c, segment) - origin + segment * segment_cost;
}

/// A part of a segment that is too long for one warp.
struct segment_piece {
    std::int64_t segment = -1; // none
    std::int64_t begin = 0, end = 0;
    std::int64_t opened_by = 0; // the chunk it begins in: its record
    std::int64_t pieces = 0;    // of that segment: as many warps arrive at the record, no more and no less
};

/// The work of one warp: whole segments, and at most two pieces.
struct row_work {
    std::int64_t first = 0, last = 0;
    segment_piece head, tail;
};

STEADFOLD_HOST_DEVICE inline bool is_long(call const& c, segment_range const& s) {
    return s.end - s.begin > c.longest;
}

/// The part of a long segment that lies in a chunk. Offsets out of order may lead to a segment that begins before the
/// way or behind the chunk: it has no piece here, and no record.
STEADFOLD_HOST_DEVICE inline segment_piece piece_of(call const& c, std::int64_t segment, segment_range const& s,
                                                    std::int64_t way, std::int64_t chunk) {
    std::int64_t const before = chunk * c.chunk - way, after = before + c.chunk, length = s.end - s.begin;
    std::int64_t const from = before > 0 ? before : 0;
    if (way < 0 || after <= 0 || from >= length) return {};
    segment_piece piece;
    piece.segment = segment;
    piece.begin = s.begin + from;
    piece.end = s.begin + (after < length ? after : length);
    piece.opened_by = way / c.chunk;
    piece.pieces = (way + length - 1) / c.chunk - piece.opened_by + 1;
    return piece;
}

/// The work of the chunk in which segments [first, last) begin. A segment belongs to the chunk in which it begins; a
/// long one is the last to begin there, and goes on in the chunks after it. For calls with `cuts`.
STEADFOLD_HOST_DEVICE inline row_work work_between(call const& c, std::int64_t chunk, std::int64_t first,
                                                   std::int64_t last, std::int64_t origin) {
    row_work work;
    work.first = first;
    work.last = last;
    if (first > 0) {
        segment_range const before = segment_at(c, first - 1);
        if (before.possible && is_long(c, before))
            work.head = piece_of(c, first - 1, before, way_to(c, first - 1, origin), chunk);
    }
    if (last > first) {
        segment_range const end = segment_at(c, last - 1);
        if (end.possible && is_long(c, end)) {
            --work.last;
            work.tail = piece_of(c, work.last, end, way_to(c, work.last, origin), chunk);
        }
    }
    return work;
}

} // namespace steadfold::inline v0::segmented
