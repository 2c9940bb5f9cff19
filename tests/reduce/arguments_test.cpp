// Bad arguments are found before any work and named, with what to do instead.
#include "reduce/plan.hpp"
#include "steadfold/error.hpp"
#include "steadfold/histogram.hpp"
#include "steadfold/reduce.hpp"
#include "steadfold/segmented.hpp"
#include "steadfold/workspace.hpp"

#include <chrono>
#include <complex>
#include <functional>
#include <gtest/gtest.h>
#include <limits>

namespace {

namespace sf = steadfold;

/// `call` must throw an Error whose text has every one of `words`.
template <class Error = sf::argument_error>
void expect_refused(std::function<void()> const& call, std::vector<std::string> const& words) {
    try {
        call();
        ADD_FAILURE() << "not refused; expected a message with " << words.front();
    } catch (Error const& e) {
        for (std::string const& word : words)
            EXPECT_NE(std::string(e.what()).find(word), std::string::npos) << "no \"" << word << "\" in: " << e.what();
    }
}

void make(sf::dtype type, sf::operation_set ops, sf::reduce_options const& options = {},
          sf::execution const& where = {}) {
    sf::reduction const reduction{type, ops, options, where};
}

std::vector<double> const numbers = {1, 2, 3, 4};
sf::array_view const four{numbers.data(), 4, sf::dtype::float64};

TEST(arguments, operations_that_the_type_does_not_have_are_named) {
    for (sf::operation_set const ops : {sf::min, sf::max, sf::argmin, sf::argmax, sf::linf})
        expect_refused([&] { make(sf::dtype::complex64, ops | sf::sum); }, {"complex64", "order"});
    expect_refused([] { make(sf::dtype::complex128, sf::operation::weighted_mean); }, {"weighted", "complex128"});
    expect_refused([] { make(sf::dtype::float64, sf::operation_set{}); }, {"no operation"});
    expect_refused([] { make(sf::dtype::float64, sf::sum | sf::operation_set{sf::operation::dot}); },
                   {"sum,dot", "two arrays", "stand alone"});
}

TEST(arguments, options_that_make_no_sense_are_named) {
    expect_refused([] { make(sf::dtype::float64, sf::variance, {.ddof = 2}); }, {"ddof", "2", "0 or 1"});
    expect_refused([] { make(sf::dtype::float64, sf::variance, {.ddof = -1}); }, {"ddof", "-1"});
    expect_refused([] { make(sf::dtype::float32, sf::sum, {.missing = 3}); }, {"missing", "float32", "NaN"});
    expect_refused([] { make(sf::dtype::float64, sf::sum, {.result = sf::dtype::complex128}); }, {"complex result"});
    expect_refused([] { make(sf::dtype::complex64, sf::sum, {.result = sf::dtype::float16}); },
                   {"complex64", "float16"});
    expect_refused([] { make(sf::dtype::complex64, sf::mean, {.result = sf::dtype::int64}); }, {"complex64", "int64"});
    expect_refused([] { make(sf::dtype::int32, sf::operation::dot, {.missing = 3}); }, {"dot", "missing"});
    expect_refused([] { make(sf::dtype::float64, sf::sum, {}, {.threads = -3}); }, {"threads", "-3"});
    expect_refused([] { make(sf::dtype::float64, sf::sum, {}, {.threads = 1000000}); }, {"threads", "1000000"});
    std::vector<float> const x = {1};
    expect_refused([&] { (void)sf::reduce({}, sf::view<float const>(x), sf::sum, {.result = sf::dtype::float64}); },
                   {"result", "array_view"});
}

TEST(arguments, data_of_another_kind_is_named) {
    sf::reduction sums{sf::dtype::float64, sf::sum};
    expect_refused([&] { sums.add({numbers.data(), 4, sf::dtype::float32}); }, {"float32", "float64"});
    expect_refused([&] { sums.add({nullptr, 4, sf::dtype::float64}); }, {"null", "4"});
    expect_refused([&] { sums.add({numbers.data(), -1, sf::dtype::float64}); }, {"-1"});
    expect_refused([&] { sums.add(four, -7); }, {"first_index", "-7"});
    std::int64_t const last = std::numeric_limits<std::int64_t>::max();
    expect_refused([&] { sums.add(four, last - 3); }, {"first_index", std::to_string(last - 3), "4 elements"});
    sums.add({numbers.data(), 0, sf::dtype::float64}, last - 4);
    auto const* const odd = reinterpret_cast<std::byte const*>(numbers.data()) + 4;
    expect_refused([&] { sums.add({odd, 3, sf::dtype::float64}); }, {"aligned", "8"});
    expect_refused([&] { sums.add_products(four, four); }, {"sum", "add"});
    sums.add({nullptr, 0, sf::dtype::float64});
    sums.add(four);
    EXPECT_EQ(sums.finish()[sf::operation::sum].as_double(), 10.0); // what was refused left no trace
}

TEST(arguments, pairs_must_fit_together) {
    sf::reduction dots{sf::dtype::float64, sf::operation::dot};
    std::vector<float> const floats(4);
    expect_refused([&] { dots.add(four); }, {"dot", "add_products"});
    expect_refused([&] { dots.add_products(four, {numbers.data(), 3, sf::dtype::float64}); }, {"4", "3", "length"});
    expect_refused([&] { dots.add_products(four, {floats.data(), 4, sf::dtype::float32}); }, {"second", "float32"});
    dots.add_products(four, four);
    EXPECT_EQ(dots.finish()[sf::operation::dot].as_double(), 30.0);
}

TEST(arguments, numbers_that_are_no_enumerators_are_refused) {
    auto const refuse = [](sf::dtype type, sf::operation_set operations, sf::reduce_options const& options,
                           std::string const& word) {
        expect_refused([&] { sf::reduction{type, operations, options}; }, {word});
        expect_refused([&] { sf::workspace{type, operations, options}; }, {word});
    };
    refuse(static_cast<sf::dtype>(99), sf::sum, {}, "99");
    refuse(sf::dtype::float64, static_cast<sf::operation>(30), {}, "operations");
    refuse(sf::dtype::float64, sf::sum, {.mode = static_cast<sf::reduction_mode>(7)}, "mode 7");
    refuse(sf::dtype::float64, sf::sum, {.nans = static_cast<sf::nan_policy>(8)}, "policy 8");
    refuse(sf::dtype::float64, sf::sum, {.result = static_cast<sf::dtype>(77)}, "77");
}

TEST(arguments, negative_numbers_of_an_execution_are_refused) {
    auto const refuse = [](sf::execution const& where, std::string const& word) {
        expect_refused([&] { sf::reduction{sf::dtype::float64, sf::sum, {}, where}; }, {word});
        expect_refused([&] { sf::workspace{sf::dtype::float64, sf::sum, {}, where}; }, {word});
        expect_refused([&] { sf::segmented_reduction{sf::dtype::float64, sf::operation::sum, {}, where}; }, {word});
        expect_refused(
            [&] {
                sf::histogram_counter{sf::dtype::float64, sf::uniform_bins(0, 1, 2), {}, where};
            },
            {word});
    };
    refuse({.device = -1}, "device");
    refuse({.threads = -2}, "threads");
    refuse({.blocks = -3}, "blocks");
    refuse({.threads_per_block = -32}, "threads_per_block");
    refuse({.deadline = std::chrono::nanoseconds(-1)}, "deadline");
}

TEST(arguments, all_pieces_are_looked_at_before_work_on_the_first) {
    sf::array_piece const pieces[] = {{four, 0}, {{numbers.data(), -1, sf::dtype::float64}, 4}};
    expect_refused([&] { (void)sf::reduce({}, sf::dtype::float64, pieces, sf::sum); }, {"piece", "-1"});
    sf::array_view const views[] = {four, {nullptr, 3, sf::dtype::float64}};
    expect_refused([&] { (void)sf::histogram({}, sf::dtype::float64, views, sf::uniform_bins(0, 1, 2)); }, {"null"});
}

TEST(arguments, results_that_were_not_asked_for_are_named) {
    auto const results = sf::reduce({}, four, sf::sum | sf::mean);
    expect_refused([&] { (void)results[sf::operation::l2]; }, {"l2", "sum,mean"});
    expect_refused([] { (void)sf::parse_operations("sum,medain"); }, {"medain", "mean"});
    expect_refused([] { (void)sf::parse_operations(""); }, {"no operation"});
    expect_refused([] { (void)sf::parse_operations("sum,,mean"); }, {"unknown"});
}

TEST(merging, of_reductions_that_differ_in_anything_is_refused) {
    sf::reduction base{sf::dtype::float64, sf::sum | sf::variance};
    auto const refuse = [&](sf::dtype type, sf::operation_set ops, sf::reduce_options const& options) {
        sf::reduction other{type, ops, options};
        expect_refused<sf::mismatch_error>([&] { base.merge(other); }, {"merged"});
    };
    refuse(sf::dtype::float32, sf::sum | sf::variance, {});
    refuse(sf::dtype::float64, sf::sum, {});
    refuse(sf::dtype::float64, sf::sum | sf::variance, {.mode = sf::reduction_mode::fast});
    refuse(sf::dtype::float64, sf::sum | sf::variance, {.nans = sf::nan_policy::ignore});
    refuse(sf::dtype::float64, sf::sum | sf::variance, {.ddof = 1});
    refuse(sf::dtype::float64, sf::sum | sf::variance, {.result = sf::dtype::float32});
    base.add(four);
    expect_refused([&] { base.merge(base); }, {"itself"});
    EXPECT_EQ(base.finish()[sf::operation::sum].as_double(), 10.0);
}

} // namespace
