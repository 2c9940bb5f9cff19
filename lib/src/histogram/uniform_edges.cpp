#include "histogram/uniform_edges.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

namespace steadfold::inline v0::histogram_detail {

namespace {

using wide = unsigned __int128;

/// (negative ? -1 : 1) * magnitude * 2^exponent
struct scaled {
    bool negative;
    wide magnitude;
    int exponent;
};

/// A double as an integer with the top bit 2^52 set, or 0.
scaled take_apart(double x) {
    int exponent = 0;
    double const fraction = std::frexp(std::fabs(x), &exponent);
    return {std::signbit(x), static_cast<wide>(std::ldexp(fraction, 53)), exponent - 53};
}

int bit_length(wide x) {
    auto const high = static_cast<std::uint64_t>(x >> 64), low = static_cast<std::uint64_t>(x);
    return high != 0 ? 128 - std::countl_zero(high) : 64 - std::countl_zero(low);
}

/// magnitude * 2^exponent and something more that is less than 2^exponent (sticky), to nearest-even. At least 55 bits
/// of magnitude, unless it is exact.
double round_once(scaled value, bool sticky) {
    if (value.magnitude == 0) return 0;
    int const length = bit_length(value.magnitude);
    int const precision = std::min(53, length + value.exponent + 1074); // less for subnormal results
    if (precision < 0) return 0;
    int const dropped = length - precision;
    wide kept = value.magnitude;
    if (dropped > 0) {
        kept = dropped < 128 ? value.magnitude >> dropped : 0;
        bool const half = ((value.magnitude >> (dropped - 1)) & 1) != 0;
        bool const rest = sticky || (value.magnitude & ((wide{1} << (dropped - 1)) - 1)) != 0;
        if (half && (rest || (kept & 1) != 0)) ++kept;
    }
    double const rounded =
        std::ldexp(static_cast<double>(static_cast<std::uint64_t>(kept)), value.exponent + std::max(dropped, 0));
    return value.negative && kept != 0 ? -rounded : rounded;
}

/// a + b exactly, but for a fraction below the last bit (sticky). Magnitudes below 2^77; not both 0.
scaled sum(scaled a, scaled b, bool& sticky) {
    constexpr int room = 49; // 77 + 49 bits, and a carry
    if (a.magnitude == 0) return b;
    if (b.magnitude == 0) return a;
    if (a.exponent < b.exponent) std::swap(a, b);
    int const distance = a.exponent - b.exponent;
    a.magnitude <<= room;
    a.exponent -= room;
    if (distance <= room) {
        b.magnitude <<= room - distance;
    } else {
        int const lost = distance - room;
        sticky = lost >= 128 || (b.magnitude & ((wide{1} << lost) - 1)) != 0;
        b.magnitude = lost >= 128 ? 0 : b.magnitude >> lost;
    }
    if (a.negative == b.negative) return {a.negative, a.magnitude + b.magnitude, a.exponent};
    if (a.magnitude < b.magnitude) return {b.negative, b.magnitude - a.magnitude, a.exponent}; // never sticky
    return {a.negative, a.magnitude - b.magnitude - (sticky ? 1 : 0), a.exponent};
}

double edge(scaled low, scaled high, std::int64_t i, std::int64_t count) {
    low.magnitude *= static_cast<std::uint64_t>(count - i);
    high.magnitude *= static_cast<std::uint64_t>(i);
    bool sticky = false;
    scaled value = sum(low, high, sticky);
    if (!sticky && value.magnitude != 0) { // as many bits of quotient as there can be; what is sticky has enough
        int const shift = 128 - bit_length(value.magnitude);
        value.magnitude <<= shift;
        value.exponent -= shift;
    }
    auto const divisor = static_cast<std::uint64_t>(count);
    sticky = sticky || value.magnitude % divisor != 0;
    value.magnitude /= divisor;
    return round_once(value, sticky);
}

} // namespace

std::vector<double> uniform_edges(double low, double high, std::int64_t count) {
    std::vector<double> edges(static_cast<std::size_t>(count) + 1);
    scaled const from = take_apart(low), to = take_apart(high);
    for (std::int64_t i = 1; i < count; ++i) edges[static_cast<std::size_t>(i)] = edge(from, to, i, count);
    edges.front() = low;
    edges.back() = high;
    return edges;
}

} // namespace steadfold::inline v0::histogram_detail
