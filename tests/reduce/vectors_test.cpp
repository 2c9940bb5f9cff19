// Thousands of generated vectors: every class of data, type, operation and option against exact rationals.
#include "reduce/levels.hpp"
#include "support/check.hpp"

#include <gtest/gtest.h>

namespace {

using namespace oracle;
constexpr sf::execution one_thread{.kind = sf::processor_kind::host, .threads = 1};

struct vectors : testing::TestWithParam<sf::dtype> {};

TEST_P(vectors, of_lengths_0_to_70) {
    for (data_class const which : classes_of(GetParam()))
        for (std::int64_t n = 0; n <= 70; n += sanitized ? 7 : 1) {
            effort const how = n % 5 == 0 ? effort::every_operation : effort::every_option;
            check_all_operations(generate(which, GetParam(), n, static_cast<std::uint64_t>(n)), one_thread, how);
        }
}

TEST_P(vectors, of_lengths_around_powers_of_two) {
    auto const classes = classes_of(GetParam());
    std::size_t turn = 0; // every class meets every power of two over the three lengths and a few rounds
    for (std::int64_t power = 128; power <= (sanitized ? 1 << 12 : 1 << 17); power *= 2)
        for (std::int64_t const n : {power - 1, power, power + 1})
            for (std::size_t k = 0; k < (power <= 4096 ? classes.size() : 3); ++k, ++turn)
                check_all_operations(generate(classes[turn % classes.size()], GetParam(), n, turn), one_thread,
                                     effort::one_pass);
}

TEST_P(vectors, at_every_vector_level) {
    at_every_level([](std::string const& level) {
        for (data_class const which : classes_of(GetParam()))
            for (std::int64_t const n : {15, 16, 17, 100, 4095, 4096, 4097, 9000}) {
                sample s = generate(which, GetParam(), n, 500);
                s.label += " level " + level;
                check_all_operations(s, one_thread, n == 100 ? effort::every_operation : effort::one_pass);
            }
    });
}

TEST_P(vectors, of_pairs) {
    if (sf::is_complex(GetParam())) GTEST_SKIP() << "dot takes real arrays";
    at_every_level([](std::string const& level) {
        for (int which = 0; which < pair_class_count; ++which)
            for (std::int64_t n = 0; n <= 9000; n = n < 40 ? n + 1 : n * 3 / 2 + 1) {
                sample_pair pair =
                    generate_pair(static_cast<pair_class>(which), GetParam(), n, static_cast<std::uint64_t>(n + 7));
                pair.x.label += " level " + level;
                check_dot(pair, one_thread);
            }
    });
}

std::string type_name(testing::TestParamInfo<sf::dtype> const& info) {
    return std::string(sf::name(info.param));
}

INSTANTIATE_TEST_SUITE_P(all, vectors,
                         testing::Values(sf::dtype::float64, sf::dtype::float32, sf::dtype::float16,
                                         sf::dtype::bfloat16, sf::dtype::int8, sf::dtype::int16, sf::dtype::int32,
                                         sf::dtype::int64, sf::dtype::uint8, sf::dtype::uint16, sf::dtype::uint32,
                                         sf::dtype::uint64, sf::dtype::complex64, sf::dtype::complex128),
                         type_name);

/// The whole program is meant to try no fewer vectors than this.
class enough_vectors final : public testing::Environment {
    void TearDown() override {
        std::printf("%lld vectors\n", static_cast<long long>(samples_checked()));
        if (sanitized || testing::GTEST_FLAG(filter) != "*") return;
        EXPECT_GE(samples_checked(), 10000);
    }
};
[[maybe_unused]] auto* const registered = testing::AddGlobalTestEnvironment(new enough_vectors);

} // namespace
