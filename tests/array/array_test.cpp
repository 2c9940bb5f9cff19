#include "array/host_memory.hpp"
#include "base/thread_pool.hpp"
#include "steadfold/array.hpp"
#include "steadfold/error.hpp"

#include <cstdint>
#include <gtest/gtest.h>
#include <map>
#include <mutex>
#include <numeric>
#include <string>
#include <sys/mman.h>
#include <thread>
#include <type_traits>
#include <unistd.h>
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

// Memory that nobody has touched has no pages yet, and would get them on the node of the thread that fills the array.
TEST(array, pages_of_large_host_memory_are_there_when_it_is_made) {
    std::int64_t const n = 3'000'000;
    sf::array<double> const a(sf::block_partition({n}));
    auto const* const data = reinterpret_cast<std::byte const*>(a.shards()[0].data.data());
    std::size_t const page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    std::size_t const into_page = reinterpret_cast<std::uintptr_t>(data) % page;
    std::size_t const bytes = static_cast<std::size_t>(n) * sizeof(double) + into_page;
    std::vector<unsigned char> resident((bytes + page - 1) / page);
    ASSERT_EQ(mincore(const_cast<std::byte*>(data - into_page), bytes, resident.data()), 0);
    for (unsigned char const state : resident) ASSERT_EQ(state & 1, 1);
}

TEST(array, host_memory_is_divided_among_threads_as_a_reduction_is) {
    std::map<std::thread::id, std::vector<sf::index_range>> seen;
    std::mutex mutex;
    auto const note = [&](sf::index_range range) {
        std::lock_guard const lock{mutex};
        seen[std::this_thread::get_id()].push_back(range);
    };
    std::int64_t const n = 10'000'001;
    sf::detail::on_reducing_threads(n, sizeof(double), note);
    int const threads = sf::base::useful_threads(n, sf::base::allowed_cpu_count());
    EXPECT_EQ(seen.size(), static_cast<std::size_t>(threads));
    EXPECT_EQ(seen[std::this_thread::get_id()], std::vector{sf::block_range(n, threads, 0)});
    std::int64_t together = 0;
    for (auto const& [thread, ranges] : seen) together += ranges.at(0).count;
    EXPECT_EQ(together, n);
    seen.clear();
    sf::detail::on_reducing_threads(1000, sizeof(double), note);
    EXPECT_EQ(seen[std::this_thread::get_id()], (std::vector{sf::index_range{0, 1000}}));
}

TEST(array, values_come_back_where_several_threads_copy_them) {
    std::vector<std::int32_t> values(5'000'003), back(values.size());
    std::iota(values.begin(), values.end(), -7);
    sf::array<std::int32_t> a(sf::block_partition({static_cast<std::int64_t>(values.size())}));
    a.copy_from_host(sf::view<std::int32_t const>(values));
    a.copy_to_host(sf::view<std::int32_t>(back));
    EXPECT_EQ(back, values);
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
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) // they end the process instead of returning null
    EXPECT_NE(
        message_of([] { return sf::array<double>(sf::block_partition({INT64_MAX / 16})); }).find("cannot allocate"),
        std::string::npos);
#endif
}

} // namespace
