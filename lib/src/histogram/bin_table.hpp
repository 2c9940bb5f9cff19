// Which bin an element is in, by comparisons alone, in the type that suits the device: host and device cannot differ.
#pragma once

#include "steadfold/bits.hpp"
#include "steadfold/dtype.hpp"
#include "steadfold/histogram.hpp"

#include <vector>

namespace steadfold::inline v0::histogram_detail {

/// Slots after the bins.
enum extra_slot : int { slot_below, slot_above, slot_nan, extra_slots };

/// True where float holds every element of the type.
[[nodiscard]] constexpr bool fits_float(dtype type) noexcept {
    return size_bytes(type) < 4 || type == dtype::float32;
}

/// Bin i holds threshold[i] <= x < threshold[i + 1], for x of type Key (float or double); Inf is in no bin. Trivially
/// copyable.
template <class Key>
struct bin_table {
    Key const* threshold = nullptr; // bins + 1, non-decreasing
    int bins = 0;
    bool uniform = false;
    Key half_low = 0, scale = 0; // of guess()

    /// Slot of any x: a bin, or bins + an extra_slot. `first` and `last` are the outer thresholds.
    [[nodiscard]] STEADFOLD_HOST_DEVICE int slot(Key x, Key first, Key last) const {
        if (x >= first && x < last) return uniform ? near(x, guess(x)) : search(x);
        return bins + (x < first ? slot_below : x >= last ? slot_above : slot_nan);
    }

    /// A bin near that of x where bins are uniform, any bin for x out of range or NaN. Rounding, overflow and
    /// contraction cost time at most. Halves, so that the span of the bins does not overflow.
    [[nodiscard]] STEADFOLD_HOST_DEVICE int guess(Key x) const {
        Key const position = (x * Key(0.5) - half_low) * scale;
        Key const last = static_cast<Key>(bins - 1);
        Key const positive = position > 0 ? position : Key(0); // 0 for NaN
        return static_cast<int>(positive < last ? positive : last);
    }

    /// The bin of an x in range, from a guess.
    [[nodiscard]] STEADFOLD_HOST_DEVICE int near(Key x, int bin) const {
        if (holds(bin, x)) return bin;
        bin += x < threshold[bin] ? -1 : 1; // still a bin, since x is in range
        return holds(bin, x) ? bin : search(x);
    }

    [[nodiscard]] STEADFOLD_HOST_DEVICE bool holds(int bin, Key x) const {
        return (x >= threshold[bin]) & (x < threshold[bin + 1]); // both loads at once
    }

    /// The bin of an x in range: the last threshold that is not above it.
    [[nodiscard]] STEADFOLD_HOST_DEVICE int search(Key x) const {
        int bin = 0;
        for (int length = bins; length > 1;) {
            int const half = length / 2;
            bin = x >= threshold[bin + half] ? bin + half : bin;
            length -= half;
        }
        return bin;
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
