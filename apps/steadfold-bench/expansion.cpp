#include "expansion.hpp"

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>

namespace steadfold::inline v0::app {

void expansion::add(double x) {
    std::size_t kept = 0;
    for (double y : parts_) {
        if (std::fabs(x) < std::fabs(y)) std::swap(x, y);
        double const high = x + y, low = y - (high - x);
        if (low != 0) parts_[kept++] = low;
        x = high;
    }
    parts_.resize(kept);
    parts_.push_back(x);
}

void expansion::add_product(double x, double y) {
    double const product = x * y;
    add(product);
    add(std::fma(x, y, -product));
}

void expansion::add(expansion const& other) {
    for (double const part : other.parts_) add(part);
}

template <class T>
T expansion::rounded() const {
    // Adding from the top, the first sum that is not exact holds all digits but a rest, which is below.
    double high = 0, rest = 0;
    std::size_t i = parts_.size();
    while (i > 0 && rest == 0) {
        double const next = parts_[--i], sum = high + next;
        rest = next - (sum - high);
        high = sum;
    }
    if (rest == 0) return static_cast<T>(high);
    double const toward = std::copysign(std::numeric_limits<double>::infinity(), rest);
    if constexpr (std::is_same_v<T, float>) // round to odd first: then the second rounding is the only one that counts
        return static_cast<float>((std::bit_cast<std::uint64_t>(high) & 1) != 0 ? high : std::nextafter(high, toward));
    // `high` is nearest-even for high + rest alone; if that was a tie, what lies below decides.
    double const twice = 2 * rest, up = high + twice;
    bool const tie = up - high == twice;
    return static_cast<T>(tie && i > 0 && (parts_[i - 1] > 0) == (rest > 0) ? up : high);
}

template float expansion::rounded<float>() const;
template double expansion::rounded<double>() const;

} // namespace steadfold::inline v0::app
