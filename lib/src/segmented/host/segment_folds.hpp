// Sums of a tile's worth of floating-point values, straight from the folds: no superaccumulator.
#pragma once

#include "exact/window.hpp"
#include "reduce/host/tile_kernels.hpp"
#include "segmented/wide_sum.hpp"
#include "steadfold/dtype.hpp"

namespace steadfold::inline v0::segmented {

/// Keeps its windows from one segment to the next: neighbours are mostly of the same scale. One thread's.
class segment_folds {
  public:
    segment_folds(dtype type, host::tile_kernels const& kernels);

    // `x` holds n reals, 0 < n <= host::tile_elements; complex data alternates. All give false, and no sums, if some
    // value is not finite, or is out of reach of the folds: too large, or with bits too far below the largest one.

    /// The sum of each component.
    [[nodiscard]] bool sum(double const* x, int n, wide_sum (&sums)[2]);
    /// Of all components together.
    [[nodiscard]] bool magnitudes(double const* x, int n, wide_sum& total);
    [[nodiscard]] bool squares(double const* x, int n, wide_sum& total);

  private:
    enum class quantity { values, magnitudes, squares };

    [[nodiscard]] bool add(double const* x, int n, quantity what, wide_sum (&sums)[2]);
    [[nodiscard]] bool add_together(double const* x, int n, quantity what, wide_sum& total);
    void fold(double const* x, int n, quantity what, host::fold_sums& sums) const;
    void fold_squares(double const* x, int n, host::fold_constants const& window, host::fold_sums& sums) const;
    [[nodiscard]] static std::uint64_t largest(double const* x, int n);

    dtype real_;
    int components_;
    host::tile_kernels const& kernels_;
    exact::fold_window window_, square_window_;
};

} // namespace steadfold::inline v0::segmented
