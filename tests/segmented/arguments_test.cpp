// Bad arguments are found before any work and named.
#include "steadfold/error.hpp"
#include "steadfold/segmented.hpp"

#include <algorithm>
#include <functional>
#include <gtest/gtest.h>
#include <limits>
#include <string>
#include <vector>

namespace {

namespace sf = steadfold;

void expect_refused(std::function<void()> const& call, std::vector<std::string> const& words) {
    try {
        call();
        ADD_FAILURE() << "not refused; expected a message with " << words.front();
    } catch (sf::argument_error const& e) {
        for (std::string const& word : words)
            EXPECT_NE(std::string(e.what()).find(word), std::string::npos) << "no \"" << word << "\" in: " << e.what();
    }
}

struct arguments : testing::Test {
    std::vector<double> x{1, 2, 3, 4, 5, 6}, out{-7, -7, -7};
    std::vector<std::int64_t> offsets{0, 2, 2, 6}, extents{3, 2};
    sf::array_view array{x.data(), 6, sf::dtype::float64};
    sf::output_view output{out.data(), 3, sf::dtype::float64};
    sf::segmented_reduction sums{sf::dtype::float64, sf::operation::sum};

    void TearDown() override { EXPECT_EQ(std::ranges::count(out, -7.0), 3) << "refused calls wrote results"; }

