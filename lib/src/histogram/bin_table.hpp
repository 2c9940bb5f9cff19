// Which bin an element is in, by comparisons alone, in the type that suits the device: host and device cannot differ.
#pragma once

#include "steadfold/bits.hpp"
#include "steadfold/dtype.hpp"
#include "steadfold/histogram.hpp"

#include <vector>

namespace steadfold::inline v0::histogram_detail {

/// Where counts are kept: slot 0 for elements below, then the bins, then elements above and NaN.
inline constexpr int extra_slots = 3;

/// True where float holds every element of the type.
[[nodiscard]] constexpr bool fits_float(dtype type) noexcept {
    return size_bytes(type) < 4 || type == dtype::float32;
}

/// Slot s holds threshold[s] <= x < threshold[s + 1], for x of type Key (float or double): -Inf is the first threshold,
/// the first and last edge are the second and the last but one, and NaN, which nothing reaches, ends the slot above.
/// Trivially copyable.
template <class Key>
struct bin_table {
    Key const* threshold = nullptr; // bins + extra_slots, non-decreasing
    int bins = 0;
    bool uniform = false;
    Key half_low = 0, scale = 0; // of guess()

    [[nodiscard]] STEADFOLD_HOST_DEVICE int slot(Key x) const {
        int const likely = uniform ? guess(x) : search(x);
        return holds(likely, x) ? likely : slot_beside(likely, x);
    }

    /// A slot near that of x where bins are uniform. Rounding, overflow and contraction cost time at most. Halves, so
    /// that the span of the bins does not overflow.
    [[nodiscard]] STEADFOLD_HOST_DEVICE int guess(Key x) const {
        Key const position = (x * Key(0.5) - half_low) * scale + 1;
        Key const last = static_cast<Key>(bins + 1);
        Key const positive = position > 0 ? position : Key(0); // 0 for NaN
        return static_cast<int>(positive < last ? positive : last);
    }

    /// The last slot but that of NaN whose threshold is not above x; 0 for NaN.
    [[nodiscard]] STEADFOLD_HOST_DEVICE int search(Key x) const {
        int slot = 0;
        for (int length = bins + 2; length > 1;) {
            int const half = length / 2;
            slot += half & -static_cast<int>(x >= threshold[slot + half]); // a branch would be mispredicted
            length -= half;
        }
        return slot;
    }

    [[nodiscard]] STEADFOLD_HOST_DEVICE bool holds(int slot, Key x) const {
        return (x >= threshold[slot]) & !(x >= threshold[slot + 1]); // both loads at once
    }

    /// The slot of an x that `slot` does not hold.
    [[nodiscard]] STEADFOLD_HOST_DEVICE int slot_beside(int slot, Key x) const {
        if (x != x) return bins + 2;
        slot += x < threshold[slot] ? -1 : 1; // a slot, since no x is below the first or reaches the end of the last
        return holds(slot, x) ? slot : search(x);
    }
};

/// What a bin_table points to. Needs the default floating-point environment to be made.
template <class Key>
class owned_bin_table {
  public:
    explicit owned_bin_table(histogram_bins const& bins);
    [[nodiscard]] bin_table<Key> ref() const {
        bin_table<Key> table = table_;
        table.threshold = thresholds_.data();
        return table;
    }
    [[nodiscard]] std::vector<Key> const& thresholds() const { return thresholds_; }

  private:
    std::vector<Key> thresholds_;
    bin_table<Key> table_; // without the pointer
};

} // namespace steadfold::inline v0::histogram_detail
