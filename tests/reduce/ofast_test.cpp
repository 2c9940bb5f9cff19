// A program built with -Ofast, linked so that its start-up code sets flush-to-zero: the library's bits do not change.
// All expectations are bit patterns, since this unit's own arithmetic cannot be trusted.
#include "steadfold/reduce.hpp"

#include <bit>
#include <cstdint>
#include <cstdio>
#include <vector>

namespace {

namespace sf = steadfold;

int failures = 0;

void expect(char const* what, double got, std::uint64_t expected) {
    auto const bits = std::bit_cast<std::uint64_t>(got);
    if (bits == expected) return;
    ++failures;
    std::printf("%s: got %016llx, expected %016llx\n", what, static_cast<unsigned long long>(bits),
                static_cast<unsigned long long>(expected));
}

std::vector<double> of_bits(std::vector<std::uint64_t> const& bits) {
    std::vector<double> values;
    for (std::uint64_t const word : bits) values.push_back(std::bit_cast<double>(word));
    return values;
}

constexpr std::uint64_t one = 0x3ff0000000000000, negative = 0x8000000000000000, infinity = 0x7ff0000000000000;
constexpr std::uint64_t canonical_nan = 0x7ff8000000000000, half_unit = 0x3ca0000000000000;

} // namespace

int main() {
    sf::operation_set const ops = sf::sum | sf::mean | sf::l1 | sf::l2 | sf::variance | sf::min | sf::max;
    auto const reduce = [&](std::vector<std::uint64_t> const& bits) {
        std::vector<double> const x = of_bits(bits);
        return sf::reduce({}, sf::view<double const>(x), ops);
    };
    expect("sum of subnormals", reduce({1, 2, 4}).sum, 7);
    expect("smallest norm", reduce({1}).l2, 1);
    expect("smallest of subnormals", reduce({5, 3, 9}).min, 3);
    expect("largest of -0 and 0", reduce({negative, 0}).max, 0);
    expect("least of -0 and 0", reduce({negative, 0}).min, negative);
    expect("sum of -0", reduce({negative, negative}).sum, negative);
    expect("tie", reduce({one, half_unit}).sum, one);
    expect("tie broken by the smallest number", reduce({one, half_unit, 1}).sum, one + 1);
    expect("cancellation", reduce({0x7fe0000000000000, one, 0xffe0000000000000}).sum, one);
    expect("NaN", reduce({one, 0xfff0000000000001}).sum, canonical_nan);
    expect("infinity", reduce({one, infinity}).sum, infinity);
    expect("infinities of both signs", reduce({infinity, infinity | negative}).mean, canonical_nan);
    expect("variance of equal values", reduce({one + 1, one + 1, one + 1}).variance, 0);
    std::vector<double> const x = of_bits({1, one}), y = of_bits({0x7fe0000000000000, 0});
    expect("product with a subnormal", sf::dot({}, sf::view<double const>(x), sf::view<double const>(y)),
           0x3cc0000000000000);
    std::printf("%d failures\n", failures);
    return failures == 0 ? 0 : 1;
}
