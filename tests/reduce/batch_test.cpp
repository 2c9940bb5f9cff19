// Several reductions at once give the results of each alone, with one message.
#include "steadfold/batch.hpp"
#include "steadfold/error.hpp"
#include "support/check.hpp"
#include "support/oracle_factors.hpp"

#include <cstring>
#include <gtest/gtest.h>
#include <memory>

namespace {

using namespace oracle;
using sf::operation;

/// Answers as if all ranks had sent what this one sent, but for the first word: a rank that adds `odd` to it disagrees.
struct equal_ranks : sf::communicator_backend {
    equal_ranks(int count, std::int64_t odd) : count_{count}, odd_{odd} {}
    int rank() const noexcept override { return 0; }
    int size() const noexcept override { return count_; }
    std::string_view transport() const noexcept override { return "equal ranks"; }
    void all_reduce_sum(std::span<std::int64_t> words, std::chrono::nanoseconds) override {
        ++reductions;
        lengths.push_back(words.size());
        for (std::int64_t& word : words)
            word = static_cast<std::int64_t>(static_cast<std::uint64_t>(word) * static_cast<std::uint64_t>(count_));
        words[0] += odd_;
    }
    void all_gather(std::span<std::byte const> mine, std::span<std::byte> all, std::chrono::nanoseconds) override {
        ++gathers;
        for (int r = 0; r < count_; ++r)
            std::memcpy(all.data() + static_cast<std::size_t>(r) * mine.size(), mine.data(), mine.size());
    }
    int reductions = 0, gathers = 0;
    std::vector<std::size_t> lengths;

  private:
    int count_;
    std::int64_t odd_;
};

struct data {
    std::vector<sample> samples;
    sample_pair pair = generate_pair(pair_class::independent, sf::dtype::float64, 700, 41);
    std::vector<sf::batch_item> items;

    explicit data(std::size_t count) {
        for (std::size_t i = 0; i + 1 < count; ++i) {
            auto const type = static_cast<sf::dtype>(i % sf::dtype_count);
            auto const classes = classes_of(type);
            samples.push_back(generate(classes[i % classes.size()], type, static_cast<std::int64_t>(97 * i), i));
        }
        for (sample const& s : samples)
            items.push_back(
                {.x = s.view(), .operations = operations_of(s.type) | factor_operations_of(s.type), .first_index = 3});
        items.push_back({.x = pair.x.view(), .operations = operation::dot, .y = pair.y.view()});
    }
};

void expect_each_alone(sf::communicator const& world, data const& d) {
    auto const got = sf::reduce(world, d.items);
    ASSERT_EQ(got.size(), d.items.size());
    for (std::size_t i = 0; i < d.samples.size(); ++i) {
        sf::batch_item const& item = d.items[i];
        EXPECT_EQ(got[i], sf::reduce(world, item.x, item.operations, item.options, item.first_index))
            << d.samples[i].label;
    }
    EXPECT_EQ(got.back()[operation::dot], sf::dot(world, d.pair.x.view(), d.pair.y.view()));
}

TEST(batch, gives_what_each_reduction_gives_alone) {
    for (std::size_t const count : {1u, 2u, 8u, 9u, 20u})
        for (int const ranks : {1, 3}) {
            data const d{count};
            expect_each_alone(
                ranks == 1 ? sf::communicator{} : sf::communicator{std::make_shared<equal_ranks>(ranks, 0)}, d);
        }
    EXPECT_TRUE(sf::reduce({}, std::span<sf::batch_item const>{}).empty());
}

TEST(batch, takes_one_message_of_fixed_length_for_eight_items) {
    std::size_t length = 0;
    for (std::size_t const count : {1u, 5u, 8u, 9u}) {
        data const d{count};
        auto const backend = std::make_shared<equal_ranks>(4, 0);
        (void)sf::reduce(sf::communicator{backend}, d.items);
        EXPECT_EQ(backend->reductions, count > 8 ? 2 : 1);
        EXPECT_EQ(backend->gathers, count > 1 ? 1 : 0);
        for (std::size_t const words : backend->lengths) {
            EXPECT_TRUE(length == 0 || words == length) << "ranks that disagree must still meet in one call";
            length = words;
        }
    }
}

TEST(batch, of_ranks_that_disagree_is_an_error_before_a_second_message) {
    data const d{20};
    auto const backend = std::make_shared<equal_ranks>(4, 1);
    EXPECT_THROW((void)sf::reduce(sf::communicator{backend}, d.items), sf::mismatch_error);
    EXPECT_EQ(backend->reductions, 1);
    EXPECT_EQ(backend->gathers, 0);
}

TEST(batch, finds_bad_arguments_before_any_work) {
    data d{3};
    d.items.back().y.count = 5;
    EXPECT_THROW((void)sf::reduce({}, d.items), sf::argument_error);
    d.items.back().y.count = 700;
    d.items.front().first_index = -1;
    EXPECT_THROW((void)sf::reduce({}, d.items), sf::argument_error);
    d.items.front().first_index = 0;
    d.items[1].y = d.items[1].x; // it takes one array
    EXPECT_THROW((void)sf::reduce({}, d.items), sf::argument_error);
}

} // namespace