    void refuse_offsets(std::vector<std::int64_t> const& wrong, std::vector<std::string> const& words) {
        expect_refused(
            [&] {
                sums.segments(array, wrong, {out.data(), std::ssize(wrong) - 1, sf::dtype::float64});
            },
            words);
    }
};

TEST_F(arguments, operations_and_options_are_those_of_reduce) {
    auto const make = [](sf::dtype type, sf::operation op, sf::reduce_options const& options = {},
                         sf::execution const& where = {}) {
        return [=] { sf::segmented_reduction const reduction{type, op, options, where}; };
    };
    expect_refused(make(sf::dtype::float64, sf::operation::dot), {"dot"});
    expect_refused(make(sf::dtype::complex64, sf::operation::argmin), {"complex64", "order"});
    expect_refused(make(sf::dtype::float64, sf::operation::variance, {.ddof = 3}), {"ddof", "3"});
    expect_refused(make(sf::dtype::float32, sf::operation::sum, {.missing = 1}), {"missing", "float32"});
    expect_refused(make(sf::dtype::float32, sf::operation::sum, {}, {.threads = -1}), {"threads", "-1"});
    expect_refused([&] { sums.reserve(-1, 2); }, {"-1"});
}

TEST_F(arguments, offsets_out_of_order_or_outside_are_named) {
    refuse_offsets({0, 4, 3, 6}, {"offsets[2]", "3", "offsets[1]", "4"});
    refuse_offsets({-1, 2, 3}, {"offsets[0]", "-1"});
    refuse_offsets({0, 2, 7}, {"offsets[2]", "7", "6 elements"});
    refuse_offsets({0, std::numeric_limits<std::int64_t>::min(), 6}, {"offsets[1]"});
    expect_refused([&] { sums.segments(array, {}, {nullptr, 0, sf::dtype::float64}); }, {"no offsets"});
    expect_refused(
        [&] {
            sums.segments(array, offsets, {out.data(), 2, sf::dtype::float64});
        },
        {"3 segments", "2 elements"});
}

TEST_F(arguments, types_that_do_not_fit_are_named) {
    expect_refused([&] { sums.segments({x.data(), 6, sf::dtype::int64}, offsets, output); }, {"int64", "float64"});
    expect_refused(
        [&] {
            sums.segments(array, offsets, {out.data(), 3, sf::dtype::float32});
        },
        {"float32", "sum", "float64"});
    sf::segmented_reduction where{sf::dtype::float64, sf::operation::argmax};
    expect_refused([&] { where.segments(array, offsets, output); }, {"argmax", "int64"});
}

TEST_F(arguments, null_misaligned_and_negative_arrays_are_named) {
    expect_refused([&] { sums.segments({nullptr, 6, sf::dtype::float64}, offsets, output); }, {"array", "null"});
    expect_refused([&] { sums.segments(array, offsets, {nullptr, 3, sf::dtype::float64}); }, {"output", "null"});
    auto* const odd = reinterpret_cast<std::byte*>(out.data()) + 4;
    expect_refused([&] { sums.segments(array, offsets, {odd, 3, sf::dtype::float64}); }, {"output", "aligned", "8"});
    auto const* const odd_x = reinterpret_cast<std::byte const*>(x.data()) + 4;
    expect_refused([&] { sums.segments({odd_x, 5, sf::dtype::float64}, offsets, output); }, {"array", "aligned"});
    expect_refused([&] { sums.segments({x.data(), -2, sf::dtype::float64}, offsets, output); }, {"-2"});
}

TEST_F(arguments, overlapping_memory_is_named) {
    expect_refused(
        [&] {
            sums.segments(array, offsets, {x.data() + 5, 3, sf::dtype::float64});
        },
        {"output", "overlaps", "array"});
    sf::segmented_reduction counts{sf::dtype::float64, sf::operation::count};
    expect_refused(
        [&] {
            counts.segments(array, offsets, {offsets.data() + 1, 3, sf::dtype::int64});
        },
        {"output", "overlaps", "offsets"});
    auto* const inside = reinterpret_cast<sf::status_flags*>(out.data() + 1);
    expect_refused(
        [&] {
            sums.segments(array, offsets, {out.data(), 3, sf::dtype::float64, inside});
        },
        {"status", "overlaps", "output"});
}

TEST_F(arguments, results_may_lie_between_the_elements_of_strided_arrays) {
    std::vector<double> mixed{1, 0, 2, 0, 4, 0};
    std::vector<std::int64_t> const all{0, 3};
    sf::strided_view const column{mixed.data(), 3, 2};
    sums.segments(column, all, {mixed.data() + 3, 1, sf::dtype::float64});
    EXPECT_EQ(mixed, (std::vector<double>{1, 0, 2, 7, 4, 0}));
    for (std::int64_t const place : {0, 2, 4})
        expect_refused(
            [&] {
                sums.segments(column, all, {mixed.data() + place, 1, sf::dtype::float64});
            },
            {"output", "overlaps", "array"});
    sf::array_view const endless{mixed.data(), 3, sf::dtype::float64, std::int64_t{1} << 61};
    expect_refused([&] { sums.segments(endless, all, {out.data(), 1, sf::dtype::float64}); }, {"address space"});
}

TEST_F(arguments, extents_and_axes_that_do_not_fit_are_named) {
    auto const refuse = [&](std::vector<std::int64_t> const& wrong, int axis, std::vector<std::string> const& words) {
        expect_refused([&] { sums.axis(array, wrong, axis, output); }, words);
    };
    refuse({}, 0, {"extents"});
    refuse({2, 3}, 2, {"axis", "2", "0 to 1"});
    refuse({2, 3}, -1, {"axis", "-1"});
    refuse({-2, -3}, 0, {"axis 0", "-2"});
    refuse({2, 4}, 0, {"8 elements", "6 elements"});
    refuse({3, 2}, 0, {"2 elements", "3 elements"});
    std::int64_t const huge = std::int64_t{1} << 40;
    refuse({huge, huge, 3}, 2, {"elements"});
}

TEST_F(arguments, nothing_to_do_is_no_error) {
    sums.segments({nullptr, 0, sf::dtype::float64}, std::vector<std::int64_t>{0}, {nullptr, 0, sf::dtype::float64});
    sums.axis({nullptr, 0, sf::dtype::float64}, std::vector<std::int64_t>{4, 0}, 0, {nullptr, 0, sf::dtype::float64});
}

} // namespace
