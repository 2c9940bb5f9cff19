// How a warp reads 32 rows, for any kind of lane: short ones by groups of lanes, side by side, long ones by all lanes.
// A step is what a lane loads at once; the loads of the next steps are on their way while one is worked on, from row to
// row.
#pragma once

#include "segmented/cuda/lane_group.cuh"
#include "segmented/cuda/unit.cuh"

#include <utility>

namespace steadfold::inline v0::segmented {

inline constexpr int units_per_step = 4;

/// A segment as a lane of a group reads it: units from an aligned word on, of which it takes every lanes()-th.
struct row_place {
    char const* word = nullptr; // the lane's next unit
    int first = 0;              // its first element, counted from the aligned word
    int begin = 0, end = 0;     // the segment's elements
};

/// Up to 32 segments, lane k's the k-th: `length` elements, `begin` elements after `start`.
struct row_batch {
    char const* start = nullptr;
    int begin = 0, length = 0;
    int count = 0; // of the segments
};

/// What a lane has loaded for some steps.
template <class Unit, int Steps>
class loaded_steps {
  public:
    __device__ explicit loaded_steps(call const& c) : loaded_steps{c, std::make_integer_sequence<int, Steps>{}} {}

    __device__ Unit (&operator[](int i))[units_per_step] { return steps_[i].units; }

  private:
    struct one_step {
        Unit units[units_per_step];
    };
    template <int... Step>
    __device__ loaded_steps(call const& c, std::integer_sequence<int, Step...>)
        : steps_{(static_cast<void>(Step), one_step{{Unit{c}, Unit{c}, Unit{c}, Unit{c}}})...} {}

    one_step steps_[Steps];
};

template <class Lane>
class row_walk {
  public:
    using outcome = typename Lane::outcome;

    __device__ explicit row_walk(call const& c) : call_{c} {}

    [[nodiscard]] __device__ char const* start_of(std::int64_t element) const {
        return static_cast<char const*>(call_.x) + element * unit{call_}.element_bytes();
    }

    /// Units from the aligned word on in which a lane's segment begins, up to its end.
    [[nodiscard]] __device__ int units_of(row_batch const& rows) const {
        row_place const row = row_of(rows.start, rows.begin, rows.length, warp_group{});
        int const size = unit{call_}.size();
        return (row.end + size - 1) / size;
    }

    /// What is known of the segments, each in its lane. Those that a group needs more steps for are left to all lanes.
    template <int Steps, class Group>
    __device__ outcome batch(Group const& group, row_batch const rows) const {
        bool const is_long = units_of(rows) > units_per_step * Steps * group.lanes();
        unsigned const left = __ballot_sync(whole_warp, is_long);
        outcome kept;
        if (left != whole_warp) {
            row_batch short_ones = rows;
            if (is_long) short_ones.length = 0;
            kept = short_rows<Steps>(group, short_ones);
        }
        if (left != 0) {
            outcome const known = long_rows(rows, left);
            if (is_long) kept = known;
        }
        return kept;
    }

    /// One segment, whose first element has this index in its output: in lane 0.
    __device__ outcome long_row(char const* start, int length, std::int64_t index) const {
        return long_rows({start, 0, length, 1}, 1, index);
    }

  private:
    using unit = typename Lane::unit;
    static constexpr int ahead = Lane::rounds_ahead;
    static constexpr int word_bytes = unit::word_bytes;

    /// The segment of `length` elements that begins `begin` elements after `start`.
    template <class Group>
    __device__ row_place row_of(char const* start, int begin, int length, Group const& group) const {
        unit const one{call_};
        int const elements = one.size(), bytes = one.element_bytes();
        char const* const data = start + static_cast<std::int64_t>(begin) * bytes;
        // Units of one element need no alignment of their own.
        int const odd = elements == 1 ? 0 : static_cast<int>(reinterpret_cast<std::uintptr_t>(data) % 8);
        return {data - odd + group.rank() * word_bytes, group.rank() * elements, odd / bytes, odd / bytes + length};
    }

