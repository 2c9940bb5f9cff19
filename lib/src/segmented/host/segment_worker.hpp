// One thread's part of a segmented reduction on the host.
#pragma once

#include "exact/state.hpp"
#include "reduce/host/host_pass.hpp"
#include "segmented/host/short_segments.hpp"
#include "segmented/settings.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

namespace steadfold::inline v0::segmented {

/// Puts results where the caller wants them, in the width of their type.
class result_writer {
  public:
    explicit result_writer(output_view out) : out_{out}, part_bytes_{size_bytes(component_type(out.type))} {}
    void put(std::int64_t output, result_value const& value) const;

  private:
    output_view out_;
    std::size_t part_bytes_;
};

/// Not thread-safe: one per thread. Runs in the default floating-point environment, which the caller sets.
class segment_worker {
  public:
    segment_worker(settings const& settings, host::tile_kernels const& kernels);

    /// Results of segments [first, last) of `x`; that of `first` becomes number `output`, the others follow.
    void reduce(array_view const& x, boundaries const& segments, std::int64_t first, std::int64_t last,
                std::int64_t output, result_writer const& out);

    /// Adds elements of one segment to its state; `index` is the place of the first in the segment.
    void add(exact::reduction_state& state, array_view const& x, std::int64_t index);
    /// The result of a state, which is normalised on the way.
    [[nodiscard]] result_value finish(exact::reduction_state& state) const;

    /// Elements that fit a tile.
    [[nodiscard]] std::int64_t tile() const noexcept { return host::tile_elements / components_; }

  private:
    /// Segments that together fit a tile; `values` are the widened elements from the first on.
    template <class Word>
    void reduce_tile(Word const* values, std::byte const* x, boundaries const& segments, std::int64_t first,
                     std::int64_t last, std::int64_t output, result_writer const& out);
    template <class Word>
    [[nodiscard]] result_value reduce_short(Word const* values, std::byte const* x, std::int64_t count);
    template <class Word>
    [[nodiscard]] std::optional<result_value> without_nans(Word const* values, int reals);
    [[nodiscard]] std::optional<result_value> try_short(double const* values, int reals);
    [[nodiscard]] std::optional<result_value> try_short(std::int64_t const* values, int reals);
    [[nodiscard]] result_value reduce_any(array_view const& x);
    [[nodiscard]] std::byte const* together(array_view const& x, std::int64_t first, std::int64_t count);
    [[nodiscard]] double const* widened_floats(std::byte const* x, int reals);
    [[nodiscard]] std::int64_t const* widened_integers(std::byte const* x, int reals);

    settings const& settings_;
    host::tile_kernels const& kernels_;
    dtype real_;
    int components_;
    std::int64_t element_bytes_;
    bool indexed_; // argmin, argmax: elements must stay where they are
    short_floats floats_;
    short_integers integers_;
    host::host_pass pass_;
    result_value empty_, nan_; // of an empty segment, and of one with a NaN that propagates
    // Two tiles each, where needed: widened elements, and those that are left when NaNs go.
    std::unique_ptr<double[]> float_tiles_;
    std::unique_ptr<std::int64_t[]> integer_tiles_;
    std::unique_ptr<std::byte[]> gathered_; // a tile, once there was strided data
};

} // namespace steadfold::inline v0::segmented
