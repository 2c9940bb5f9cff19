// Bad arguments are found before any work and named; what was refused leaves no trace.
#include "steadfold/error.hpp"
#include "steadfold/histogram.hpp"

#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace {

namespace sf = steadfold;

template <class Error = sf::argument_error, class Call>
void expect_refused(Call const& call, std::vector<std::string> const& words) {
    try {
        call();
        ADD_FAILURE() << "not refused; expected a message with " << words.front();
    } catch (Error const& e) {
        for (std::string const& word : words)
            EXPECT_NE(std::string(e.what()).find(word), std::string::npos) << "no \"" << word << "\" in: " << e.what();
    }
}

sf::histogram_bins const ten = sf::uniform_bins(0, 10, 10);
std::vector<double> const numbers = {1, 2, 3, 4, 20};
sf::array_view const five{numbers.data(), 5, sf::dtype::float64};

void make(sf::dtype type, sf::histogram_options const& options = {}, sf::execution const& where = {}) {
    sf::histogram_counter const counter{type, ten, options, where};
}

TEST(histogram_arguments, that_make_no_sense_are_named) {
    expect_refused([] { make(sf::dtype::complex64); }, {"complex64", "order"});
    expect_refused([] { make(sf::dtype::complex128); }, {"complex128"});
    expect_refused([] { make(sf::dtype::float16, {.missing = 3}); }, {"missing", "float16", "NaN"});
    expect_refused([] { make(sf::dtype::int8, {}, {.threads = -1}); }, {"threads", "-1"});
    expect_refused([] { make(sf::dtype::int8, {}, {.threads = 99999}); }, {"threads", "99999"});
    expect_refused(
        [] {
            sf::histogram_bins gone = ten, taken = std::move(gone);
            sf::histogram_counter const counter{sf::dtype::int8, gone};
        },
        {"moved"});
}

TEST(histogram_arguments, of_another_kind_are_named) {
    sf::histogram_counter counter{sf::dtype::float64, ten};
    EXPECT_EQ(counter.type(), sf::dtype::float64);
    EXPECT_EQ(counter.bins(), ten);
    expect_refused([&] { counter.add({numbers.data(), 5, sf::dtype::float32}); }, {"float32", "float64"});
    expect_refused([&] { counter.add({numbers.data(), -1, sf::dtype::float64}); }, {"-1"});
    expect_refused([&] { counter.add({nullptr, 4, sf::dtype::float64}); }, {"null", "4"});
    auto const* const odd = reinterpret_cast<std::byte const*>(numbers.data()) + 4;
    expect_refused([&] { counter.add({odd, 3, sf::dtype::float64}); }, {"multiple of 8"});
    expect_refused(
        [&] {
            counter.add({numbers.data(), 3, sf::dtype::float64, INT64_MIN / 8});
        },
        {"address space", std::to_string(INT64_MIN / 8)});
    counter.add({nullptr, 0, sf::dtype::float64});
    counter.add(five);
    sf::histogram_result const got = counter.finish();
    EXPECT_EQ(got.counts, (std::vector<std::int64_t>{0, 1, 1, 1, 1, 0, 0, 0, 0, 0}));
    EXPECT_EQ(got.above, 1);
    EXPECT_EQ(got.total, 5);
    EXPECT_EQ(counter.finish().total, 0); // begins anew
}

TEST(histogram_arguments, of_merges_must_be_alike) {
    sf::histogram_counter base{sf::dtype::int32, ten, {.missing = 1}};
    auto const refuse = [&base](sf::dtype type, sf::histogram_bins const& bins, sf::histogram_options const& options) {
        sf::histogram_counter other{type, bins, options};
        expect_refused<sf::mismatch_error>([&] { base.merge(other); }, {"merged", "10 bins of int32"});
    };
    refuse(sf::dtype::int16, ten, {.missing = 1});
    refuse(sf::dtype::int32, sf::uniform_bins(0, 10, 11), {.missing = 1});
    refuse(sf::dtype::int32, sf::uniform_bins(0, 11, 10), {.missing = 1});
    refuse(sf::dtype::int32, ten, {.missing = 2});
    refuse(sf::dtype::int32, ten, {});
    expect_refused([&] { base.merge(base); }, {"itself"});
    std::vector<double> const edges(ten.edges().begin(), ten.edges().end());
    sf::histogram_counter same{sf::dtype::int32, sf::bin_edges(edges), {.missing = 1}};
    std::vector<std::int32_t> const x = {1, 2};
    same.add(sf::view<std::int32_t const>(x));
    base.merge(same);
    sf::histogram_result const got = base.finish();
    EXPECT_EQ(got.counts[2], 1);
    EXPECT_EQ(got.nan, 1);
}

} // namespace
