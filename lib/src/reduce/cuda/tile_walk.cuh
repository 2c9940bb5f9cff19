// The tiles of a warp, one after another. Bulk copies: every block reads one stretch of the array from end to end,
// which the memory is quicker at than at strides over all of it, and its warps take the stretch's tiles in turn. Little
// data, and what bulk copies cannot bring: all warps of the launch in turn.
#pragma once

#include "reduce/cuda/bulk_copies.cuh"

namespace steadfold::inline v0::cuda {

template <class Pass, int Count>
class tile_walk {
  public:
    using batch_type = batch_vectors<Pass, Count>;

    /// Everything that can be known before the data may be read.
    __device__ tile_walk(pass_arguments const& arguments, vector_source<Pass> const& source)
        : arguments_{arguments}, source_{source}, warps_{blockDim.x / warp_threads} {
        warp_ = blockIdx.x * warps_ + threadIdx.x / warp_threads;
        bool const is_simple =
            may_load_early && !arguments.bulk && arguments.small_bits == 0 && (!Pass::takes_two || arguments.y_aligned);
        loads_first_ = is_simple && warp_ < arguments.whole_tiles ? 1 : 0;
        if (arguments.bulk) {
            tile_ = blockIdx.x * arguments.block_tiles + threadIdx.x / warp_threads;
            end_ = ::min((blockIdx.x + 1) * arguments.block_tiles, arguments.whole_tiles);
        } else {
            tile_ = warp_;
            end_ = arguments.tiles;
        }
        if constexpr (may_load_early) keep(loads_first_);
    }

    /// The lane's in the warp's first tile.
    [[nodiscard]] __device__ std::int64_t first_vector() const { return batch_type{source_, warp_, nullptr}.first(); }

    /// As soon as the data may be read: sends for the first tiles, or loads one.
    __device__ void begin(bulk_copies<Pass, Count>& copies, first_addresses<Pass> const& first, vector16 (&x)[Count],
                          vector16 (&y)[Count]) const {
        if (arguments_.bulk) copies.begin(tile_, warps_, end_);
        if (loads_first_ == 0) return;
#pragma unroll
        for (int u = 0; u < Count; ++u) x[u] = load_aligned(first.x + u * stride * 16);
#pragma unroll
        for (int u = 0; u < Count; ++u) y[u] = Pass::takes_two ? load_aligned(first.y + u * stride * 16) : x[u];
    }

    /// f(x, y, the same vectors to be read again) for every tile; x and y as begin() left them.
    template <class Function>
    __device__ void for_each(bulk_copies<Pass, Count>& copies, vector16 (&x)[Count], vector16 (&y)[Count],
                             Function const& f) const {
        std::int64_t const all_warps = gridDim.x * warps_;
        bool bulk = arguments_.bulk, is_there = loads_first_ != 0;
        std::int64_t tile = tile_, step = bulk ? warps_ : all_warps, end = end_;
        while (true) {
            if (tile >= end) {
                if (!bulk) return;
                bulk = false; // and the last ones, which are not whole
                tile = arguments_.whole_tiles + warp_;
                step = all_warps;
                end = arguments_.tiles;
                continue;
            }
            batch_type batch{source_, tile, nullptr};
            if (bulk) {
                batch.stage = copies.take(tile + (Pass::bulk_stages - 1) * step, end);
                from_stage(batch, x, y);
            } else if (tile < arguments_.whole_tiles) [[likely]] {
                if (!is_there) from_memory(batch.first(), x, y);
                is_there = false;
            } else {
                source_.any(batch.first(), stride, x, y);
            }
            if constexpr (Pass::takes_two)
                f(x, y, batch);
            else
                f(x, x, batch);
            tile += step;
        }
    }

  private:
    static constexpr int stride = batch_type::stride;
    /// Not heavy passes: they have the registers only if tiles are all loaded in one place.
    static constexpr bool may_load_early = Pass::meets_hot && Pass::components == 1;

    __device__ void from_stage(batch_type const& batch, vector16 (&x)[Count], vector16 (&y)[Count]) const {
        uint4 const* const y_stage = batch.stage + (source_.has_y() ? Count * stride : 0); // pairs of x with itself
#pragma unroll
        for (int u = 0; u < Count; ++u) {
            x[u] = as_vector(batch.stage[u * stride]);
            y[u] = Pass::takes_two ? as_vector(y_stage[u * stride]) : x[u];
        }
    }

    __device__ void from_memory(std::int64_t first, vector16 (&x)[Count], vector16 (&y)[Count]) const {
        char const* const at = source_.x_address(first);
#pragma unroll
        for (int u = 0; u < Count; ++u) x[u] = source_.x(at + u * stride * 16);
        char const* const y_at = Pass::takes_two ? source_.y_address(first) : nullptr;
#pragma unroll
        for (int u = 0; u < Count; ++u) y[u] = Pass::takes_two ? source_.y(y_at + u * stride * 16) : x[u];
    }

    pass_arguments const& arguments_;
    vector_source<Pass> const& source_;
    std::int64_t warp_;       // in the launch
    std::int64_t tile_, end_; // the warp's first tile, and where such tiles end; with bulk copies, the block's
    int loads_first_;         // not 0: begin() loads the first tile
    unsigned warps_;          // of a block
};

} // namespace steadfold::inline v0::cuda
