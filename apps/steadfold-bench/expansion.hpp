// An exact sum that shares no code with steadfold: an expansion of doubles that do not overlap.
#pragma once

#include <vector>

namespace steadfold::inline v0::app {

/// J. R. Shewchuk, "Adaptive Precision Floating-Point Arithmetic and Fast Robust Geometric Predicates", 1997, grown
/// one number at a time and rounded once, as Python's math.fsum does. For finite numbers without overflow.
class expansion {
  public:
    void add(double x);
    void add_product(double x, double y); // exact unless x * y underflows
    void add(expansion const& other);

    /// Correctly rounded to nearest-even; T is float or double.
    template <class T>
    [[nodiscard]] T rounded() const;

  private:
    std::vector<double> parts_; // by magnitude, smallest first
};

} // namespace steadfold::inline v0::app
