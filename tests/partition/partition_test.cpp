// The oracle is counting: sizes are summed and every index is visited, without using the formulas under test.
#include "steadfold/error.hpp"
#include "steadfold/partition.hpp"

#include <gtest/gtest.h>
#include <random>
#include <string>
#include <type_traits>
#include <vector>

namespace {

namespace sf = steadfold;
using sf::index_range;

static_assert(std::is_trivially_copyable_v<sf::partition>);
static_assert(sizeof(sf::partition) <= 64);
static_assert(sf::block_partition({7, 3}, {2, 1, 1}).rank_range(0) == index_range{0, 11});
static_assert(sf::block_partition({7, 3}, {2, 1, 1}).rank_range(1) == index_range{11, 10});

std::string message_of(std::vector<std::int64_t> const& extents, sf::level_counts levels = {}) {
    try {
        (void)sf::block_partition(extents, levels);
    } catch (sf::argument_error const& e) {
        return e.what();
    }
    return "no error";
}

/// Ranges must follow one another without gap or overlap and differ in size by at most one, larger ones first.
void expect_even_cut(index_range whole, std::vector<index_range> const& pieces) {
    std::int64_t next = whole.first, previous = pieces.front().count;
    for (index_range const& piece : pieces) {
        ASSERT_EQ(piece.first, next);
        ASSERT_LE(piece.count, previous);
        ASSERT_LE(pieces.front().count - piece.count, 1);
        next = piece.first + piece.count;
        previous = piece.count;
    }
    ASSERT_EQ(next, whole.first + whole.count);
}

void expect_every_level_cut_evenly(sf::partition const& p) {
    std::vector<index_range> ranks;
    for (int r = 0; r < p.rank_count(); ++r) {
        ranks.push_back(p.rank_range(r));
        std::vector<index_range> devices;
        for (int d = 0; d < p.device_count(); ++d) {
            devices.push_back(p.device_range(r, d));
            std::vector<index_range> domains;
            for (int m = 0; m < p.domain_count(); ++m) domains.push_back(p.shard_range(r, d, m));
            expect_even_cut(devices.back(), domains);
        }
        expect_even_cut(ranks.back(), devices);
    }
    expect_even_cut({0, p.size()}, ranks);
}

void expect_round_trip(sf::partition const& p, std::int64_t global) {
    sf::shard_position const at = p.locate(global);
    index_range const owner = p.shard_range(at.rank, at.device, at.domain);
    ASSERT_GE(at.local, 0);
    ASSERT_LT(at.local, owner.count);
    ASSERT_EQ(owner.first + at.local, global);
    ASSERT_EQ(p.global_index(at), global);
    std::int64_t const shard = p.shard_number(at.rank, at.device, at.domain);
    ASSERT_EQ(p.global_index(shard, at.local), global);
    sf::coordinates const xyz = p.to_coordinates(global);
    for (int axis = 0; axis < p.dimensions(); ++axis) {
        ASSERT_GE(xyz[axis], 0);
        ASSERT_LT(xyz[axis], p.extent(axis));
    }
    ASSERT_EQ(p.to_linear(xyz), global);
}

TEST(partition, every_index_is_owned_once_for_random_shapes) {
    std::mt19937_64 random(1);
    auto const upto = [&](int n) { return static_cast<int>(random() % static_cast<std::uint64_t>(n)) + 1; };
    for (int trial = 0; trial < 400; ++trial) {
        std::vector<std::int64_t> extents(static_cast<std::size_t>(upto(4)));
        for (auto& extent : extents) extent = upto(9);
        if (trial % 10 == 0) extents.back() = 0;
        sf::partition const p = sf::block_partition(extents, {upto(7), upto(4), upto(3)});
        ASSERT_NO_FATAL_FAILURE(expect_every_level_cut_evenly(p));
        std::vector<int> owners(static_cast<std::size_t>(p.size()), 0);
        for (std::int64_t shard = 0; shard < p.shard_count(); ++shard) {
            index_range const range = p.shard_range(shard);
            for (std::int64_t i = range.first; i < range.last(); ++i) ++owners[static_cast<std::size_t>(i)];
        }
        for (std::int64_t i = 0; i < p.size(); ++i) {
            ASSERT_EQ(owners[static_cast<std::size_t>(i)], 1);
            ASSERT_NO_FATAL_FAILURE(expect_round_trip(p, i));
        }
    }
}

TEST(partition, coordinates_count_like_nested_loops) {
    sf::partition const p = sf::block_partition({3, 1, 5, 2});
    std::int64_t linear = 0;
    for (std::int64_t a = 0; a < 3; ++a)
        for (std::int64_t c = 0; c < 5; ++c)
            for (std::int64_t d = 0; d < 2; ++d, ++linear) {
                EXPECT_EQ(p.to_coordinates(linear), (sf::coordinates{{a, 0, c, d}}));
                EXPECT_EQ(p.to_linear({{a, 0, c, d}}), linear);
            }
    EXPECT_EQ(linear, p.size());
}

TEST(partition, huge_and_prime_extents_round_trip) {
    std::vector<std::vector<std::int64_t>> const shapes = {{std::int64_t{1} << 62},
                                                           {INT64_MAX},
                                                           {4294967311, 1000000007},
                                                           {1, 4294967311, 1, 1},
                                                           {65537, 65539, 1021, 7},
                                                           {std::int64_t{1} << 33, std::int64_t{1} << 29},
                                                           {std::int64_t{1} << 31, 1, std::int64_t{1} << 31}};
    std::mt19937_64 random(2);
    for (auto const& extents : shapes) {
        sf::partition const p = sf::block_partition(extents, {31, 7, 3});
        ASSERT_NO_FATAL_FAILURE(expect_every_level_cut_evenly(p));
        ASSERT_NO_FATAL_FAILURE(expect_round_trip(p, 0));
        ASSERT_NO_FATAL_FAILURE(expect_round_trip(p, p.size() - 1));
        for (int trial = 0; trial < 1000; ++trial) {
            auto const global = static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(p.size()));
            ASSERT_NO_FATAL_FAILURE(expect_round_trip(p, global));
        }
    }
}

