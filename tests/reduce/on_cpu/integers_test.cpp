// The kernels of integers on the CPU: sums that outgrow whatever is narrower than they are, and the first of equal
// extremes.
#include "reduce/on_cpu/launch.hpp"
#include "support/check.hpp"
#include "support/number_formats.hpp"

#include <algorithm>
#include <cstring>
#include <gtest/gtest.h>
#include <random>

namespace {

using namespace oracle;
using on_cpu::launch_shape;

constexpr sf::dtype integers[] = {sf::dtype::int8,  sf::dtype::uint8,  sf::dtype::int16, sf::dtype::uint16,
                                  sf::dtype::int32, sf::dtype::uint32, sf::dtype::int64, sf::dtype::uint64};

std::int64_t bytes_of(sf::dtype type) {
    return static_cast<std::int64_t>(sf::size_bytes(type));
}

std::int64_t lowest(sf::dtype type) {
    return sf::is_signed_integer(type) ? INT64_MIN >> (64 - 8 * bytes_of(type)) : 0;
}
/// As the bits of a number of 64 bits.
std::int64_t highest(sf::dtype type) {
    std::uint64_t const all = ~std::uint64_t{0} >> (64 - 8 * bytes_of(type));
    return static_cast<std::int64_t>(sf::is_signed_integer(type) ? all >> 1 : all);
}

/// Elements some places behind an address that is a multiple of 16.
class elements {
  public:
    elements(sf::dtype type, std::int64_t n, std::int64_t offset)
        : type_{type}, n_{n}, bytes_(static_cast<std::size_t>(n * bytes_of(type)) + 64) {
        auto const misaligned = reinterpret_cast<std::uintptr_t>(bytes_.data()) % 16;
        data_ = bytes_.data() + (16 - misaligned) % 16 + offset * bytes_of(type);
    }
    elements(sample const& s, std::int64_t offset) : elements{s.type, s.n, offset} {
        std::ranges::copy(s.bytes, data_);
    }
    void set(std::int64_t i, std::int64_t value) {
        std::memcpy(data_ + i * bytes_of(type_), &value, static_cast<std::size_t>(bytes_of(type_)));
    }
    void fill(std::int64_t value) {
        for (std::int64_t i = 0; i < n_; ++i) set(i, value);
    }
    [[nodiscard]] std::int64_t at(std::int64_t i) const {
        return static_cast<std::int64_t>(read_integer(data_ + i * bytes_of(type_), type_));
    }
    [[nodiscard]] sf::array_view view() const { return {data_, n_, type_}; }
    [[nodiscard]] std::byte const* data() const { return data_; }
    [[nodiscard]] std::int64_t size() const { return n_; }

