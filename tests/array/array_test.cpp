#include "steadfold/array.hpp"
#include "steadfold/error.hpp"

#include <cstdint>
#include <gtest/gtest.h>
#include <numeric>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace {

namespace sf = steadfold;

static_assert(!std::is_copy_constructible_v<sf::array<double>>);
static_assert(std::is_nothrow_move_constructible_v<sf::array<double>>);
static_assert(std::is_nothrow_move_assignable_v<sf::array<double>>);
static_assert(std::is_trivially_copyable_v<sf::shard<double>>);

template <class Make>
std::string message_of(Make make) {
    try {
        (void)make();
    } catch (sf::error const& e) {
        return e.what();
    }
    return "no error";
}

TEST(array, shards_cover_the_range_of_the_rank_in_order) {
    sf::partition const layout = sf::block_partition({11, 7}, {3, 2, 2});
    for (int rank = 0; rank < 3; ++rank) {
        sf::array<float> a(layout, rank);
        ASSERT_EQ(a.shards().size(), 4u);
        std::int64_t next = layout.rank_range(rank).first;
        for (auto const& shard : a.shards()) {
            EXPECT_EQ(shard.range.first, next);
            EXPECT_EQ(shard.data.size(), shard.range.count);
            EXPECT_EQ(shard.range, layout.shard_range(rank, shard.device, shard.domain));
            EXPECT_EQ(shard.location, sf::memory_location());
            EXPECT_EQ(reinterpret_cast<std::uintptr_t>(shard.data.data()) % 64, 0u);
            next = shard.range.last();
        }
        EXPECT_EQ(next, layout.rank_range(rank).last());
        EXPECT_EQ(a.local_size(), layout.rank_range(rank).count);
    }
}

TEST(array, values_come_back_in_global_order) {
    sf::partition const layout = sf::block_partition({101}, {2, 3, 2});
    sf::array<std::int32_t> a(layout, 1, {sf::host_device, sf::host_device, sf::host_device});
    std::vector<std::int32_t> values(static_cast<std::size_t>(a.local_size()));
    std::iota(values.begin(), values.end(), 500);
    a.copy_from_host(values);
    for (auto const& shard : std::as_const(a).shards()) {
        for (std::int64_t i = 0; i < shard.data.size(); ++i) {
            EXPECT_EQ(shard.data.data()[i], 500 + (shard.range.first - a.range().first) + i);
        }
    }
    std::vector<std::int32_t> back(values.size());
    a.copy_to_host(back);
    EXPECT_EQ(back, values);
}

TEST(array, empty_shards_are_null_and_legal) {
    sf::array<double> a(sf::block_partition({3}, {2, 4, 1}), 1);
    ASSERT_EQ(a.shards().size(), 4u);
    EXPECT_NE(a.shards()[0].data.data(), nullptr);
    for (std::size_t i = 1; i < 4; ++i) EXPECT_EQ(a.shards()[i].data.data(), nullptr);
    std::vector<double> one{42};
    a.copy_from_host(one);
    EXPECT_EQ(a.shards()[0].data.data()[0], 42);

    sf::array<double> nothing(sf::block_partition({0, 5}));
    EXPECT_EQ(nothing.local_size(), 0);
    nothing.copy_from_host({});
    nothing.copy_to_host({});
}

TEST(array, a_moved_from_array_is_empty) {
    sf::array<double> a(sf::block_partition({8}));
    double const* const memory = a.shards()[0].data.data();
    sf::array<double> b = std::move(a);
    EXPECT_EQ(b.shards()[0].data.data(), memory);
    EXPECT_TRUE(a.shards().empty()); // NOLINT: the state after a move is documented
    EXPECT_EQ(a.local_size(), 0);
    a = std::move(b);
    EXPECT_EQ(a.shards()[0].data.data(), memory);
    EXPECT_EQ(a.layout(), sf::block_partition({8}));
}

TEST(array, bad_arguments_are_named) {
    sf::partition const layout = sf::block_partition({8}, {2, 2, 1});
    EXPECT_EQ(message_of([&] { return sf::array<double>(layout, 2); }),
              "rank 2 is not among the 2 rank(s) of the partition");
    EXPECT_EQ(message_of([&] { return sf::array<double>(layout, -1); }),
              "rank -1 is not among the 2 rank(s) of the partition");
    EXPECT_EQ(message_of([&] { return sf::array<double>(layout, 0, {sf::host_device}); }),
              "the partition has 2 device(s) per rank, but 1 were named");
    EXPECT_NE(message_of([&] {
                  return sf::array<double>(layout, 0, {sf::host_device, 4321});
              }).find("there is no device 4321: this"),
              std::string::npos);
    EXPECT_NE(message_of([&] {
                  return sf::array<double>(layout, 0, {-2, 0});
              }).find("there is no device -2"),
              std::string::npos);
}

TEST(array, copies_of_the_wrong_length_are_refused) {
    sf::array<double> a(sf::block_partition({8}));
    std::vector<double> seven(7), nine(9);
    EXPECT_EQ(message_of([&] {
                  a.copy_from_host(seven);
                  return 0;
              }),
              "this rank's part of the array has 8 elements, but the host memory to copy has 7");
    EXPECT_THROW(a.copy_to_host(nine), sf::argument_error);
}

TEST(array, impossible_sizes_are_errors_not_crashes) {
    EXPECT_NE(
        message_of([] { return sf::array<double>(sf::block_partition({INT64_MAX})); }).find("does not fit in 63 bits"),
        std::string::npos);
#if !defined(__SANITIZE_ADDRESS__) // it ends the process instead of returning null
    EXPECT_NE(
        message_of([] { return sf::array<double>(sf::block_partition({INT64_MAX / 16})); }).find("cannot allocate"),
        std::string::npos);
#endif
}

} // namespace
