// Segments of at most a tile: the result in one go, without a superaccumulator. What is out of the ordinary is left to
// the caller.
#pragma once

#include "segmented/host/segment_folds.hpp"
#include "segmented/settings.hpp"
#include "steadfold/results.hpp"

#include <cstdint>
#include <optional>

namespace steadfold::inline v0::segmented {

/// Floating-point data, widened to float64; complex data alternates. One thread's.
class short_floats {
  public:
    short_floats(settings const& settings, host::tile_kernels const& kernels);

    /// The result for 0 < n <= host::tile_elements reals; nothing where an element is not finite, out of reach of the
    /// folds, or the operation has no short way.
    [[nodiscard]] std::optional<result_value> reduce(double const* x, int n);

  private:
    [[nodiscard]] std::optional<result_value> sum(double const* x, int n);
    /// The result for one component of the data.
    [[nodiscard]] exact::rounded round(wide_sum const& sum, double const* x, int n, int component) const;
    [[nodiscard]] std::optional<result_value> extremum(double const* x, int n) const;
    [[nodiscard]] std::optional<result_value> counted(double const* x, int n) const;

    settings const& settings_;
    dtype result_;
    int components_;
    host::tile_kernels const& kernels_;
    segment_folds folds_;
};

/// Integer data, widened to 64 bits. Stateless.
class short_integers {
  public:
    explicit short_integers(settings const& settings);

    /// As short_floats::reduce.
    [[nodiscard]] std::optional<result_value> reduce(std::int64_t const* x, int n) const;

  private:
    [[nodiscard]] wide_sum sum(std::int64_t const* x, int n) const;
    [[nodiscard]] wide_sum magnitudes(std::int64_t const* x, int n) const;
    [[nodiscard]] wide_sum squares(std::int64_t const* x, int n) const;
    [[nodiscard]] result_value of_sum(wide_sum const& sum, int n) const;
    [[nodiscard]] result_value extremum(std::int64_t const* x, int n) const;
    [[nodiscard]] std::uint64_t magnitude(std::int64_t x) const noexcept {
        return is_signed_ && x < 0 ? 0 - static_cast<std::uint64_t>(x) : static_cast<std::uint64_t>(x);
    }

    settings const& settings_;
    bool is_signed_;
};

/// A result as reduce() gives it: narrow signed integers are sign-extended.
[[nodiscard]] result_value real_result(dtype type, exact::rounded const& value) noexcept;

} // namespace steadfold::inline v0::segmented
