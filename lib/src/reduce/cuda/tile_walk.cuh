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
        first_ = batch_type{source, warp_, nullptr}.first();
        x_first_ = source.x_address(first_);
        keep(x_first_);
        if constexpr (Pass::takes_two) {
            y_first_ = source.y_address(first_);
            keep(y_first_);
        }
    }

    /// f(x, y, the same vectors to be read again) for every tile.
    template <class Function>
    __device__ void for_each(bulk_copies<Pass, Count>& copies, Function const& f) const {
        std::int64_t const all_warps = gridDim.x * warps_;
        std::int64_t tile = warp_, step = all_warps, end = arguments_.tiles;
        if (arguments_.bulk) {
            std::int64_t const share = (arguments_.whole_tiles + gridDim.x - 1) / gridDim.x;
            tile = blockIdx.x * share + threadIdx.x / warp_threads;
            step = warps_;
            end = ::min((blockIdx.x + 1) * share, arguments_.whole_tiles);
            copies.begin(tile, step, end);
        }
        bool bulk = arguments_.bulk;
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
            vector16 x[Count], y[Count];
            if (bulk) {
                batch.stage = copies.take();
                from_stage(batch, x, y);
            } else if (tile < arguments_.whole_tiles) {
                from_memory(tile, x, y);
            } else {
                source_.any(batch.first(), stride, x, y);
            }
            f(x, y, batch);
            if (bulk) copies.release(tile + Pass::bulk_stages * step, end);
            tile += step;
        }
    }

  private:
    static constexpr int stride = batch_type::stride;

    __device__ void from_stage(batch_type const& batch, vector16 (&x)[Count], vector16 (&y)[Count]) const {
#pragma unroll
        for (int u = 0; u < Count; ++u) {
            x[u] = as_vector(batch.stage[u * stride]);
            y[u] = source_.has_y() ? as_vector(batch.stage[(u + Count) * stride]) : x[u];
        }
    }

    /// Not of bulk copies: the tile is the first one of the warp or behind it.
    __device__ void from_memory(std::int64_t tile, vector16 (&x)[Count], vector16 (&y)[Count]) const {
        std::int64_t const offset = (tile - warp_) * (stride * Count * 16);
#pragma unroll
        for (int u = 0; u < Count; ++u) x[u] = source_.x(x_first_ + offset + u * stride * 16);
#pragma unroll
        for (int u = 0; u < Count; ++u) y[u] = source_.y(y_first_ + offset + u * stride * 16, x[u]);
    }

    pass_arguments const& arguments_;
    vector_source<Pass> const& source_;
    std::int64_t warp_, first_; // in the launch; the lane's first vector
    unsigned warps_;            // of a block
    char const *x_first_, *y_first_ = nullptr;
};

} // namespace steadfold::inline v0::cuda