  private:
    sf::dtype type_;
    std::int64_t n_;
    std::vector<std::byte> bytes_;
    std::byte* data_;
};

std::string text(sf::dtype type, launch_shape const& shape, std::uint64_t seed) {
    return std::string(sf::name(type)) + ", " + std::to_string(shape.blocks) + " x " + std::to_string(shape.threads) +
           ", seed " + std::to_string(seed);
}

void expect_right(elements const& x, sf::operation_set operations, sf::reduce_options const& options,
                  launch_shape const& shape, std::uint64_t seed) {
    sf::dtype const type = x.view().type;
    on_cpu::workspace work{type, operations, options};
    summary const expected = summarise(x.data(), x.size(), type, options.missing);
    std::string const label = text(type, shape, seed);
    expect_results(work.run(x.view(), {}, shape, seed), expected, options, label);
    expect_results(work.run_in_parts(x.view(), {}, shape, seed), expected, options, label + " in parts");
    EXPECT_TRUE(work.is_clean()) << label;
}

constexpr sf::operation_set everything = sf::sum | sf::l1 | sf::sum_of_squares | sf::l2 | sf::variance | sf::extrema;

/// One warp, and more than it adds up before its sums move on: 4096 batches of 2 KiB. Batches of bytes and halves are
/// added in 32 bits, which the whole of the data would overflow.
TEST(integers_on_cpu, long_runs_of_the_same_number) {
    constexpr std::int64_t bytes = (4096 + 500) * 2048;
    for (sf::dtype const type : integers) {
        std::int64_t const n = bytes / bytes_of(type) + 5;
        elements x{type, n, 1};
        for (std::int64_t const value : {lowest(type), highest(type), std::int64_t{-1}}) {
            x.fill(value);
            summary const expected = repeated(summarise(x.data(), 1, type), n);
            for (sf::operation_set const operations : {sf::sum | sf::mean, everything}) {
                on_cpu::workspace work{type, operations, {}};
                expect_results(work.run(x.view(), {}, {.blocks = 1, .threads = 32}, 1), expected, {},
                               std::string(sf::name(type)) + " " + std::to_string(value));
            }
            on_cpu::workspace work{type, sf::operation::dot, {}};
            expect_results(work.run(x.view(), x.view(), {.blocks = 1, .threads = 32}, 1),
                           repeated(summarise_pairs(x.data(), x.data(), 1, type), n), {},
                           std::string(sf::name(type)) + " pairs of " + std::to_string(value));
        }
    }
}

/// Lowest times highest: the products of most digits that are negative.
TEST(integers_on_cpu, products_of_either_sign) {
    std::uint64_t seed = 0;
    for (sf::dtype const type : integers) {
        std::int64_t const n = 40 * 2048 / bytes_of(type) + 7;
        std::mt19937_64 random{++seed};
        for (std::int64_t const offset : {0, 1, 3}) {
            elements x{type, n, offset}, y{type, n, offset % 2};
            for (std::int64_t i = 0; i < n; ++i) {
                x.set(i, random() % 2 == 0 ? lowest(type) : highest(type));
                y.set(i, random() % 4 == 0 ? static_cast<std::int64_t>(random()) : highest(type));
            }
            on_cpu::workspace work{type, sf::operation::dot, {}};
            expect_results(work.run(x.view(), y.view(), {.blocks = 2, .threads = 64}, seed),
                           summarise_pairs(x.data(), y.data(), n, type), {}, std::string(sf::name(type)));
        }
    }
}

constexpr launch_shape shapes[] = {{.blocks = 1, .threads = 32},
                                   {.blocks = 1, .threads = 256},
                                   {.blocks = 3, .threads = 64},
                                   {.blocks = 2, .threads = 128, .bulk = true}};

/// A sum alone is rounded in a way of its own, unless it does not fit 64 bits, or elements are missing.
TEST(integers_on_cpu, sums_at_the_ends_of_64_bits) {
    std::uint64_t seed = 0;
    for (sf::dtype const type : {sf::dtype::int64, sf::dtype::uint64}) {
        std::int64_t const low = lowest(type), high = highest(type);
        for (std::vector<std::int64_t> const& some :
             std::vector<std::vector<std::int64_t>>{{},
                                                    {low},
                                                    {high},
                                                    {high, 1},
                                                    {high - 1, 1},
                                                    {low, low},
                                                    {low, -1},
                                                    {low + 1, -1},
                                                    {high, high, high, 5},
                                                    {high, low, high, low, 77},
                                                    {std::int64_t{1} << 32, -(std::int64_t{1} << 32), 0xffffffff, 1}})
            for (launch_shape const& shape : shapes)
                for (bool const has_missing : {false, true}) {
                    std::int64_t const n = 3000;
                    elements x{type, n, static_cast<std::int64_t>(++seed % 3)};
                    x.fill(0);
                    for (std::size_t i = 0; i < some.size(); ++i)
                        x.set(static_cast<std::int64_t>((i + 1) * 691 % n), some[i]);
                    sf::reduce_options options{.nans = sf::nan_policy::ignore};
                    if (has_missing) options.missing = 77;
                    expect_right(x, sf::operation::sum, options, shape, seed);
                }
    }
}

/// So is a dot alone: the upper half of its 192 bits must be nothing but signs.
TEST(integers_on_cpu, dots_at_the_ends_of_64_bits) {
    using pair = std::pair<std::int64_t, std::int64_t>;
    constexpr std::int64_t middle = std::int64_t{1} << 32;
    std::uint64_t seed = 0;
    for (sf::dtype const type : {sf::dtype::int64, sf::dtype::uint64}) {
        std::int64_t const low = lowest(type), high = highest(type);
        for (std::vector<pair> const& some :
             std::vector<std::vector<pair>>{{},
                                            {{low, 1}},
                                            {{high, 1}},
                                            {{high, 1}, {1, 1}},
                                            {{low, 1}, {-1, 1}},
                                            {{low, -1}},
                                            {{low, -1}, {-1, 1}},
                                            {{middle, middle}},
                                            {{middle, middle}, {-middle, middle}, {-1, 1}},
                                            {{middle, middle}, {-middle, middle - 1}},
                                            {{high, high}, {high, low}, {high, 1}},
                                            {{high, high}, {-high, high}, {high, 1}},
                                            {{low, low}, {low, low}, {low, high}, {low, high}},
                                            std::vector<pair>(4, {INT64_MIN, INT64_MIN})})
            for (launch_shape const& shape : shapes) {
                std::int64_t const n = 3000;
                elements x{type, n, static_cast<std::int64_t>(++seed % 3)}, y{type, n, 1};
                x.fill(0);
                y.fill(7);
                for (std::size_t i = 0; i < some.size(); ++i) {
                    auto const place = static_cast<std::int64_t>((i + 1) * 691 % n);
                    x.set(place, some[i].first);
                    y.set(place, some[i].second);
                }
                on_cpu::workspace work{type, sf::operation::dot, {}};
                expect_results(work.run(x.view(), y.view(), shape, seed), summarise_pairs(x.data(), y.data(), n, type),
                               {}, text(type, shape, seed));
                EXPECT_TRUE(work.is_clean()) << text(type, shape, seed);
            }
    }
}

/// Every width from every place in a vector on, with ends of every length.
TEST(integers_on_cpu, every_alignment) {
    std::uint64_t seed = 100;
    for (sf::dtype const type : integers)
        for (std::int64_t offset = 0; offset < 16 / bytes_of(type); ++offset)
            for (data_class const which : {data_class::integer_bits, data_class::integer_extremes}) {
                std::int64_t const n = 3 * 2048 / bytes_of(type) + static_cast<std::int64_t>(++seed * 7 % 37);
                sf::operation_set const all = everything | sf::zero_count | sf::any | sf::every;
                expect_right({generate(which, type, n, seed), offset}, seed % 3 == 0 ? sf::operation_set{sf::sum} : all,
                             {}, shapes[seed % std::size(shapes)], seed);
            }
}

/// Few values, so that the extremes come again and again in all lanes, warps and blocks: also 0 and the ends of the
/// type's range, which nothing is smaller or larger than. Once all elements are the same.
TEST(integers_on_cpu, first_of_equal_extremes) {
    std::mt19937_64 random{1};
    for (sf::dtype const type : integers)
        for (std::uint64_t round = 0; round < 15; ++round) {
            auto const n = static_cast<std::int64_t>(20 + random() % 20) * 2048 / bytes_of(type);
            elements x{type, n, static_cast<std::int64_t>(random() % 3)};
            std::int64_t const from = round % 3 == 0 ? lowest(type) : round % 3 == 1 ? highest(type) - 50 : 5;
            std::uint64_t const values = round < 3 ? 1 : round < 12 ? 51 : 3;
            for (std::int64_t i = 0; i < n; ++i) x.set(i, from + static_cast<std::int64_t>(random() % values));
            expect_right(x, sf::extrema | sf::linf, {}, shapes[round % std::size(shapes)], random());
        }
}

/// Two warps meet equal extremes at the same time, and the one whose come first in the array has just been busy: by
/// then the other one has told it what to beat.
TEST(integers_on_cpu, first_of_equal_extremes_of_two_warps) {
    std::mt19937_64 random{2};
    for (sf::dtype const type : integers)
        for (int round = 0; round < 12; ++round) {
            std::int64_t const tile = 2048 / bytes_of(type);
            elements x{type, 4 * 8 * tile, 0};
            for (std::int64_t i = 0; i < x.size(); ++i) x.set(i, 50 + static_cast<std::int64_t>(random() % 5));
            auto const place = [&](std::int64_t turn, std::int64_t warp, std::int64_t low, std::int64_t high) {
                std::int64_t const at = (8 * turn + warp) * tile, half = tile / 2;
                x.set(at + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(half)), low);
                x.set(at + half, high);
            };
            auto const first = static_cast<std::int64_t>(random() % 4),
                       second = 4 + static_cast<std::int64_t>(random() % 4);
            place(1, first, 48, 60);
            place(2, first, 47, 61);
            place(2, second, 47, 61);
            expect_right(x, sf::extrema | sf::linf, {}, {.blocks = 1, .threads = 256}, random());
        }
}

