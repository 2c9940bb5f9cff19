// Segments, and rows of an array: outputs whose elements are neighbours in memory.
#pragma once

#include "segmented/cuda/pair_lane.cuh"
#include "segmented/cuda/row_walk.cuh"
#include "segmented/cuda/row_work.cuh"
#include "segmented/cuda/write_result.cuh"

namespace steadfold::inline v0::segmented {

/// Outputs that only a superaccumulator can sum, or whose offsets are impossible, of the 32 from `first` on.
inline __device__ __noinline__ void reduce_left(call const& c, std::uint64_t* words, std::int64_t first, unsigned left,
                                                std::int64_t begin, std::int64_t elements, bool possible) {
    warp_store store{c, words};
    for (; left != 0; left &= left - 1) {
        int const which = __ffs(static_cast<int>(left)) - 1;
        element_range range;
        range.first = __shfl_sync(whole_warp, begin, which);
        range.count = __shfl_sync(whole_warp, elements, which);
        if (__shfl_sync(whole_warp, possible, which))
            store.reduce(first + which, range);
        else if (lane_number() == 0)
            write_result(c, first + which, c.empty.bits[0], c.empty.bits[1],
                         status_flags::invalid | status_flags::empty);
    }
}

/// 32 segments, lane k's the k-th: where it is, and whether its output is written.
struct open_rows {
    std::int64_t first = 0; // the segments' number from here on
    std::int64_t begin = 0, elements = 0;
    bool possible = true, written = false;
    int lanes = 32; // that work on a segment together, where they take one step each
    row_batch rows;
};

template <class Lane>
class row_warp {
  public:
    __device__ row_warp(call const& c, std::uint64_t* words) : call_{c}, words_{words} {}

    /// Segments [first, last), 32 at a time: the groups of lanes take theirs one after the other, and each lane rounds
    /// and writes one.
    __device__ void whole(std::int64_t first, std::int64_t last) const {
        segment_range next = segment_before(first + lane_number(), last);
#pragma unroll 1
        for (; first < last; first += 32) {
            segment_range const mine = next;
            next = segment_before(first + 32 + lane_number(), last); // on its way while these are summed
            open_rows open = opened(first, static_cast<int>(::min(std::int64_t{32}, last - first)), mine);
            if constexpr (quicker<Lane>::exists) {
                sum_quickly(open);
                if (!__all_sync(whole_warp, open.written)) sum_rest(open);
            } else {
                sum(open);
            }
        }
    }

    __device__ __noinline__ void piece(segment_piece const& piece) const {
        std::int64_t const index = piece.begin - boundary(call_, piece.segment);
        row_walk<Lane> const walk{call_};
        outcome const known =
            walk.long_row(walk.start_of(piece.begin), static_cast<int>(piece.end - piece.begin), index);
        warp_store store{call_, words_};
        add_piece(call_, store, piece, [&](std::uint64_t* record) {
            bool merged = true;
            if (lane_number() == 0) merged = Lane::merge(call_, record, known);
            if (__all_sync(whole_warp, merged)) return;
            store.clear();
            store.add({piece.begin, piece.end - piece.begin, 1, index});
            store.merge_into(record);
        });
    }

  private:
    using outcome = typename Lane::outcome;

    /// Nothing from `last` on.
    [[nodiscard]] __device__ segment_range segment_before(std::int64_t segment, std::int64_t last) const {
        return segment < last ? segment_at(call_, segment) : segment_range{};
    }

    [[nodiscard]] __device__ open_rows opened(std::int64_t first, int count, segment_range const& mine) const {
        std::int64_t const origin = __shfl_sync(whole_warp, mine.begin, 0), elements = mine.end - mine.begin;
        // Offsets out of order must not lead the others astray.
        bool const possible =
            mine.possible && (elements == 0 || (mine.begin >= origin && mine.end - origin <= 32 * longest_piece));
        row_walk<Lane> const walk{call_};
        row_batch rows{walk.start_of(origin), 0, 0, count};
        if (possible && elements > 0) {
            rows.begin = static_cast<int>(mine.begin - origin);
            rows.length = static_cast<int>(elements);
        }
        return {first, mine.begin, elements, possible, lane_number() >= count, lanes_for(walk.units_of(rows)), rows};
    }

    /// How many lanes are best for these segments: half as many take half as many rounds, unless too many segments
    /// become long ones, which cost as much as two rounds each.
    [[nodiscard]] __device__ int lanes_for(int units) const {
        int lanes = call_.lanes;
        for (; lanes > 1; lanes /= 2) {
            bool const becomes_long = units > units_per_step / 2 * lanes && units <= units_per_step * lanes;
            if (4 * __popc(__ballot_sync(whole_warp, becomes_long)) > lanes) break;
        }
        return lanes;
    }

    /// All but what the quicker kind of sums does not take.
    __device__ void sum_quickly(open_rows& open) const {
        using lane = typename quicker<Lane>::lane;
        if (!lane::takes(call_)) return;
        typename lane::outcome known;
        // Each is a function of its own: they need their registers for loads on their way. More than eight lanes would
        // cost more in sums over lanes than eight in several steps.
        switch (open.lanes) {
        case 32:
            known = quick_batch<fixed_lane_group<8>, 4>(open.rows);
            break;
        case 16:
            known = quick_batch<fixed_lane_group<8>, 2>(open.rows);
            break;
        case 8:
            known = quick_batch<fixed_lane_group<8>>(open.rows);
            break;
        case 4:
            known = quick_batch<fixed_lane_group<4>>(open.rows);
            break;
        case 2:
            known = quick_batch<fixed_lane_group<2>>(open.rows);
            break;
        default:
            known = quick_batch<fixed_lane_group<1>>(open.rows);
        }
        if (open.written || !open.possible) return;
        open.written = lane::write(call_, open.first + lane_number(), open.elements, known);
        if (open.written) open.rows.length = 0;
    }

    template <class Group, int Steps = 1>
    __device__ __noinline__ auto quick_batch(row_batch const rows) const {
        return row_walk<typename quicker<Lane>::lane>{call_}.template batch<Steps>(Group{}, rows);
    }

    __device__ __noinline__ void sum_rest(open_rows const open) const {
        sum(open);
    }

    /// Those that are not written yet.
    __device__ void sum(open_rows const& open) const {
        row_walk<Lane> const walk{call_};
        outcome const known = open.lanes == 32 ? walk.template batch<1>(warp_group{}, open.rows)
                                               : walk.template batch<1>(lane_group{open.lanes}, open.rows);
        bool written = open.written;
        if (!written)
            written = open.possible && Lane::write(call_, open.first + lane_number(), open.rows.length, known);
        unsigned const left = __ballot_sync(whole_warp, !written);
        if (left != 0) reduce_left(call_, words_, open.first, left, open.begin, open.elements, open.possible);
    }

    call const& call_;
    std::uint64_t* words_;
};

/// The work of one warp.
template <class Lane>
__device__ void reduce_rows(call const& c, std::uint64_t* words, std::int64_t chunk) {
    row_warp<Lane> const rows{c, words};
    std::int64_t first = chunk * c.chunk, last = ::min(first + c.chunk, c.outputs);
    if (c.cuts) {
        check_offsets(c, chunk);
        row_work const work = work_of(c, chunk);
        if (work.head.segment >= 0) rows.piece(work.head);
        if (work.tail.segment >= 0) rows.piece(work.tail);
        first = work.first;
        last = work.last;
    }
    rows.whole(first, last);
}

} // namespace steadfold::inline v0::segmented
