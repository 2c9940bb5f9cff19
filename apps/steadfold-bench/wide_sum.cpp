#include "wide_sum.hpp"

#include <bit>
#include <cmath>
#include <cstddef>
#include <limits>

namespace steadfold::inline v0::app {

namespace {

__extension__ using wide = unsigned __int128;

constexpr std::uint64_t digit_mask = 0xffffffff;
constexpr std::uint32_t room = 1u << 30;

struct parts {
    std::uint64_t significand; // |x| = significand * 2^(shift - 1074)
    int shift;
    bool negative;
};

parts taken_apart(double x) {
    auto const bits = std::bit_cast<std::uint64_t>(x);
    int const field = static_cast<int>(bits >> 52 & 0x7ff);
    std::uint64_t const fraction = bits & ((std::uint64_t{1} << 52) - 1);
    return {field == 0 ? fraction : fraction | std::uint64_t{1} << 52, field == 0 ? 0 : field - 1, bits >> 63 != 0};
}

/// The 32 bits from bit 32 * i of value * 2^shift, 0 <= shift < 32.
std::int64_t digit_of(wide value, int shift, int i) {
    int const from = 32 * i - shift;
    wide const moved = from >= 0 ? (from < 128 ? value >> from : wide{0}) : value << -from;
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(moved) & digit_mask);
}

} // namespace

void wide_sum::add(double x) {
    if (++adds_ >= room) normalise();
    parts const p = taken_apart(x);
    int const offset = p.shift - 1074 - lowest, shift = offset % digit_bits;
    std::int64_t* const at = digits_.data() + offset / digit_bits;
    wide const moved = static_cast<wide>(p.significand) << shift; // 53 + 31 bits
    std::int64_t const sign = p.negative ? -1 : 1;
    at[0] += sign * static_cast<std::int64_t>(static_cast<std::uint64_t>(moved) & digit_mask);
    at[1] += sign * static_cast<std::int64_t>(static_cast<std::uint64_t>(moved >> 32) & digit_mask);
    at[2] += sign * static_cast<std::int64_t>(static_cast<std::uint64_t>(moved >> 64));
}

void wide_sum::add_product(double x, double y) {
    if (++adds_ >= room) normalise();
    parts const p = taken_apart(x), q = taken_apart(y);
    int const offset = p.shift + q.shift - 2 * 1074 - lowest, shift = offset % digit_bits;
    std::int64_t* const at = digits_.data() + offset / digit_bits;
    wide const product = static_cast<wide>(p.significand) * q.significand; // 106 bits
    std::int64_t const sign = p.negative != q.negative ? -1 : 1;
    for (int i = 0; i < 5; ++i) at[i] += sign * digit_of(product, shift, i);
}

void wide_sum::add(wide_sum const& other) {
    wide_sum copy = other;
    copy.normalise();
    normalise();
    for (std::size_t i = 0; i < digits_.size(); ++i) digits_[i] += copy.digits_[i];
    adds_ = 2;
}

void wide_sum::normalise() {
    std::int64_t carry = 0;
    for (std::size_t i = 0; i + 1 < digits_.size(); ++i) {
        std::int64_t const sum = digits_[i] + carry;
        carry = sum >> 32;
        digits_[i] = sum & static_cast<std::int64_t>(digit_mask);
    }
    digits_.back() += carry;
    adds_ = 0;
}

template <class T>
T wide_sum::rounded() const {
    wide_sum sum = *this;
    sum.normalise();
    bool const negative = sum.digits_.back() < 0;
    if (negative) {
        for (std::int64_t& digit : sum.digits_) digit = -digit;
        sum.normalise();
    }
    auto const bit = [&sum](int i) { return (sum.digits_[static_cast<std::size_t>(i / 32)] >> i % 32 & 1) != 0; };
    int top = digit_count * digit_bits - 1;
    while (top >= 0 && sum.digits_[static_cast<std::size_t>(top / 32)] == 0) top -= 32;
    while (top >= 0 && !bit(top)) --top;
    if (top < 0) return 0;
    // The least bit the result may have: of its precision, but not below the format's subnormals.
    using limits = std::numeric_limits<T>;
    int const least = std::max(top - (limits::digits - 1), limits::min_exponent - limits::digits - lowest);
    std::uint64_t kept = 0;
    for (int i = top; i >= least; --i) kept = 2 * kept + (bit(i) ? 1 : 0);
    bool const half = least > 0 && least - 1 <= top && bit(least - 1);
    bool rest = false;
    for (int i = std::min(least - 2, top); i >= 0 && !rest; --i) rest = bit(i);
    if (half && (rest || (kept & 1) != 0)) ++kept;
    T const magnitude = std::ldexp(static_cast<T>(kept), least + lowest);
    return negative ? -magnitude : magnitude;
}

template float wide_sum::rounded<float>() const;
template double wide_sum::rounded<double>() const;

} // namespace steadfold::inline v0::app