    template <class Group>
    __device__ static void load(unit (&units)[units_per_step], row_place const& row, Group const& group) {
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

    template <class Group>
    __device__ void load_next(unit (&units)[units_per_step], row_place& row, Group const& group) const {
        load(units, row, group);
        row.word += units_per_step * group.lanes() * word_bytes;
        row.first += units_per_step * group.lanes() * unit{call_}.size();
    }

    /// Segments of at most so many steps each: every group sums its segments, one a round, and lane k of a group keeps
    /// what is known of the k-th.
    template <int Steps, class Group>
    __device__ outcome short_rows(Group const& group, row_batch const rows) const {
        constexpr int wanted = ahead < Steps ? 1 : ahead / Steps;
        constexpr int rounds_ahead = Group::most_lanes < wanted ? Group::most_lanes : wanted;
        outcome kept;
        loaded_steps<unit, rounds_ahead * Steps> loaded{call_};
        row_place row[rounds_ahead], next[rounds_ahead];
        auto const load_step = [&](int round, int i, int step) {
            if (step == 0) {
                int const from = group.first() + round;
                row[i] = next[i] = row_of(rows.start, __shfl_sync(whole_warp, rows.begin, from),
                                          __shfl_sync(whole_warp, rows.length, from), group);
            }
            load_next(loaded[i * Steps + step], next[i], group);
        };
        int const stride = group.lanes() * unit{call_}.size();
#pragma unroll
        for (int i = 0; i < rounds_ahead; ++i)
#pragma unroll
            for (int step = 0; step < Steps; ++step) load_step(i, i, step);
#pragma unroll 1
        for (int round = 0; round < group.lanes(); round += rounds_ahead) // rounds too many do no harm
#pragma unroll
            for (int i = 0; i < rounds_ahead; ++i) {
                Lane lane{call_};
                step_place place{row[i].first, stride, row[i].begin, row[i].end, 0, Steps > 1};
#pragma unroll
                for (int step = 0; step < Steps; ++step) {
                    lane.step(loaded[i * Steps + step], group, place);
                    place.first += units_per_step * stride;
                    if (round + rounds_ahead < group.lanes()) load_step(round + i + rounds_ahead, i, step);
                }
                outcome const known = lane.template finish<Steps>(group);
                if (group.rank() == round + i) kept = known;
            }
        return kept;
    }

    /// Those of `left`, one after the other, by the whole warp, each in its lane.
    __device__ __noinline__ outcome long_rows(row_batch const rows, unsigned left, std::int64_t index = 0) const {
        warp_group const group;
        outcome kept;
        loaded_steps<unit, ahead> loaded{call_};
        Lane lane{call_};
        long_place now = first_place(rows, left);
        row_place row = now.row;
#pragma unroll
        for (int i = 0; i < ahead; ++i) load_next(loaded[i], row, group);
        int const stride = group.lanes() * unit{call_}.size();
        while (true) {
            long_place next = now;
            next.steps -= ahead;
            next.opens = false;
            bool const closes = next.steps <= 0;
            if (closes) {
                left &= left - 1;
                next = first_place(rows, left);
                row = next.row;
            }
            if (now.opens) lane = Lane{call_};
            step_place place{now.row.first, stride, now.row.begin, now.row.end, index, !(now.opens && now.steps == 1)};
#pragma unroll
            for (int i = 0; i < ahead; ++i) {
                if (i < now.steps) lane.step(loaded[i], group, place);
                place.first += units_per_step * stride;
                load_next(loaded[i], row, group); // nothing, behind the end of a row
            }
            if (closes) {
                outcome const known = lane.finish(group);
                if (lane_number() == now.lane) kept = known;
                if (left == 0) return kept;
            }
            next.row.first = closes ? next.row.first : place.first;
            now = next;
        }
    }

    /// Where a long row is read.
    struct long_place {
        row_place row;
        int lane = 0, steps = 0; // of its segment, and how many are left
        bool opens = true;
    };

    /// Of the first row of `left`; an empty one if there is none.
    __device__ long_place first_place(row_batch const& rows, unsigned left) const {
        constexpr int step = units_per_step * warp_group::lanes();
        int const which = left == 0 ? 0 : __ffs(static_cast<int>(left)) - 1;
        int const length = __shfl_sync(whole_warp, rows.length, which);
        row_batch const one{rows.start, __shfl_sync(whole_warp, rows.begin, which), left == 0 ? 0 : length, 1};
        return {row_of(one.start, one.begin, one.length, warp_group{}), which,
                ::max(1, (units_of(one) + step - 1) / step)};
    }

    call const& call_;
};

} // namespace steadfold::inline v0::segmented
