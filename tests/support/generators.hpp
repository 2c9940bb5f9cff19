// Data that reductions find hard, by class, type, length and seed.
//
//     oracle::sample s = oracle::generate(oracle::data_class::cancellation, sf::dtype::float32, 1000, seed);
#pragma once

#include "steadfold/dtype.hpp"
#include "steadfold/view.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace oracle {

namespace sf = steadfold;

enum class data_class {
    // floating-point
    gaussian,        ///< full significands
    log_normal,      ///< wide range of exponents
    any_finite_bits, ///< every finite bit pattern equally likely
    any_bits,        ///< and NaN and Inf
    subnormals,
    cancellation,  ///< x and -x shuffled, and something tiny
    near_overflow, ///< the largest values
    halfway,       ///< sums and means exactly between two results, or next to that
    negative_zeros,
    mixed_zeros,
    zeros_and_nans, ///< -0 but for a NaN, and seldom something else
    specials,       ///< Gaussian with NaN, +Inf, -Inf here and there
    fold_boundary,  ///< powers of two and their neighbours
    blocks,         ///< runs of very different scale
    outliers,       ///< Gaussian with a few values of any magnitude
    small_squares,  ///< squares around and below the smallest numbers
    large_squares,  ///< squares around and above the largest numbers
    sparse,         ///< two bits far apart: remainders and ties of folds
    constant,
    coarse, ///< small multiples of 1/8
    // integers
    integer_bits,
    integer_small,
    integer_extremes,
    integer_lowest,
    integer_highest,
    integer_powers,
};

[[nodiscard]] std::string_view name(data_class which);
[[nodiscard]] std::span<data_class const> classes_of(sf::dtype type);

struct sample {
    sf::dtype type;
    std::int64_t n;
    std::vector<std::byte> bytes;
    std::string label; // for failure messages: class, type, n, seed

    [[nodiscard]] sf::array_view view() const { return {bytes.data(), n, type}; }
    [[nodiscard]] std::byte const* at(std::int64_t element) const {
        return bytes.data() + element * static_cast<std::int64_t>(sf::size_bytes(type));
    }
    /// `count` elements from `first` on.
    [[nodiscard]] sf::array_view part(std::int64_t first, std::int64_t count) const { return {at(first), count, type}; }
};

[[nodiscard]] sample generate(data_class which, sf::dtype type, std::int64_t n, std::uint64_t seed);

/// Elements given as doubles, rounded to the (floating-point) type.
[[nodiscard]] sample sample_of(sf::dtype type, std::span<double const> values, std::string label);

enum class pair_class {
    independent,  ///< two classes drawn from the seed
    inverse,      ///< factors of opposite exponents: products near 1, or tiny
    cancellation, ///< (x, y) and (x, -y) shuffled, and one tiny product
    underflow,    ///< products that vanish or lose bits below the smallest number
    overflow,     ///< products above the largest number that cancel or do not
    specials,     ///< Inf, 0 and NaN against each other
    errors,       ///< products and their rounded values taken off again: only the rounding errors remain
};
inline constexpr int pair_class_count = 7;

struct sample_pair {
    sample x, y;
};

[[nodiscard]] std::string_view name(pair_class which);
[[nodiscard]] sample_pair generate_pair(pair_class which, sf::dtype type, std::int64_t n, std::uint64_t seed);

/// SplitMix64 (Steele, Lea, Flood 2014): small and quick to seed.
class random_source {
  public:
    explicit random_source(std::uint64_t seed) : state_{seed} {}
    std::uint64_t bits();
    /// In [0, end).
    std::int64_t below(std::int64_t end);
    /// In [first, last].
    int between(int first, int last) { return first + static_cast<int>(below(last - first + 1)); }
    bool coin() { return (bits() & 1) != 0; }
    double uniform(); // in (0, 1)
    double gaussian();
    double sign() { return coin() ? -1.0 : 1.0; }

  private:
    std::uint64_t state_;
};

/// A permutation of the elements.
[[nodiscard]] sample shuffled(sample s, random_source& random);

} // namespace oracle
