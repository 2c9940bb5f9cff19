// What the host's vector kernels must notice in a tile, wherever it stands: rests, lost errors, values at the edge of
// the window. Expected results are worked out by hand, or come from the oracle.
#include "reduce/host/tile_kernels.hpp"
#include "reduce/levels.hpp"
#include "support/check.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <numeric>

namespace {

using namespace oracle;
constexpr sf::execution one_thread{.kind = sf::processor_kind::host, .threads = 1};
constexpr std::size_t tile = sf::host::tile_elements;

double sum_of(std::vector<double> const& x) {
    sf::reduction reduction{sf::dtype::float64, sf::sum, {}, one_thread};
    reduction.add(sf::view<double const>(x));
    return reduction.finish()[sf::operation::sum].as_double();
}

double dot_of(std::vector<double> const& x, std::vector<double> const& y) {
    sf::reduction reduction{sf::dtype::float64, sf::operation::dot, {}, one_thread};
    reduction.add_products(sf::view<double const>(x), sf::view<double const>(y));
    return reduction.finish()[sf::operation::dot].as_double();
}

/// +1, -1, +1, ...: they cancel, so that whatever else is in the tile is the sum.
std::vector<double> alternating(std::size_t n) {
    std::vector<double> x(n);
    for (std::size_t i = 0; i < n; ++i) x[i] = i % 2 == 0 ? 1 : -1;
    return x;
}

TEST(tile, a_rest_is_seen_in_any_place) {
    at_every_level([](std::string const& level) {
        for (std::size_t const n : {tile, tile - 64, std::size_t{64}})
            for (std::size_t place = 0; place < n; place += n < 100 ? 1 : 29) {
                std::vector<double> x = alternating(n);
                x[place] = 0x1p-1000;
                x[place ^ 1] = 0;
                ASSERT_EQ(sum_of(x), 0x1p-1000) << level << " " << n << " " << place;
            }
    });
}

// Two products of 3/4 of the smallest number u and an odd multiple of u: half way between two results, the lower one
// of which is even. A product rounded to u makes it the upper one.
TEST(tile, a_product_below_the_smallest_number_is_seen_in_any_place) {
    at_every_level([](std::string const& level) {
        for (std::size_t place = 0; place < tile; place += 29) {
            std::vector<double> x = alternating(tile), y(tile, 1.0);
            std::size_t const pair = place & ~std::size_t{1}, odd = (pair + 2) % tile;
            x[pair] = x[pair + 1] = 0.75 * 0x1p-537;
            y[pair] = y[pair + 1] = 0x1p-537;
            x[odd] = 0x1p-1074;
            x[odd + 1] = 0;
            ASSERT_EQ(dot_of(x, y), 0x1p-1073) << level << " " << place;
        }
    });
}

TEST(tile, an_exact_product_below_the_smallest_normal_number_counts) {
    at_every_level([](std::string const& level) {
        std::vector<double> x = alternating(tile), y(tile, 1.0);
        x[100] = 0x1p-537, y[100] = 0x1p-537;
        x[101] = 0;
        EXPECT_EQ(dot_of(x, y), 0x1p-1074) << level;
    });
}

// The first tile sets the window. The second one is full of one value from well inside it to well above, or of its
// neighbours; at the edge, fold sums come to the very ends of an int64.
TEST(tile, values_around_the_edge_of_the_window) {
    at_every_level([](std::string const& level) {
        for (int exponent = -1; exponent <= 5; ++exponent)
            for (double const sign : {1.0, -1.0}) {
                double const edge = std::ldexp(sign, exponent);
                for (double const value : {edge, std::nextafter(edge, 0.0), std::nextafter(edge, 64 * sign)}) {
                    std::vector<double> x = alternating(tile);
                    x.resize(2 * tile, value);
                    check_all_operations(
                        sample_of(sf::dtype::float64, x,
                                  level + " " + std::to_string(exponent) + " " + std::to_string(value)),
                        one_thread, effort::every_operation);
                }
            }
    });
}

TEST(tile, subnormals_come_first) {
    at_every_level([](std::string const& level) {
        EXPECT_EQ(sum_of(std::vector(tile, 0x1p-1074)), 0x1p-1062) << level;
        EXPECT_EQ(sum_of(std::vector(tile, -0x1p-1060)), -0x1p-1048) << level;
    });
}

TEST(tile, narrow_types_of_any_length) {
    at_every_level([](std::string const& level) {
        for (sf::dtype const type : {sf::dtype::float32, sf::dtype::float16, sf::dtype::bfloat16})
            for (std::int64_t const n : {1, 3, 31, 511, 512, 513, 517, 4095, 4103}) {
                sample s = generate(data_class::any_bits, type, n, static_cast<std::uint64_t>(n));
                s.label += " level " + level;
                check_all_operations(s, one_thread, effort::one_pass);
            }
    });
}

} // namespace
