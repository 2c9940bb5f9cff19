#include "segmented/host/short_segments.hpp"

#include <algorithm>

namespace steadfold::inline v0::segmented {

namespace {

__extension__ using wide_unsigned = unsigned __int128;

constexpr std::uint64_t sign_bit = std::uint64_t{1} << 63;

/// Adds a sum of unsigned numbers to the digits.
void add_unsigned(wide_sum& to, wide_unsigned value) {
    auto const low = static_cast<std::uint64_t>(value), high = static_cast<std::uint64_t>(value >> 64);
    to.add(wide_sum{{low, high, 0}, 0});
}

} // namespace

short_integers::short_integers(settings const& settings)
    : settings_{settings}, is_signed_{is_signed_integer(settings.what.type)} {}

std::optional<result_value> short_integers::reduce(std::int64_t const* x, int n) const {
    auto const number = [](std::int64_t value) {
        return result_value{dtype::int64, {static_cast<std::uint64_t>(value), 0}, status_flags::none};
    };
    switch (settings_.op) {
    case operation::sum:
    case operation::mean:
        return of_sum(sum(x, n), n);
    case operation::l1:
        return of_sum(magnitudes(x, n), n);
    case operation::sum_of_squares:
    case operation::l2:
        return of_sum(squares(x, n), n);
    case operation::linf:
    case operation::min:
    case operation::max:
    case operation::argmin:
    case operation::argmax:
        return extremum(x, n);
    case operation::count:
        return number(n);
    case operation::nan_count:
    case operation::inf_count:
        return number(0);
    case operation::zero_count:
        return number(std::count(x, x + n, 0));
    case operation::any:
        return number(std::count(x, x + n, 0) < n);
    case operation::every:
        return number(std::count(x, x + n, 0) == 0);
    default:
        return {};
    }
}

wide_sum short_integers::sum(std::int64_t const* x, int n) const {
    std::int64_t low = 0, high = 0; // of 32-bit digits: 4096 of them fit
    if (is_signed_)
        for (int i = 0; i < n; ++i) high += x[i] >> 32;
    else
        for (int i = 0; i < n; ++i) high += static_cast<std::int64_t>(static_cast<std::uint64_t>(x[i]) >> 32);
    for (int i = 0; i < n; ++i) low += x[i] & 0xffffffff;
    wide_sum total;
    total.add(low, 0);
    total.add(high, 32);
    return total;
}

wide_sum short_integers::magnitudes(std::int64_t const* x, int n) const {
    wide_unsigned sum = 0;
    for (int i = 0; i < n; ++i) sum += magnitude(x[i]);
    wide_sum total;
    add_unsigned(total, sum);
    return total;
}

wide_sum short_integers::squares(std::int64_t const* x, int n) const {
    wide_sum total;
    for (int i = 0; i < n; ++i) add_unsigned(total, static_cast<wide_unsigned>(magnitude(x[i])) * magnitude(x[i]));
    return total;
}

result_value short_integers::of_sum(wide_sum const& sum, int n) const {
    return real_result(settings_.result, round_sum(sum, settings_.op, static_cast<std::uint64_t>(n), settings_.result,
                                                   [] { return false; }));
}

result_value short_integers::extremum(std::int64_t const* x, int n) const {
    // Unsigned integers of every width are ordered with the top bit flipped.
    auto const flip = static_cast<std::int64_t>(is_signed_ ? 0 : sign_bit);
    std::int64_t low = x[0] ^ flip, high = low;
    for (int i = 1; i < n; ++i) {
        low = std::min(low, x[i] ^ flip);
        high = std::max(high, x[i] ^ flip);
    }
    low ^= flip;
    high ^= flip;
    operation const op = settings_.op;
    if (op == operation::argmin || op == operation::argmax) {
        auto const at = std::find(x, x + n, op == operation::argmin ? low : high) - x;
        return {dtype::int64, {static_cast<std::uint64_t>(at), 0}, status_flags::none};
    }
    std::int64_t const value = op == operation::min ? low : high;
    std::uint64_t const size = op == operation::linf ? std::max(magnitude(low), magnitude(high)) : magnitude(value);
    exact::leading_bits leading = exact::leading_of_element(size, dtype::uint64);
    leading.negative = op != operation::linf && is_signed_ && value < 0;
    return real_result(settings_.result, exact::round_to(leading, settings_.result));
}

} // namespace steadfold::inline v0::segmented
