// Runs segmented reductions and compares every output with the oracle, bit for bit and with its status.
#pragma once

#include "steadfold/segmented.hpp"
#include "support/check.hpp"
#include "support/generators.hpp"
#include "support/oracle.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace oracle {

/// Where the data of one output lies.
using elements_of = std::function<std::vector<std::byte>(std::int64_t output)>;

/// Results as the library wrote them, and room around them that it must not touch.
class outputs {
  public:
    outputs(std::int64_t count, sf::dtype type);

    [[nodiscard]] sf::output_view view();
    /// Fails the current test for every output that differs from the oracle's, and for traces outside of the outputs.
    void expect(sf::dtype input, sf::operation op, sf::reduce_options const& options, elements_of const& elements,
                std::string const& label) const;
    /// As expect(), for operations the oracle does not have: against reductions of whole arrays on the host.
    void expect_those_of_reduce(sf::dtype input, sf::operation op, sf::reduce_options const& options,
                                elements_of const& elements, std::string const& label) const;
    [[nodiscard]] friend bool operator==(outputs const&, outputs const&) = default;

    /// The memory of the results, for tests that fill it from elsewhere.
    [[nodiscard]] std::byte* data();
    [[nodiscard]] std::int64_t bytes() const;
    [[nodiscard]] sf::status_flags* status();

  private:
    std::int64_t count_;
    sf::dtype type_;
    std::vector<std::byte> data_;
    std::vector<sf::status_flags> status_;
};

/// Elements [offsets[i], offsets[i + 1]) of a sample.
[[nodiscard]] elements_of segments_of(sample const& s, std::vector<std::int64_t> const& offsets);
/// Elements along an axis of a sample of these extents.
[[nodiscard]] elements_of lines_of(sample const& s, std::vector<std::int64_t> const& extents, int axis);
/// Product of all extents but one.
[[nodiscard]] std::int64_t lines(std::vector<std::int64_t> const& extents, int axis);

/// Offsets of segments whose lengths are drawn from `length`, until `n` elements are used up; some are empty.
[[nodiscard]] std::vector<std::int64_t> random_offsets(std::int64_t n, random_source& random,
                                                       std::function<std::int64_t()> const& length);

/// Offsets of `parts` segments of one length.
[[nodiscard]] std::vector<std::int64_t> equal_offsets(std::int64_t parts, std::int64_t length);

/// Products and bitwise operations, as far as the type has them.
[[nodiscard]] std::vector<sf::operation> factor_operations_for(sf::dtype type);

/// Integers of any kind, or floating-point numbers whose products have few significant bits, so that no order of
/// factors can change any; now and then zeros, infinities and NaN.
[[nodiscard]] sample draw_factors(sf::dtype type, std::int64_t n, random_source& random);

/// Every operation that one array of this type has, but dot.
[[nodiscard]] std::vector<sf::operation> operations_for(sf::dtype type);

/// Options drawn from a seed: NaN policy, ddof, result type.
[[nodiscard]] sf::reduce_options drawn_options(sf::dtype type, random_source& random);

} // namespace oracle
