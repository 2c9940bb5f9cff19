#include "io/missing_values.hpp"

#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <gtest/gtest.h>

namespace {
using namespace steadfold;
using namespace steadfold::io_detail;

template <class T>
std::byte* bytes(T& array) {
    return reinterpret_cast<std::byte*>(array.data());
}

double as_double(half value) {
    std::array<half, 1> one{value};
    return load_as_double(dtype::float16, bytes(one));
}

TEST(load_as_double, every_half_has_its_value) {
    for (std::uint32_t bits = 0; bits < 65536; ++bits) {
        double const found = as_double({static_cast<std::uint16_t>(bits)});
        std::uint32_t const exponent = bits >> 10 & 31, mantissa = bits & 1023;
        if (exponent == 31 && mantissa != 0) {
            ASSERT_TRUE(std::isnan(found));
            continue;
        }
        // another way to the value: shift into a float and correct the bias by an exact multiplication
        float wanted = std::bit_cast<float>((bits & 0x7fff) << 13) * 0x1p112f;
        if (exponent == 31) wanted = INFINITY;
        if ((bits & 0x8000) != 0) wanted = -wanted;
        ASSERT_EQ(std::bit_cast<std::uint64_t>(found), std::bit_cast<std::uint64_t>(double{wanted})) << bits;
    }
}

TEST(unify_missing, marked_reals_become_nan_and_nothing_else_changes) {
    std::array<float, 5> data{1.0F, -999.0F, -0.0F, std::bit_cast<float>(0x7f812345U), 1e20F};
    auto const before = data;
    unify_missing(dtype::float32, {{-999.0, double{1e20F}}, {}}, bytes(data), 5);
    EXPECT_TRUE(std::isnan(data[1]) && std::isnan(data[4]));
    for (std::size_t i : {0U, 2U, 3U}) EXPECT_EQ(std::memcmp(&data[i], &before[i], sizeof(float)), 0);
}

TEST(unify_missing, marked_integers_become_the_first_marker) {
    std::array<std::int16_t, 4> data{-1, 5, -2, -3};
    unify_missing(dtype::int16, {{}, {-1, -3}}, bytes(data), 4);
    EXPECT_EQ(data, (std::array<std::int16_t, 4>{-1, 5, -2, -1}));
}

TEST(unpack_in_place, rounds_product_and_sum_separately) {
    // a fused multiply-add would give another last bit: scale * scale is not a double
    double const scale = 1.0 + 0x1p-30, stored = 1.0 + 0x1p-30, offset = -1.0;
    std::array<double, 1> data{stored};
    unpack_in_place(dtype::float64, {}, {scale, offset}, bytes(data), 1);
    double const volatile product = stored * scale;
    EXPECT_EQ(data[0], product + offset);
    EXPECT_NE(data[0], std::fma(stored, scale, offset));
}

TEST(unpack_in_place, expands_narrow_elements_from_the_end_of_the_buffer) {
    constexpr std::size_t n = 1000;
    std::array<double, n> data{};
    for (std::size_t i = 0; i < n; ++i) {
        auto const value = static_cast<std::int16_t>(i - 500);
        std::memcpy(bytes(data) + n * 6 + 2 * i, &value, 2);
    }
    unpack_in_place(dtype::int16, {{}, {7}}, {{}, 0.5}, bytes(data), n);
    for (std::size_t i = 0; i < n; ++i) {
        if (i == 507)
            EXPECT_TRUE(std::isnan(data[i]));
        else
            ASSERT_EQ(data[i], static_cast<double>(i) - 500 + 0.5);
    }
}
} // namespace
