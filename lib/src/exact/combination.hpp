// factor * (a0 + a1) - (b0^2 + b1^2) of exact numbers: the numerator of a variance, or sums over the parts of complex
// data.
#pragma once

#include "exact/leading.hpp"
#include "steadfold/bits.hpp"

#include <cstdint>

namespace steadfold::inline v0::exact {

/// What is added, and what is squared and taken off. All exponents are multiples of 32. Zeros add nothing.
struct combination {
    std::uint64_t factor = 1;
    magnitude_digits added[2];
    magnitude_digits squared[2];
};

/// Digits of the largest combination, n S2 - S1^2 of float64: 138 words of S1^2, and three more.
inline constexpr int combination_capacity = product_capacity + 8;

/// A two's-complement sum of 64-bit products; one column of at most 300 of them.
struct column_sum {
    std::uint64_t low = 0, high = 0;

    STEADFOLD_HOST_DEVICE void add(std::uint64_t value) noexcept {
        low += value;
        high += low < value ? 1 : 0;
    }
    STEADFOLD_HOST_DEVICE void subtract(std::uint64_t value) noexcept {
        high -= low < value ? 1 : 0;
        low -= value;
    }
    /// Takes the lowest digit; the rest is the carry into the next column.
    [[nodiscard]] STEADFOLD_HOST_DEVICE std::uint64_t take_digit() noexcept {
        std::uint64_t const digit = low & digit_mask;
        low = (low >> 32) | (high << 32);
        high = static_cast<std::uint64_t>(static_cast<std::int64_t>(high) >> 32);
        return digit;
    }
};

/// Columns are numbered from that of 2^0.
STEADFOLD_HOST_DEVICE inline void add_multiple(column_sum& sum, magnitude_digits const& a, std::uint64_t factor,
                                               int column) noexcept {
    int const i = column - a.exponent / 32;
    if (a.top == 0 || i < 0 || i > a.count + 3) return;
    sum.add((factor & digit_mask) * a.word(i));
    if (factor >> 32 != 0) sum.add((factor >> 32) * a.word(i - 1));
}

STEADFOLD_HOST_DEVICE inline void subtract_square(column_sum& sum, magnitude_digits const& b, int column) noexcept {
    int const k = column - b.exponent / 16, last = b.words() - 1;
    if (k < 0 || k > 2 * last) return;
    for (int i = k > last ? k - last : 0; 2 * i < k; ++i) {
        std::uint64_t const product = b.word(i) * b.word(k - i);
        sum.subtract(product);
        sum.subtract(product);
    }
    if (k % 2 == 0) sum.subtract(b.word(k / 2) * b.word(k / 2));
}

/// Columns [begin, end) of what is not 0.
struct column_range {
    int begin = 0, end = 0;

    STEADFOLD_HOST_DEVICE void cover(int first, int words) noexcept {
        if (words == 0) return;
        bool const empty = begin == end;
        if (empty || first < begin) begin = first;
        if (empty || first + words > end) end = first + words;
    }
};

/// Writes the digits of the combination, which must not be negative, to `scratch` and describes them.
[[nodiscard]] STEADFOLD_HOST_DEVICE inline digit_span combine(combination const& terms,
                                                              std::uint64_t (&scratch)[combination_capacity]) noexcept {
    magnitude_digits const& a0 = terms.added[0];
    magnitude_digits const& a1 = terms.added[1];
    magnitude_digits const& b0 = terms.squared[0];
    magnitude_digits const& b1 = terms.squared[1];
    column_range columns;
    columns.cover(a0.exponent / 32, a0.words());
    columns.cover(a1.exponent / 32, a1.words());
    columns.cover(b0.exponent / 16, 2 * b0.words());
    columns.cover(b1.exponent / 16, 2 * b1.words());
    column_sum sum;
    int count = 0;
    // Three columns more: two words of the factor and a carry.
    for (int column = columns.begin; column < columns.end + 3; ++column) {
        add_multiple(sum, a0, terms.factor, column);
        add_multiple(sum, a1, terms.factor, column);
        subtract_square(sum, b0, column);
        subtract_square(sum, b1, column);
        scratch[count++] = sum.take_digit();
    }
    return {scratch, count, 32 * columns.begin};
}

} // namespace steadfold::inline v0::exact
