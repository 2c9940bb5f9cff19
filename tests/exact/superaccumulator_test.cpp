// Superaccumulators as values: merging, rounding to other types, and bytes that are never trusted.
#include "steadfold/error.hpp"
#include "steadfold/exact.hpp"
#include "support/check.hpp"

#include <cmath>
#include <complex>
#include <gtest/gtest.h>
#include <limits>

namespace {

using namespace oracle;

constexpr double infinity = std::numeric_limits<double>::infinity();

std::vector<double> doubles(data_class which, std::int64_t n, std::uint64_t seed) {
    sample const s = generate(which, sf::dtype::float64, n, seed);
    auto const* values = reinterpret_cast<double const*>(s.bytes.data());
    return {values, values + n};
}

TEST(superaccumulator, of_any_grouping_has_the_oracles_bits_and_equal_bytes) {
    for (data_class const which : classes_of(sf::dtype::float64)) {
        sample const s = generate(which, sf::dtype::float64, 500, 3);
        std::vector<double> const values = doubles(which, 500, 3);
        sf::superaccumulator<double> whole, one_by_one, left, right;
        whole.add(std::span{values});
        for (double const x : values) one_by_one.add(x);
        left.add(std::span{values}.first(123));
        right.add(std::span{values}.subspan(123));
        right.merge(left);
        summary const expected = summarise(s.bytes.data(), s.n, s.type);
        expect_same(whole.result(), evaluate(expected, sf::operation::sum, {}), sf::operation::sum, s.label);
        EXPECT_EQ(whole.serialise(), one_by_one.serialise()) << s.label;
        EXPECT_EQ(whole.serialise(), right.serialise()) << s.label;
        EXPECT_EQ(whole.count(), 500);
    }
}

TEST(superaccumulator, rounds_straight_to_other_types) {
    sf::superaccumulator<double> a;
    a.add(1.0);
    a.add(0x1p-24); // half of float's last place
    a.add(0x1p-60); // and what decides, which a rounding by way of double would lose
    EXPECT_EQ(a.round_to<float>(), 1.0f + 0x1p-23f);
    EXPECT_EQ(a.round(), 1.0 + 0x1p-24);
    EXPECT_EQ(a.round_to<std::int32_t>(), 1);
    EXPECT_EQ(a.round_to<sf::bfloat16>().bits, 0x3f80);
}

TEST(superaccumulator, of_every_type_adds_and_rounds) {
    sf::superaccumulator<float> f;
    f.add(16777216.0f);
    for (int i = 0; i < 3; ++i) f.add(1.0f); // a float sum would stall here
    EXPECT_EQ(f.round(), 16777220.0f);
    sf::superaccumulator<sf::half> h;
    h.add(sf::half{0x3c00});
    EXPECT_EQ(h.round(), 1.0f);
    sf::superaccumulator<std::int64_t> i;
    for (int k = 0; k < 3; ++k) i.add(std::numeric_limits<std::int64_t>::max());
    EXPECT_TRUE(sf::has(i.result().status, sf::status_flags::overflow));
    i.add(std::numeric_limits<std::int64_t>::min());
    i.add(std::numeric_limits<std::int64_t>::min());
    EXPECT_EQ(i.round(), std::numeric_limits<std::int64_t>::max() - 2);
    sf::superaccumulator<std::uint8_t> u;
    u.add(255);
    u.add(255);
    EXPECT_EQ(u.round(), 510u);
    sf::superaccumulator<std::complex<double>> c;
    c.add({1e300, -1.0});
    c.add({-1e300, 0.5});
    EXPECT_EQ(c.round(), (std::complex<double>{0.0, -0.5}));
    EXPECT_EQ(c.round_to<float>(), (std::complex<float>{0.0f, -0.5f}));
}

TEST(superaccumulator, keeps_special_values) {
    sf::superaccumulator<double> a;
    EXPECT_EQ(a.result().status, sf::status_flags::empty);
    a.add(-0.0);
    EXPECT_TRUE(std::signbit(a.round()));
    a.add(infinity);
    EXPECT_EQ(a.round(), infinity);
    sf::superaccumulator<double> b = a; // a deep copy
    b.add(-infinity);
    EXPECT_TRUE(std::isnan(b.round()));
    EXPECT_EQ(a.round(), infinity);
}

TEST(superaccumulator, refuses_more_values_than_it_takes_and_keeps_what_it_has) {
    sf::superaccumulator<double> a;
    a.add(0x1.8p1023);
    for (int i = 0; i < 62; ++i) a.merge(a);
    EXPECT_EQ(a.count(), std::int64_t{1} << 62);
    sf::superaccumulator<double> b = a;
    EXPECT_THROW(a.merge(b), sf::argument_error); // 2^63 values, one too many
    EXPECT_EQ(a.serialise(), b.serialise());
    auto bytes = a.serialise();
    for (std::size_t i = 9; i < 17; ++i) bytes[i] = i < 16 ? std::byte{0xff} : std::byte{0x7f}; // its count: 2^63 - 1
    auto full = sf::superaccumulator<double>::deserialise(bytes);
    EXPECT_THROW(full.add(1.0), sf::argument_error);
    EXPECT_EQ(full.count(), std::numeric_limits<std::int64_t>::max());
    EXPECT_EQ(full.round(), infinity);
}

TEST(superaccumulator, survives_its_bytes) {
    sf::superaccumulator<double> a;
    a.add(std::span<double const>(doubles(data_class::any_finite_bits, 300, 1)));
    a.add(-infinity);
    auto const bytes = a.serialise();
    auto const b = sf::superaccumulator<double>::deserialise(bytes);
    EXPECT_EQ(b.serialise(), bytes);
    EXPECT_EQ(b.result(), a.result());
    EXPECT_EQ(b.count(), 301);
}

TEST(superaccumulator, refuses_bytes_that_are_none) {
    sf::superaccumulator<double> a;
    a.add(3.5);
    auto const bytes = a.serialise();
    using other = sf::superaccumulator<float>;
    EXPECT_THROW((void)other::deserialise(bytes), sf::argument_error);
    for (std::size_t length = 0; length < bytes.size(); ++length)
        EXPECT_THROW((void)sf::superaccumulator<double>::deserialise(std::span{bytes}.first(length)),
                     sf::argument_error);
    auto out_of_nothing = bytes;
    out_of_nothing[9] = std::byte{0}; // the count: a sum of no values that is 3.5
    EXPECT_THROW((void)sf::superaccumulator<double>::deserialise(out_of_nothing), sf::argument_error);
    auto too_large = bytes;
    too_large[too_large.size() - 2] = std::byte{0x40}; // the highest limb: more than 2^63 values can make
    EXPECT_THROW((void)sf::superaccumulator<double>::deserialise(too_large), sf::argument_error);
    auto longer = bytes;
    longer.push_back(std::byte{0});
    EXPECT_THROW((void)sf::superaccumulator<double>::deserialise(longer), sf::argument_error);
    for (std::size_t i = 0; i < bytes.size(); ++i) { // any byte changed: an error, or an accumulator that rounds
        auto damaged = bytes;
        damaged[i] ^= std::byte{0x81};
        try {
            (void)sf::superaccumulator<double>::deserialise(damaged).result();
        } catch (sf::argument_error const&) {
        }
    }
}

} // namespace