/// Values that are missing: at the end of the others, among them, 0 (as what fills vectors up), some that the type does
/// not have, and all there are.
TEST(integers_on_cpu, missing_values) {
    std::mt19937_64 random{3};
    for (sf::dtype const type : integers)
        for (int round = 0; round < 24; ++round) {
            std::int64_t const n = round % 5 == 0
                                       ? static_cast<std::int64_t>(1 + random() % 40)
                                       : static_cast<std::int64_t>(8 + random() % 8) * 2048 / bytes_of(type) +
                                             static_cast<std::int64_t>(random() % 9);
            elements x{type, n, static_cast<std::int64_t>(random() % 3)};
            std::int64_t const from = round % 3 == 0 ? lowest(type) : round % 3 == 1 ? highest(type) - 3 : 0;
            for (std::int64_t i = 0; i < n; ++i)
                x.set(i, from + static_cast<std::int64_t>(random() % (round % 8 == 0 ? 1 : 4)));
            sf::reduce_options options{.nans = sf::nan_policy::ignore, .missing = x.at(n / 3)};
            if (round % 7 == 6) options.missing = bytes_of(type) < 8 ? lowest(type) - 1 : 999;
            sf::operation_set const all = everything | sf::nan_count | sf::zero_count | sf::any;
            expect_right(x, round % 4 == 0 ? sf::sum | sf::nan_count : all, options, shapes[random() % 4], random());
        }
}

/// A fill value far from the rest, where extremes come late and in few places.
TEST(integers_on_cpu, extremes_among_missing_values) {
    std::mt19937_64 random{4};
    for (sf::dtype const type : integers)
        for (int round = 0; round < 8; ++round) {
            elements x{type, 40 * 2048 / bytes_of(type), static_cast<std::int64_t>(random() % 3)};
            std::int64_t const fill = round % 3 == 0 ? lowest(type) : round % 3 == 1 ? highest(type) : 0;
            for (std::int64_t i = 0; i < x.size(); ++i)
                x.set(i, random() % 3 == 0 ? fill : 60 + static_cast<std::int64_t>(random() % 10));
            for (int k = 0; k < 3; ++k) {
                x.set(static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(x.size())), 40);
                x.set(static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(x.size())), 100);
            }
            sf::reduce_options const options{.nans = sf::nan_policy::ignore, .missing = fill};
            expect_right(x, sf::extrema | sf::nan_count, options, shapes[random() % 4], random());
        }
}

} // namespace
