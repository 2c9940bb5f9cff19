/// What can be computed over an array, and sets of it.
///
///     auto ops = sf::sum | sf::mean | sf::variance | sf::extrema;     // all of them in one pass over the data
///     auto same = sf::parse_operations("sum,mean,var,min,max,argmin,argmax");
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace steadfold {
inline namespace v0 {

enum class operation : std::uint8_t {
    sum,            ///< sum of all elements
    mean,           ///< sum / count
    sum_of_squares, ///< sum of x*x; |x|^2 for complex data
    l1,             ///< sum of magnitudes; |re| + |im| for complex data, as BLAS asum
    l2,             ///< square root of the sum of squares
    linf,           ///< largest magnitude; not for complex data
    variance,       ///< (n S2 - S1^2) / (n (n - ddof))
    stddev,         ///< square root of the variance
    min,            ///< smallest element, -0 < +0; not for complex data
    max,            ///< largest element
    argmin,         ///< first row-major index of the smallest element
    argmax,         ///< first row-major index of the largest element
    count,          ///< elements that took part
    nan_count,      ///< NaN elements (and elements marked as missing)
    inf_count,      ///< infinite elements
    zero_count,     ///< elements equal to 0 of either sign
    dot,            ///< sum of products of two arrays; computed by dot(), not part of reduce()
    dot_conjugated, ///< the same with conjugated elements of the first array; by dot_conjugated()
    weighted_mean,  ///< sum of w x / sum of w; by weighted_mean()
    any,            ///< 1 if an element is not 0 (NaN is not 0), else 0
    every,          ///< 1 if no element is 0, else 0
    bit_and,        ///< bitwise and; integers
    bit_or,         ///< bitwise or; integers
    bit_xor,        ///< bitwise exclusive or; integers
    product,        ///< product of all elements, see below; not for complex data
};

// Products carry 128 leading bits and an exponent apart from them, so nothing overflows or underflows on the way. A
// product of at most 128 significant bits, thus every integer one that fits its type, is exact and rounded once; its
// bits are the same everywhere. Of a longer one bits are dropped along the way, in `exact` mode too: before it is
// rounded it is too small by less than n 2^-126 of itself, and the bits of the result can differ between ways to
// divide the work only if a rounding boundary lies that close. Its status is `inexact`. Integers out of range saturate
// with status `overflow`. The product of nothing is 1 with status `empty`, Inf * 0 is NaN with status `invalid`.

/// Number of enumerators of `operation`.
inline constexpr int operation_count = 25;

/// A set of operations.
class operation_set {
  public:
    constexpr operation_set() = default;
    constexpr operation_set(operation op) noexcept : bits_{1u << static_cast<unsigned>(op)} {}
    [[nodiscard]] constexpr bool contains(operation op) const noexcept {
        return (bits_ >> static_cast<unsigned>(op)) & 1u;
    }
    [[nodiscard]] constexpr bool intersects(operation_set other) const noexcept { return (bits_ & other.bits_) != 0; }
    [[nodiscard]] constexpr bool empty() const noexcept { return bits_ == 0; }
    [[nodiscard]] constexpr std::uint32_t bits() const noexcept { return bits_; }
    [[nodiscard]] constexpr operation_set intersection(operation_set other) const noexcept {
        return of(bits_ & other.bits_);
    }
    [[nodiscard]] constexpr operation_set without(operation_set other) const noexcept {
        return of(bits_ & ~other.bits_);
    }
    [[nodiscard]] friend constexpr operation_set operator|(operation_set a, operation_set b) noexcept {
        return of(a.bits_ | b.bits_);
    }
    [[nodiscard]] friend constexpr bool operator==(operation_set, operation_set) noexcept = default;

  private:
    [[nodiscard]] static constexpr operation_set of(std::uint32_t bits) noexcept {
        operation_set set;
        set.bits_ = bits;
        return set;
    }

    std::uint32_t bits_ = 0;
};

inline constexpr operation_set sum{operation::sum}, mean{operation::mean}, sum_of_squares{operation::sum_of_squares};
inline constexpr operation_set l1{operation::l1}, l2{operation::l2}, linf{operation::linf};
inline constexpr operation_set variance{operation::variance}, stddev{operation::stddev};
inline constexpr operation_set min{operation::min}, max{operation::max};
inline constexpr operation_set argmin{operation::argmin}, argmax{operation::argmax};
inline constexpr operation_set count{operation::count}, nan_count{operation::nan_count};
inline constexpr operation_set inf_count{operation::inf_count}, zero_count{operation::zero_count};
inline constexpr operation_set any{operation::any}, every{operation::every}, product{operation::product};
inline constexpr operation_set bit_and{operation::bit_and}, bit_or{operation::bit_or}, bit_xor{operation::bit_xor};
/// Of two arrays: each has a function of its own and cannot be part of a set for reduce().
inline constexpr operation_set of_pairs =
    operation_set{operation::dot} | operation_set{operation::dot_conjugated} | operation_set{operation::weighted_mean};
inline constexpr operation_set extrema = min | max | argmin | argmax;

/// Short name as programs print and read it: "sum", "mean", "sumsq", "l1", "l2", "linf", "var", "std", "min", "max",
/// "argmin", "argmax", "count", "nan", "inf", "zero", "dot", "dotc", "wmean", "any", "every", "bitand", "bitor",
/// "bitxor", "prod".
[[nodiscard]] std::string_view name(operation op) noexcept;

/// Names joined by ",", in the order of `operation`.
[[nodiscard]] std::string to_string(operation_set set);

/// Reads names separated by commas, and blanks around them; also those of this header, "extrema" (min, max and their
/// indices), "minmax", and "all": every statistic, from sum to zero, but neither truth values, bits nor the product.
/// @throws argument_error naming the unknown word and the known ones
[[nodiscard]] operation_set parse_operations(std::string_view text);

} // namespace v0
} // namespace steadfold
