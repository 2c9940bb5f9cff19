// Threads, pieces, order, alignment, vector levels, merging and earlier use change no bit.
#include "reduce/levels.hpp"
#include "steadfold/error.hpp"
#include "support/check.hpp"
#include "support/invariance.hpp"

#include <array>
#include <gtest/gtest.h>

namespace {

using namespace oracle;

sf::execution threads(int count) {
    return {.kind = sf::processor_kind::host, .threads = count};
}

struct invariance : testing::TestWithParam<sf::dtype> {
    /// Calls f(case) for samples of every class, short ones and ones that keep four threads busy.
    template <class Function>
    static void for_each_case(Function&& f) {
        auto const classes = classes_of(GetParam());
        for (std::size_t k = 0; k < classes.size(); ++k) {
            sf::reduce_options const options{.nans = k % 2 == 0 ? sf::nan_policy::propagate : sf::nan_policy::ignore};
            for (std::int64_t const n :
                 {std::int64_t{5}, std::int64_t{333}, k % 4 == 0 ? long_length : middle_length}) {
                sample const data = generate(classes[k], GetParam(), n, k + 900);
                f(make_case(data, options));
            }
        }
    }
    static constexpr std::int64_t middle_length = sanitized ? 5000 : 10001, long_length = sanitized ? 40000 : 80001;
};

TEST_P(invariance, of_threads) {
    for_each_case([](invariance_case const& c) {
        for (int const count : {1, 2, 3, 4}) {
            sf::reduction reduction{c.data.type, c.operations, c.options, threads(count)};
            reduction.add(c.data.view());
            expect_bits(reduction.finish(), c, std::to_string(count) + " threads");
        }
    });
}

TEST_P(invariance, of_pieces_in_any_order) {
    for_each_case([](invariance_case const& c) {
        for (std::uint64_t seed = 0; seed < 3; ++seed) in_random_pieces(c, threads(static_cast<int>(seed) + 1), seed);
        for (std::int64_t const length : {std::int64_t{1}, std::int64_t{1000}, std::int64_t{4096}, std::int64_t{17000}})
            if (c.data.n / length < 2000) in_equal_pieces(c, threads(2), length);
    });
}

TEST_P(invariance, of_the_order_of_elements) {
    for_each_case([](invariance_case const& c) {
        for (std::uint64_t seed = 0; seed < 2; ++seed) in_another_order(c, threads(2), seed);
    });
}

TEST_P(invariance, of_alignment) {
    for_each_case([](invariance_case const& c) {
        if (c.data.n <= middle_length) at_every_alignment(c, threads(1));
    });
}

TEST_P(invariance, of_merging) {
    std::array const places = {threads(1), threads(2), threads(3)};
    for_each_case([&](invariance_case const& c) {
        for (std::uint64_t seed = 0; seed < 3; ++seed) by_merging(c, places, seed);
    });
}

TEST_P(invariance, of_earlier_use) {
    for_each_case([](invariance_case const& c) {
        if (c.data.n < 1000) with_a_used_reduction(c, threads(1));
    });
}

TEST_P(invariance, of_the_vector_level) {
    for_each_case([](invariance_case const& c) {
        at_every_level([&](std::string const& level) {
            sf::reduction reduction{c.data.type, c.operations, c.options, threads(1)};
            reduction.add(c.data.view());
            expect_bits(reduction.finish(), c, "level " + level);
        });
    });
}

std::string type_name(testing::TestParamInfo<sf::dtype> const& info) {
    return std::string(sf::name(info.param));
}

INSTANTIATE_TEST_SUITE_P(all, invariance,
                         testing::Values(sf::dtype::float64, sf::dtype::float32, sf::dtype::float16,
                                         sf::dtype::bfloat16, sf::dtype::int8, sf::dtype::int32, sf::dtype::int64,
                                         sf::dtype::uint16, sf::dtype::uint64, sf::dtype::complex64,
                                         sf::dtype::complex128),
                         type_name);

TEST(dot_invariance, of_pieces_and_threads) {
    for (int which = 0; which < pair_class_count; ++which) {
        auto const [x, y] = generate_pair(static_cast<pair_class>(which), sf::dtype::float64, 70000, 3);
        sf::result_value const expected =
            evaluate(summarise_pairs(x.bytes.data(), y.bytes.data(), x.n, x.type), sf::operation::dot, {});
        for (int const count : {1, 2, 3, 4}) {
            sf::reduction reduction{x.type, sf::operation::dot, {}, threads(count)};
            random_source random{static_cast<std::uint64_t>(count)};
            for (std::int64_t first = 0; first < x.n;) {
                std::int64_t const length = std::min(x.n - first, 1 + random.below(60000));
                reduction.add_products(x.part(first, length), y.part(first, length));
                first += length;
            }
            expect_same(reduction.finish()[sf::operation::dot], expected, sf::operation::dot,
                        x.label + " threads=" + std::to_string(count));
        }
    }
}

TEST(levels, an_unknown_one_is_an_argument_error_that_names_the_known_ones) {
    ::setenv("STEADFOLD_ISA", "v9", 1);
    try {
        sf::reduction const reduction{sf::dtype::float64, sf::sum};
        ADD_FAILURE() << "STEADFOLD_ISA=v9 was taken";
    } catch (sf::argument_error const& e) {
        EXPECT_NE(std::string(e.what()).find("v9"), std::string::npos) << e.what();
        EXPECT_NE(std::string(e.what()).find("baseline"), std::string::npos) << e.what();
    }
    ::unsetenv("STEADFOLD_ISA");
}

} // namespace
