// Segments, and rows of an array: outputs whose elements are neighbours in memory.
#pragma once

#include "segmented/cuda/row_work.cuh"
#include "segmented/cuda/unit.cuh"
#include "segmented/cuda/write_result.cuh"

namespace steadfold::inline v0::segmented {

/// A segment as a lane of a group reads it: units from an aligned word on, of which it takes every lanes()-th.
struct row_place {
    char const* word = nullptr; // the lane's next unit
    int first = 0;              // its first element, counted from the aligned word
    int begin = 0, end = 0;     // the segment's elements
};

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

template <class Lane>
class row_warp {
  public:
    __device__ row_warp(call const& c, std::uint64_t* words) : call_{c}, words_{words} {}

    /// Segments [first, last), 32 at a time: the groups of lanes take theirs one after the other, and each lane rounds
    /// and writes one.
    __device__ void whole(std::int64_t first, std::int64_t last) const {
#pragma unroll 1
        for (; first < last; first += 32) {
            int const lane = lane_number(), count = static_cast<int>(::min(std::int64_t{32}, last - first));
            segment_range const mine = lane < count ? segment_at(call_, first + lane) : segment_range{};
            std::int64_t const origin = __shfl_sync(whole_warp, mine.begin, 0), elements = mine.end - mine.begin;
            // Offsets out of order must not lead the others astray.
            bool const possible =
                mine.possible && (elements == 0 || (mine.begin >= origin && mine.end - origin <= 32 * longest_piece));
            int const begin = possible && elements > 0 ? static_cast<int>(mine.begin - origin) : 0;
            int const length = possible ? static_cast<int>(elements) : 0;
            outcome const known = call_.lanes == 32 ? batch(warp_group{}, origin, begin, length, count)
                                                    : batch(lane_group{call_.lanes}, origin, begin, length, count);
            bool written = true;
            if (lane < count) written = possible && Lane::write(call_, first + lane, length, known);
            unsigned const left = __ballot_sync(whole_warp, !written);
            if (left != 0) reduce_left(call_, words_, first, left, mine.begin, elements, possible);
        }
    }

