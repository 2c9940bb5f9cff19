// Columns of an array: outputs whose elements are `inner` apart. A lane takes a column, so that the warp reads
// neighbours.
#pragma once

#include "segmented/cuda/finish_by_lane.cuh"
#include "segmented/cuda/fold_lane.cuh"

namespace steadfold::inline v0::segmented {

/// The column, and the part of it, that a lane works on. Lanes beyond the last column read that one again, and write
/// nothing.
struct column_work {
    std::int64_t output = 0;
    std::int64_t first = 0; // element of x: the first one of the part
    std::int64_t begin = 0; // its place in the output
    int count = 0;          // elements of the part; the same in all lanes
    bool active = false;
};

__device__ inline column_work column_work_of(call const& c, std::int64_t warp) {
    column_work work;
    std::int64_t const wanted = warp / c.parts * 32 + lane_number();
    work.output = ::min(wanted, c.outputs - 1);
    work.active = wanted == work.output;
    work.begin = warp % c.parts * c.chunk;
    work.count = static_cast<int>(::max(std::int64_t{0}, ::min(c.chunk, c.length - work.begin)));
    work.first = (work.output / c.inner * c.length + work.begin) * c.inner + work.output % c.inner;
    return work;
}

template <class Lane>
class column_warp {
  public:
    using outcome = typename Lane::outcome;

    __device__ column_warp(call const& c, std::uint64_t* words) : call_{c}, words_{words} {}

    [[nodiscard]] __device__ outcome sum(column_work const& work) const {
        single_lane const group;
        Lane lane{call_};
        unit units[rows_per_step] = {unit{call_}, unit{call_}, unit{call_}, unit{call_},
                                     unit{call_}, unit{call_}, unit{call_}, unit{call_}};
        std::int64_t const stride = call_.inner * units[0].element_bytes();
        char const* at = static_cast<char const*>(call_.x) + work.first * units[0].element_bytes();
        bool const continues = work.count > rows_per_step;
#pragma unroll 1
        for (int row = 0; row < work.count; row += rows_per_step) {
            if (row + rows_per_step <= work.count) {
#pragma unroll
                for (int u = 0; u < rows_per_step; ++u) units[u].load(at + u * stride);
            } else {
#pragma unroll
                for (int u = 0; u < rows_per_step; ++u) units[u].load(at + u * stride, row + u, 0, work.count);
            }
            at += rows_per_step * stride;
            lane.step(units, group, {row, 1, 0, work.count, work.begin, continues});
        }
        return lane.finish(group);
    }

    /// Writes what is known of whole columns, or adds it to their records, which the warp that comes last rounds.
    __device__ __noinline__ void finish(column_work const& work, outcome const known) const {
        warp_store store{call_, words_};
        if (call_.parts == 1) {
            bool const written = !work.active || Lane::write(call_, work.output, work.count, known);
            for_each_lane(!written, work,
                          [&](std::int64_t output, element_range const& range) { store.reduce(output, range); });
            return;
        }
        bool const merged = !work.active || Lane::merge(call_, record_of(work.output), known);
        for_each_lane(!merged, work, [&](std::int64_t output, element_range const& range) {
            store.clear();
            store.add(range);
            store.merge_into(record_of(output));
        });
        std::int64_t const first = __shfl_sync(whole_warp, work.output, 0);
        if (!arrives_last(control_of(call_, record_of(first)), static_cast<std::uint32_t>(call_.parts))) return;
        if (work.active) finish_by_lane(call_, work.output, call_.length, record_of(work.output), store.scratch());
    }

  private:
    using unit = typename Lane::unit;
    static constexpr int rows_per_step = 8;

    __device__ std::uint64_t* record_of(std::int64_t output) const {
        return call_.records + output * call_.record_words();
    }

    /// The whole warp takes the columns of those lanes that ask for it, one after the other.
    template <class Function>
    __device__ void for_each_lane(bool asks, column_work const& work, Function const& function) const {
        unsigned left = __ballot_sync(whole_warp, asks);
        for (; left != 0; left &= left - 1) {
            int const which = __ffs(static_cast<int>(left)) - 1;
            element_range range;
            range.first = __shfl_sync(whole_warp, work.first, which);
            range.count = work.count;
            range.stride = call_.inner;
            range.index = work.begin;
            function(__shfl_sync(whole_warp, work.output, which), range);
        }
    }

    call const& call_;
    std::uint64_t* words_;
};

/// The work of one warp.
template <class Lane>
__device__ void reduce_columns(call const& c, std::uint64_t* words, std::int64_t number) {
    column_warp<Lane> const columns{c, words};
    column_work const work = column_work_of(c, number);
    columns.finish(work, columns.sum(work));
}

} // namespace steadfold::inline v0::segmented
