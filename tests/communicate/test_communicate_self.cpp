// One process without any transport, and how a failing transport poisons a communicator.
#include "base/patience.hpp"
#include "steadfold/communicator.hpp"
#include "steadfold/error.hpp"

#include <array>
#include <cstdint>
#include <cstring>
#include <gtest/gtest.h>
#include <string>

namespace {

using namespace std::chrono_literals;
namespace sf = steadfold;

/// A transport that fails as told and counts how often it is called.
struct failing_backend final : sf::communicator_backend {
    int calls = 0;
    bool late = true;

    int rank() const noexcept override { return 1; }
    int size() const noexcept override { return 2; }
    std::string_view transport() const noexcept override { return "failing"; }
    void all_reduce_sum(std::span<std::int64_t>, std::chrono::nanoseconds) override { fail(); }
    void all_gather(std::span<std::byte const>, std::span<std::byte>, std::chrono::nanoseconds) override { fail(); }
    void fail() {
        ++calls;
        if (late) throw sf::timeout_error("rank 0 is late");
        throw sf::library_error("the wire is cut");
    }
};

TEST(self, one_rank_is_its_own_world) {
    sf::communicator const alone;
    EXPECT_EQ(alone.rank(), 0);
    EXPECT_EQ(alone.size(), 1);
    EXPECT_EQ(alone.transport(), "self");
    EXPECT_FALSE(alone.poisoned());
    EXPECT_EQ(alone.deadline(), 5min);
    alone.barrier();
}

TEST(self, collectives_return_what_went_in) {
    sf::communicator const alone;
    std::array<std::int64_t, 3> words = {1, -2, INT64_MAX};
    alone.all_reduce_sum(words);
    EXPECT_EQ(words, (std::array<std::int64_t, 3>{1, -2, INT64_MAX}));
    std::array<std::int64_t, 3> copy{};
    alone.all_gather(std::as_bytes(std::span(words)), std::as_writable_bytes(std::span(copy)));
    EXPECT_EQ(copy, words);
    std::vector<std::size_t> lengths;
    auto const bytes = alone.all_gather_varying(std::as_bytes(std::span(words)), lengths);
    EXPECT_EQ(lengths, std::vector<std::size_t>{sizeof words});
    EXPECT_EQ(std::memcmp(bytes.data(), words.data(), sizeof words), 0);
    EXPECT_TRUE(alone.all_gather_varying({}, lengths).empty());
}

TEST(self, wrong_room_for_a_gather_is_an_argument_error) {
    sf::communicator const alone;
    std::array<std::byte, 4> mine{};
    std::array<std::byte, 5> all{};
    EXPECT_THROW(alone.all_gather(mine, all), sf::argument_error);
    EXPECT_FALSE(alone.poisoned());
}

TEST(deadline, is_shared_by_copies_and_must_be_positive) {
    sf::communicator one;
    sf::communicator const two = one;
    one.set_deadline(7s);
    EXPECT_EQ(two.deadline(), 7s);
    EXPECT_THROW(one.set_deadline(0ns), sf::argument_error);
    EXPECT_EQ(two.deadline(), 7s);
}

TEST(poisoning, a_timeout_ends_every_copy_and_the_transport_is_not_called_again) {
    auto const backend = std::make_shared<failing_backend>();
    sf::communicator const comm{backend}, copy = comm;
    EXPECT_THROW(comm.barrier(), sf::timeout_error);
    EXPECT_TRUE(copy.poisoned());
    try {
        copy.barrier();
        FAIL() << "a poisoned communicator accepted a call";
    } catch (sf::timeout_error const& e) {
        EXPECT_NE(std::string(e.what()).find("rank 0 is late"), std::string::npos);
    }
    std::array<std::byte, 1> mine{};
    std::array<std::byte, 2> all{};
    EXPECT_THROW(copy.all_gather(mine, all), sf::timeout_error);
    EXPECT_THROW(copy.all_reduce_sum({}), sf::timeout_error); // even with nothing to do
    EXPECT_EQ(backend->calls, 1);
}

TEST(poisoning, a_failing_library_poisons_too) {
    auto const backend = std::make_shared<failing_backend>();
    backend->late = false;
    sf::communicator const comm{backend};
    EXPECT_THROW(comm.barrier(), sf::library_error);
    EXPECT_TRUE(comm.poisoned());
    EXPECT_THROW(comm.barrier(), sf::timeout_error);
    EXPECT_EQ(backend->calls, 1);
}

TEST(poisoning, a_null_backend_is_refused) {
    EXPECT_THROW(sf::communicator{std::shared_ptr<sf::communicator_backend>{}}, sf::argument_error);
}

TEST(patience, ends_at_its_deadline) {
    sf::detail::patience patience(30ms);
    while (patience.wait()) {
    }
    EXPECT_TRUE(patience.sleeping());
    EXPECT_GE(patience.elapsed(), 30ms);
    EXPECT_LT(patience.elapsed(), 10s);
    sf::detail::patience endless(std::chrono::nanoseconds::max()); // no overflow
    EXPECT_TRUE(endless.wait());
}

} // namespace