    __device__ __noinline__ void piece(segment_piece const& piece) const {
        std::int64_t const index = piece.begin - boundary(call_, piece.segment);
        outcome const known = long_row(start_of(piece.begin), 0, static_cast<int>(piece.end - piece.begin), index);
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
    using unit = typename Lane::unit;
    using outcome = typename Lane::outcome;
    static constexpr int units_per_step = 4;
    static constexpr int word_bytes = unit::word_bytes;

    [[nodiscard]] __device__ char const* start_of(std::int64_t element) const {
        return static_cast<char const*>(call_.x) + element * unit{call_}.element_bytes();
    }

    /// The segment of `length` elements that begins `begin` elements after `start`.
    template <class Lanes>
    __device__ row_place row_of(char const* start, int begin, int length, Lanes const& group) const {
        unit const one{call_};
        int const elements = one.size(), bytes = one.element_bytes();
        char const* const data = start + static_cast<std::int64_t>(begin) * bytes;
        // Units of one element need no alignment of their own.
        int const odd = elements == 1 ? 0 : static_cast<int>(reinterpret_cast<std::uintptr_t>(data) % 8);
        return {data - odd + group.rank() * word_bytes, group.rank() * elements, odd / bytes, odd / bytes + length};
    }

    template <class Lanes>
    [[nodiscard]] __device__ int steps_of(row_place const& row, Lanes const& group) const {
        static_assert(units_per_step == 4);
        int const size = unit{call_}.size(), units = (row.end + size - 1) / size, shift = group.shift() + 2;
        return (units + (1 << shift) - 1) >> shift;
    }

    template <class Lanes>
    __device__ static void load(unit (&units)[units_per_step], row_place const& row, Lanes const& group) {
        int const apart = group.lanes() * word_bytes, stride = group.lanes() * units[0].size();
        if (row.first >= row.begin && row.first + (units_per_step - 1) * stride + units[0].size() <= row.end) {
#pragma unroll
            for (int u = 0; u < units_per_step; ++u) units[u].load(row.word + u * apart);
        } else {
#pragma unroll
            for (int u = 0; u < units_per_step; ++u)
                units[u].load(row.word + u * apart, row.first + u * stride, row.begin, row.end);
        }
    }

    template <class Lanes>
    __device__ void advance(row_place& row, Lanes const& group) const {
        row.word += units_per_step * group.lanes() * word_bytes;
        row.first += units_per_step * group.lanes() * unit{call_}.size();
    }

    template <class Lanes>
    __device__ step_place place_of(row_place const& row, Lanes const& group, std::int64_t index, bool continues) const {
        return {row.first, group.lanes() * unit{call_}.size(), row.begin, row.end, index, continues};
    }

    /// What is known of up to 32 segments, each in a lane.
    template <class Group>
    __device__ outcome batch(Group const& group, std::int64_t origin, int begin, int length, int count) const {
        char const* const start = start_of(origin);
        bool const is_long = steps_of(row_of(start, begin, length, group), group) > 1;
        unsigned left = __ballot_sync(whole_warp, is_long);
        outcome kept;
        if (left != whole_warp) kept = short_rows(group, start, begin, is_long ? 0 : length, count);
#pragma unroll 1
        for (; left != 0; left &= left - 1) {
            int const which = __ffs(static_cast<int>(left)) - 1;
            outcome const known =
                long_row(start, __shfl_sync(whole_warp, begin, which), __shfl_sync(whole_warp, length, which), 0);
            if (lane_number() == which) kept = known;
        }
        return kept;
    }

    /// Segments of one step each: every group sums its segments, one a round, and lane k of a group keeps what is known
    /// of the k-th. The loads of the next round are on their way while one is worked on.
    template <class Group>
    __device__ outcome short_rows(Group const& group, char const* start, int begin, int length, int count) const {
        outcome kept;
        auto const row_in_round = [&](int round) {
            int const from = group.first() + round;
            return row_of(start, __shfl_sync(whole_warp, begin, from), __shfl_sync(whole_warp, length, from), group);
        };
        auto const work_on = [&](int round, unit const(&units)[units_per_step], row_place const& row) {
            Lane lane{call_};
            lane.step(units, group, place_of(row, group, 0, false));
            outcome const known = lane.template finish<1>(group);
            if (group.rank() == round) kept = known;
        };
        int const rounds = ::min(group.lanes(), count);
        unit even[units_per_step] = {unit{call_}, unit{call_}, unit{call_}, unit{call_}};
        unit odd[units_per_step] = {unit{call_}, unit{call_}, unit{call_}, unit{call_}};
        row_place even_row = row_in_round(0);
        load(even, even_row, group);
#pragma unroll 1
        for (int round = 0; round < rounds; round += 2) { // a round too many does no harm
            row_place const odd_row = row_in_round(round + 1);
            load(odd, odd_row, group);
            work_on(round, even, even_row);
            even_row = row_in_round(::min(round + 2, group.lanes() - 1));
            load(even, even_row, group);
            work_on(round + 1, odd, odd_row);
        }
        return kept;
    }

    /// One segment of any number of steps, by the whole warp; in every lane.
    __device__ __noinline__ outcome long_row(char const* start, int begin, int length, std::int64_t index) const {
        warp_group const group;
        row_place row = row_of(start, begin, length, group);
        int const steps = ::max(1, steps_of(row, group));
        Lane lane{call_};
        unit units[units_per_step] = {unit{call_}, unit{call_}, unit{call_}, unit{call_}};
        load(units, row, group);
#pragma unroll 1
        for (int step = 0; step < steps; ++step) {
            unit ahead[units_per_step] = {unit{call_}, unit{call_}, unit{call_}, unit{call_}};
            step_place const place = place_of(row, group, index, steps > 1);
            advance(row, group);
            load(ahead, row, group); // after the last step there is nothing left to load
            lane.step(units, group, place);
#pragma unroll
            for (int u = 0; u < units_per_step; ++u) units[u] = ahead[u];
        }
        return lane.finish(group);
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