TEST(partition, both_sides_of_every_cut_belong_to_neighbouring_shards) {
    sf::partition const p = sf::block_partition({4294967311, 3}, {5, 3, 2});
    for (std::int64_t shard = 0; shard < p.shard_count(); ++shard) {
        index_range const range = p.shard_range(shard);
        for (std::int64_t const global : {range.first, range.last() - 1}) {
            sf::shard_position const at = p.locate(global);
            EXPECT_EQ(p.shard_number(at.rank, at.device, at.domain), shard);
        }
    }
}

TEST(partition, more_shards_than_indices_leaves_the_last_empty) {
    sf::partition const p = sf::block_partition({3}, {2, 4, 2});
    ASSERT_NO_FATAL_FAILURE(expect_every_level_cut_evenly(p));
    EXPECT_EQ(p.shard_count(), 16);
    EXPECT_EQ(p.shard_range(0, 0, 0).count, 1);
    EXPECT_EQ(p.shard_range(0, 0, 1).count, 0);
    EXPECT_EQ(p.shard_range(1, 3, 1), (index_range{3, 0}));
}

TEST(partition, the_most_ranks_an_int_can_count) {
    sf::partition const p = sf::block_partition({INT64_MAX}, {INT32_MAX, 2, 1});
    EXPECT_EQ(p.shard_range(p.shard_count() - 1).last(), INT64_MAX);
    ASSERT_NO_FATAL_FAILURE(expect_round_trip(p, INT64_MAX - 1));
}

TEST(partition, shard_numbers_run_over_domains_first) {
    sf::partition const p = sf::block_partition({100}, {3, 2, 4});
    EXPECT_EQ(p.shard_number(0, 0, 1), 1);
    EXPECT_EQ(p.shard_number(0, 1, 0), 4);
    EXPECT_EQ(p.shard_number(1, 0, 0), 8);
    for (std::int64_t shard = 0; shard < p.shard_count(); ++shard) {
        sf::shard_position const at = p.shard_at(shard);
        EXPECT_EQ(p.shard_number(at.rank, at.device, at.domain), shard);
    }
}

TEST(partition, the_default_is_empty) {
    EXPECT_EQ(sf::partition{}.size(), 0);
    EXPECT_EQ(sf::partition{}.shard_range(0).count, 0);
    EXPECT_EQ(sf::partition{}, sf::block_partition({0}));
}

TEST(partition, a_zero_extent_is_legal_beside_huge_ones) {
    std::int64_t const huge = std::int64_t{1} << 62;
    EXPECT_EQ(sf::block_partition({huge, huge, 0}).size(), 0);
    EXPECT_EQ(sf::block_partition({0, huge, huge}, {4, 2, 2}).shard_range(15), (index_range{0, 0}));
}

TEST(partition, bad_arguments_are_named) {
    EXPECT_EQ(message_of({}), "a partition has 1 to 4 extents, not 0: {}");
    EXPECT_EQ(message_of({1, 1, 1, 1, 1}), "a partition has 1 to 4 extents, not 5: {1, 1, 1, 1, 1}");
    EXPECT_EQ(message_of({4, -2}), "negative extent -2 in {4, -2}");
    EXPECT_EQ(message_of({4294967296, 2147483648}),
              "the product of the extents {4294967296, 2147483648} does not fit in 63 bits");
    EXPECT_EQ(message_of({4294967296, 4294967296}), // 0 modulo 2^64
              "the product of the extents {4294967296, 4294967296} does not fit in 63 bits");
    EXPECT_EQ(message_of({INT64_MAX, 2}),
              "the product of the extents {9223372036854775807, 2} does not fit in 63 bits");
    EXPECT_NE(message_of({4}, {0, 1, 1}).find("= {0, 1, 1} must each be at least 1"), std::string::npos);
    EXPECT_NE(message_of({4}, {INT32_MAX, INT32_MAX, 3}).find("must fit in 63 bits"), std::string::npos);
}

} // namespace
