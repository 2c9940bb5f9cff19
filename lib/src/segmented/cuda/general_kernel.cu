// Every operation and every type: a warp for an output, or a piece of it, always by way of a superaccumulator.
#include "segmented/cuda/row_work.cuh"

namespace steadfold::inline v0::segmented {

namespace {

__device__ void general_rows(call const& c, warp_store& store, std::int64_t chunk) {
    row_work work;
    work.first = chunk * c.chunk;
    work.last = ::min(work.first + c.chunk, c.outputs);
    if (c.cuts) {
        check_offsets(c, chunk);
        work = work_of(c, chunk);
    }
#pragma unroll 1
    for (std::int64_t s = work.first; s < work.last; ++s) {
        segment_range const segment = segment_at(c, s);
        if (segment.possible)
            store.reduce(s, {segment.begin, segment.end - segment.begin});
        else if (lane_number() == 0)
            write_result(c, s, c.empty.bits[0], c.empty.bits[1], status_flags::invalid | status_flags::empty);
    }
#pragma unroll 1
    for (int i = 0; i < 2; ++i) {
        segment_piece const piece = i == 0 ? work.head : work.tail;
        if (piece.segment < 0) continue;
        add_piece(c, store, piece, [&](std::uint64_t* record) {
            store.clear();
            store.add({piece.begin, piece.end - piece.begin, 1, piece.begin - boundary(c, piece.segment)});
            store.merge_into(record);
        });
    }
}

/// A warp for a part of a column.
__device__ void general_columns(call const& c, warp_store& store, std::int64_t number) {
    std::int64_t const output = number / c.parts, begin = number % c.parts * c.chunk;
    element_range range;
    range.first = (output / c.inner * c.length + begin) * c.inner + output % c.inner;
    range.count = ::max(std::int64_t{0}, ::min(c.chunk, c.length - begin));
    range.stride = c.inner;
    range.index = begin;
    if (c.parts == 1) {
        store.reduce(output, range);
        return;
    }
    std::uint64_t* const record = c.records + output * c.record_words();
    store.clear();
    store.add(range);
    store.merge_into(record);
    if (!arrives_last(control_of(c, record), static_cast<std::uint32_t>(c.parts))) return;
    store.take(record);
    store.finish(output, c.length);
}

__global__ void __launch_bounds__(32 * warps_per_block) general_kernel(call const __grid_constant__ c) {
    extern __shared__ std::uint64_t shared_words[];
    int const warp = static_cast<int>(threadIdx.x / 32);
    std::int64_t const number = static_cast<std::int64_t>(blockIdx.x) * warps_per_block + warp;
    if (number >= c.chunks) return;
    warp_store store{c, shared_words + warp * warp_store::words(c.shape)};
    if (c.inner == 1)
        general_rows(c, store, number);
    else
        general_columns(c, store, number);
}

} // namespace

kernel find_general_kernel() noexcept {
    return general_kernel;
}

std::size_t shared_bytes(store_shape const& shape) noexcept {
    return std::size_t{warps_per_block} * 8 * static_cast<std::size_t>(warp_store::words(shape));
}

} // namespace steadfold::inline v0::segmented
