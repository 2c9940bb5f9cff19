// The words ranks exchange: what comes out of their sum is the sum, by GMP, of what the ranks had.
#include "exact/big.hpp"
#include "reduce/message.hpp"
#include "support/oracle.hpp"

#include <cstring>
#include <gtest/gtest.h>
#include <vector>

namespace {

using namespace oracle;
namespace rd = steadfold::reduce_detail;
using ex::reduction_state;

/// What a state means: every exact number in it.
struct meaning {
    std::vector<mpz_class> sums;
    std::vector<std::int64_t> counts;
    friend bool operator==(meaning const&, meaning const&) = default;
};

meaning meaning_of(reduction_state const& state, sf::dtype type) {
    sf::dtype const real = sf::component_type(type);
    int const sums = ex::sum_layout(real).limbs, products = ex::product_layout(real).limbs;
    meaning m{{}, {state.elements}};
    for (ex::component_state const& c : state.component) {
        m.sums.push_back(value_of_limbs(c.sum, sums));
        m.sums.push_back(value_of_limbs(c.magnitudes, sums));
        m.sums.push_back(value_of_limbs(c.products, products));
        for (std::int64_t const count :
             {c.counts.nan, c.counts.infinite, c.counts.positive_infinity, c.counts.negative_infinity, c.counts.invalid,
              c.counts.zero, c.counts.not_negative_zero})
            m.counts.push_back(count);
    }
    return m;
}

void add(meaning& to, meaning const& other) {
    if (to.sums.empty()) {
        to = other;
        return;
    }
    for (std::size_t i = 0; i < to.sums.size(); ++i) to.sums[i] += other.sums[i];
    for (std::size_t i = 0; i < to.counts.size(); ++i) to.counts[i] += other.counts[i];
}

void fill_limbs(random_source& random, std::uint64_t* limbs, int count) {
    int const top = random.between(0, count - 1); // zeros above, as in most sums
    for (int i = 0; i < top; ++i)
        limbs[i] = random.between(0, 3) == 0 ? 0 - (random.bits() >> 1) : random.bits() >> random.between(1, 40);
    limbs[count - 1] = static_cast<std::uint64_t>(random.below(2'000'001) - 1'000'000); // the sign
}

/// Limbs as kernels leave them: of any size and sign.
reduction_state random_state(random_source& random, sf::dtype type) {
    sf::dtype const real = sf::component_type(type);
    reduction_state state;
    state.elements = random.below(std::int64_t{1} << 40);
    for (int c = 0; c < sf::component_count(type); ++c) {
        ex::component_state& part = state.component[c];
        fill_limbs(random, part.sum, ex::sum_layout(real).limbs);
        fill_limbs(random, part.magnitudes, ex::sum_layout(real).limbs);
        fill_limbs(random, part.products, ex::product_layout(real).limbs);
        for (std::int64_t* count :
             {&part.counts.nan, &part.counts.infinite, &part.counts.positive_infinity, &part.counts.negative_infinity,
              &part.counts.invalid, &part.counts.zero, &part.counts.not_negative_zero})
            *count = random.below(std::int64_t{1} << 40);
        part.fast_sum = random.gaussian();
        part.fast_magnitudes = random.gaussian();
        part.fast_products = random.gaussian();
    }
    state.component[0].extrema = {static_cast<std::int64_t>(random.bits()), random.below(INT64_MAX),
                                  static_cast<std::int64_t>(random.bits()), random.below(INT64_MAX),
                                  random.below(INT64_MAX)};
    state.bits = {random.bits(), random.bits(), random.bits()};
    for (int i = random.between(0, 5); i > 0; --i) state.product.multiply(random.bits() | 1, random.between(-99, 99));
    state.product.negative = random.coin();
    return state;
}

/// Every word by itself, in any order, as threads do it.
std::vector<std::int64_t> encoded(random_source& random, reduction_state const& state, sf::dtype type) {
    std::vector<int> order(rd::state_words);
    for (int i = 0; i < rd::state_words; ++i) order[static_cast<std::size_t>(i)] = i;
    for (std::size_t i = order.size(); i > 1; --i)
        std::swap(order[i - 1], order[static_cast<std::size_t>(random.below(static_cast<std::int64_t>(i)))]);
    std::vector<std::int64_t> words(order.size(), -1);
    for (int const i : order) words[static_cast<std::size_t>(i)] = rd::state_word(state, state.elements, type, i);
    return words;
}

reduction_state decoded(std::vector<std::int64_t> const& words) {
    reduction_state state;
    for (int i = 0; i < rd::state_words; ++i) rd::take_state_word(state, words[static_cast<std::size_t>(i)], i);
    return state;
}

struct message_of : testing::TestWithParam<sf::dtype> {};

TEST_P(message_of, one_rank_means_what_its_state_means) {
    random_source random{7};
    for (int i = 0; i < 200; ++i) {
        reduction_state const state = random_state(random, GetParam());
        reduction_state const got = decoded(encoded(random, state, GetParam()));
        ASSERT_EQ(meaning_of(got, GetParam()), meaning_of(state, GetParam()));
    }
}

TEST_P(message_of, several_ranks_sums_to_the_sum_of_their_states) {
    random_source random{8};
    for (int i = 0; i < 50; ++i) {
        std::vector<std::int64_t> total(rd::state_words);
        meaning expected;
        for (int ranks = random.between(2, 40); ranks > 0; --ranks) {
            reduction_state const state = random_state(random, GetParam());
            add(expected, meaning_of(state, GetParam()));
            auto const words = encoded(random, state, GetParam());
            for (std::size_t k = 0; k < words.size(); ++k) total[k] += words[k];
        }
        reduction_state got = decoded(total);
        ASSERT_EQ(meaning_of(got, GetParam()), expected);
        ex::normalise(got, GetParam());
        ASSERT_EQ(meaning_of(got, GetParam()), expected);
    }
}

TEST_P(message_of, normalised_digits_carries_them_as_they_are) {
    random_source random{9};
    for (int i = 0; i < 50; ++i) {
        reduction_state state = random_state(random, GetParam());
        ex::normalise(state, GetParam());
        reduction_state const got = decoded(encoded(random, state, GetParam()));
        for (int c = 0; c < 2; ++c) {
            ASSERT_EQ(std::memcmp(got.component[c].sum, state.component[c].sum, sizeof got.component[c].sum), 0);
            ASSERT_EQ(
                std::memcmp(got.component[c].products, state.component[c].products, sizeof got.component[c].products),
                0);
        }
    }
}

TEST_P(message_of, limbs_of_any_size_leaves_room_for_2_to_the_20_ranks) {
    sf::dtype const real = sf::component_type(GetParam());
    int const sums = ex::sum_layout(real).limbs, products = ex::product_layout(real).limbs;
    for (std::uint64_t const worst : {std::uint64_t{INT64_MAX}, std::uint64_t{1} << 63, ~std::uint64_t{0}}) {
        reduction_state state;
        for (ex::component_state& part : state.component) {
            for (int i = 0; i + 1 < sums; ++i) part.sum[i] = part.magnitudes[i] = worst;
            for (int i = 0; i + 1 < products; ++i) part.products[i] = worst;
        }
        for (int i = 1; i < rd::state_words; ++i) {
            std::int64_t const word = rd::state_word(state, 0, GetParam(), i);
            ASSERT_LT(word, std::int64_t{1} << 43);
            ASSERT_GT(word, -(std::int64_t{1} << 43));
        }
    }
}

INSTANTIATE_TEST_SUITE_P(types, message_of,
                         testing::Values(sf::dtype::float64, sf::dtype::float32, sf::dtype::float16,
                                         sf::dtype::bfloat16, sf::dtype::int64, sf::dtype::uint8, sf::dtype::complex64,
                                         sf::dtype::complex128),
                         [](auto const& info) { return std::string(sf::name(info.param)); });

TEST(message, slots_give_back_what_cannot_be_summed) {
    random_source random{10};
    for (int i = 0; i < 200; ++i) {
        reduction_state const state = random_state(random, sf::dtype::complex128);
        rd::state_slot const slot = rd::slot_of(state);
        std::vector<std::int64_t> const words(slot.word, slot.word + rd::slot_words);
        ex::extrema_state const e = rd::extrema_in(words.data()), &f = state.component[0].extrema;
        EXPECT_EQ(std::vector({e.min_key, e.min_index, e.max_key, e.max_index, e.first_nan}),
                  std::vector({f.min_key, f.min_index, f.max_key, f.max_index, f.first_nan}));
        for (int c = 0; c < 2; ++c) {
            EXPECT_EQ(rd::fast_in(words.data(), c, 0), state.component[c].fast_sum);
            EXPECT_EQ(rd::fast_in(words.data(), c, 1), state.component[c].fast_magnitudes);
            EXPECT_EQ(rd::fast_in(words.data(), c, 2), state.component[c].fast_products);
        }
        ex::bit_state const b = rd::bits_in(words.data());
        EXPECT_EQ(std::vector({b.all, b.any, b.odd}), std::vector({state.bits.all, state.bits.any, state.bits.odd}));
        ex::product_state const p = rd::product_in(words.data()), &q = state.product;
        EXPECT_EQ(std::vector({p.high, p.low}), std::vector({q.high, q.low}));
        EXPECT_EQ(p.exponent, q.exponent);
        EXPECT_EQ(p.negative, q.negative);
        EXPECT_EQ(p.inexact, q.inexact);
    }
}

TEST(message, ranks_agree_only_if_all_signatures_are_the_same) {
    constexpr std::int64_t top = (1 << 20) - 1;
    for (int const ranks : {1, 2, 3, 7, 1000, (1 << 20) - 1, 1 << 20})
        for (std::int64_t const h : {std::int64_t{0}, std::int64_t{1}, std::int64_t{12345}, top}) {
            EXPECT_TRUE(rd::ranks_agree(ranks * h, ranks * h * h, ranks));
            if (ranks == 1) continue;
            for (std::int64_t const other : {h ^ 1, h ^ (1 << 19), top - h}) {
                EXPECT_FALSE(rd::ranks_agree((ranks - 1) * h + other, (ranks - 1) * h * h + other * other, ranks));
                EXPECT_FALSE(rd::ranks_agree(h + (ranks - 1) * other, h * h + (ranks - 1) * other * other, ranks));
            }
        }
}

TEST(message, disagreement_gives_nan_and_0_for_integers_both_invalid) {
    EXPECT_EQ(rd::result_of_disagreement(sf::dtype::float64),
              (sf::result_value{sf::dtype::float64, {0x7ff8000000000000u, 0}, sf::status_flags::invalid}));
    EXPECT_EQ(rd::result_of_disagreement(sf::dtype::float16),
              (sf::result_value{sf::dtype::float16, {0x7e00, 0}, sf::status_flags::invalid}));
    EXPECT_EQ(rd::result_of_disagreement(sf::dtype::complex64),
              (sf::result_value{sf::dtype::complex64, {0x7fc00000, 0x7fc00000}, sf::status_flags::invalid}));
    EXPECT_EQ(rd::result_of_disagreement(sf::dtype::int64),
              (sf::result_value{sf::dtype::int64, {0, 0}, sf::status_flags::invalid}));
}

TEST(message, has_the_same_length_for_everything_and_a_slot_for_every_rank) {
    EXPECT_EQ(rd::message_words(0), 557);
    EXPECT_EQ(rd::message_words(8), 557 + 8 * 18);
}

} // namespace
