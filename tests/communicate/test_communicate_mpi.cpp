// Runs under mpirun with 1 to 4 ranks. Every rank runs the same tests in the same order.
#include "communicate/mpi_backend.hpp"
#include "steadfold/error.hpp"
#include "steadfold/mpi.hpp"

#include <cstdint>
#include <cstring>
#include <gtest/gtest.h>
#include <mpi.h>
#include <numeric>
#include <thread>
#include <vector>

namespace {

using namespace std::chrono_literals;
namespace sf = steadfold;

bool refused_before_init = false;

struct mpi : testing::Test {
    sf::communicator world = sf::mpi::duplicate(MPI_COMM_WORLD);
    int rank = world.rank(), size = world.size();
};

TEST_F(mpi, knows_its_ranks) {
    int expected_rank = -1, expected_size = -1;
    MPI_Comm_rank(MPI_COMM_WORLD, &expected_rank);
    MPI_Comm_size(MPI_COMM_WORLD, &expected_size);
    EXPECT_EQ(rank, expected_rank);
    EXPECT_EQ(size, expected_size);
    EXPECT_EQ(world.transport(), "mpi");
}

TEST_F(mpi, is_refused_before_init) {
    EXPECT_TRUE(refused_before_init);
}

TEST_F(mpi, bad_communicators_are_refused) {
    EXPECT_THROW((void)sf::mpi::duplicate(MPI_COMM_NULL), sf::argument_error);
    EXPECT_FALSE(sf::mpi::any_poisoned());
}

TEST_F(mpi, sums_wrap_modulo_2_to_64) {
    std::vector<std::int64_t> words = {INT64_MAX, INT64_MIN, -1, rank};
    world.all_reduce_sum(words);
    auto const n = static_cast<std::uint64_t>(size);
    EXPECT_EQ(static_cast<std::uint64_t>(words[0]), n * static_cast<std::uint64_t>(INT64_MAX));
    EXPECT_EQ(static_cast<std::uint64_t>(words[1]), n * static_cast<std::uint64_t>(INT64_MIN));
    EXPECT_EQ(words[2], -size);
    EXPECT_EQ(words[3], size * (size - 1) / 2);
}

TEST_F(mpi, gathers_in_rank_order) {
    std::vector<std::int32_t> const mine = {rank, -rank, 7};
    std::vector<std::int32_t> all(3 * static_cast<std::size_t>(size));
    world.all_gather(std::as_bytes(std::span(mine)), std::as_writable_bytes(std::span(all)));
    for (int r = 0; r < size; ++r) {
        auto const at = 3 * static_cast<std::size_t>(r);
        EXPECT_EQ(all[at], r);
        EXPECT_EQ(all[at + 1], -r);
        EXPECT_EQ(all[at + 2], 7);
    }
}

/// Bytes that tell rank and place.
std::vector<std::byte> pattern(int rank, std::size_t length) {
    std::vector<std::byte> bytes(length);
    for (std::size_t i = 0; i < length; ++i)
        bytes[i] = static_cast<std::byte>((i * 31 + i / 251) ^ static_cast<unsigned>(rank));
    return bytes;
}

TEST_F(mpi, gathers_blocks_of_any_length) {
    for (std::size_t const unit : {std::size_t{0}, std::size_t{1}, std::size_t{1000}, std::size_t{900'000}}) {
        auto const length = [&](int r) { return unit * static_cast<std::size_t>((r + 1) % 3); }; // rank 2 has none
        std::vector<std::size_t> lengths;
        auto const all = world.all_gather_varying(pattern(rank, length(rank)), lengths);
        ASSERT_EQ(lengths.size(), static_cast<std::size_t>(size));
        std::size_t at = 0;
        for (int r = 0; r < size; ++r) {
            ASSERT_EQ(lengths[static_cast<std::size_t>(r)], length(r));
            auto const expected = pattern(r, length(r));
            ASSERT_LE(at + expected.size(), all.size());
            EXPECT_TRUE(std::equal(expected.begin(), expected.end(), all.begin() + static_cast<std::ptrdiff_t>(at)));
            at += expected.size();
        }
        EXPECT_EQ(at, all.size());
    }
}

TEST_F(mpi, long_messages_travel_in_chunks) {
    sf::communicator const chunked{std::make_shared<sf::mpi::detail::mpi_backend>(MPI_COMM_WORLD, 1min, 24)};
    std::vector<std::int64_t> words(100);
    std::iota(words.begin(), words.end(), rank);
    chunked.all_reduce_sum(words);
    for (int i = 0; i < 100; ++i)
        EXPECT_EQ(words[static_cast<std::size_t>(i)], std::int64_t{size} * i + size * (size - 1) / 2);
    auto const mine = pattern(rank, 101);
    std::vector<std::byte> all(mine.size() * static_cast<std::size_t>(size));
    chunked.all_gather(mine, all);
    for (int r = 0; r < size; ++r)
        EXPECT_EQ(std::memcmp(all.data() + static_cast<std::size_t>(r) * mine.size(), pattern(r, 101).data(), 101), 0);
}

TEST_F(mpi, calls_from_another_thread_are_refused_when_funneled) {
    int level = 0;
    MPI_Query_thread(&level);
    ASSERT_EQ(level, MPI_THREAD_FUNNELED);
    bool refused = false;
    std::thread([&] {
        try {
            world.barrier();
        } catch (sf::argument_error const&) {
            refused = true;
        }
    }).join();
    EXPECT_TRUE(refused);
    EXPECT_FALSE(world.poisoned());
    world.barrier();
}

TEST_F(mpi, communicators_do_not_mix) {
    sf::communicator const other = sf::mpi::duplicate(MPI_COMM_WORLD);
    std::int64_t one = 1, two = 2;
    world.all_reduce_sum({&one, 1});
    other.all_reduce_sum({&two, 1});
    EXPECT_EQ(one, size);
    EXPECT_EQ(two, 2 * size);
}

TEST_F(mpi, sub_communicators_have_their_own_ranks) {
    MPI_Comm half = MPI_COMM_NULL;
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
    {
        sf::communicator const mine = sf::mpi::duplicate(half);
        MPI_Comm_free(&half); // ours is a duplicate
        std::int64_t one = 1;
        mine.all_reduce_sum({&one, 1});
        EXPECT_EQ(one, (size + 1 - rank % 2) / 2);
        EXPECT_EQ(mine.rank(), rank / 2);
    }
}

// The last test: afterwards this process is poisoned.
TEST_F(mpi, zz_a_late_rank_costs_the_others_their_deadline_and_is_named) {
    if (size < 2) GTEST_SKIP() << "one rank cannot be late";
    sf::communicator other = sf::mpi::duplicate(MPI_COMM_WORLD);
    int const late = size - 1;
    if (rank == late) {
        std::this_thread::sleep_for(4s);
        std::int64_t word = 1;
        world.all_reduce_sum({&word, 1}); // lets the requests that the others left behind complete
    } else {
        world.set_deadline(1s);
        auto const start = std::chrono::steady_clock::now();
        try {
            world.barrier();
            ADD_FAILURE() << "the barrier did not wait for rank " << late;
        } catch (sf::timeout_error const& e) {
            std::string const text = e.what();
            EXPECT_NE(text.find("all_reduce_sum"), std::string::npos) << text;
            EXPECT_NE(text.find("no sign that rank " + std::to_string(late) + " arrived"), std::string::npos) << text;
        }
        auto const waited = std::chrono::steady_clock::now() - start;
        EXPECT_GE(waited, 1s);
        EXPECT_LT(waited, 3500ms);
        EXPECT_TRUE(world.poisoned());
        EXPECT_TRUE(sf::mpi::any_poisoned());
        EXPECT_THROW(world.barrier(), sf::timeout_error);
    }
    std::int64_t one = 1; // another communicator has its own traffic and its own deadline
    other.all_reduce_sum({&one, 1});
    EXPECT_EQ(one, size);
}

} // namespace

int main(int argc, char** argv) {
    try {
        (void)sf::mpi::duplicate(MPI_COMM_WORLD);
    } catch (sf::argument_error const&) {
        refused_before_init = true;
    }
    int level = 0;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
    testing::InitGoogleTest(&argc, argv);
    int failed = RUN_ALL_TESTS();
    MPI_Allreduce(MPI_IN_PLACE, &failed, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    MPI_Finalize();
    try {
        (void)sf::mpi::duplicate(MPI_COMM_WORLD);
        failed = 1;
    } catch (sf::argument_error const&) {
    }
    return failed;
}
