// One GPU a rank, under mpirun. Skipped (77) where there are fewer GPUs than ranks.
#include "steadfold/error.hpp"
#include "steadfold/mpi.hpp"
#include "steadfold/nccl.hpp"

#include <cstdint>
#include <cuda_runtime_api.h>
#include <gtest/gtest.h>
#include <mpi.h>
#include <numeric>
#include <thread>
#include <vector>

namespace {

using namespace std::chrono_literals;
namespace sf = steadfold;

struct nccl : testing::Test {
    sf::communicator world = sf::mpi::duplicate(MPI_COMM_WORLD);
    int rank = world.rank(), size = world.size();
};

TEST_F(nccl, a_device_that_does_not_exist_is_not_available) {
    EXPECT_FALSE(sf::nccl::available(world, rank == size - 1 ? 1000 : rank));
    EXPECT_THROW((void)sf::nccl::create(world, -1), sf::argument_error);
}

TEST_F(nccl, ranks_that_share_a_gpu_are_refused) {
    EXPECT_EQ(sf::nccl::available(world, 0), size == 1);
    if (size > 1) {
        EXPECT_THROW((void)sf::nccl::create(world, 0), sf::argument_error);
    }
}

TEST_F(nccl, sums_gathers_and_leaves_the_current_device_alone) {
    ASSERT_EQ(cudaSetDevice(0), cudaSuccess);
    sf::communicator const gpus = sf::nccl::create(world, rank);
    EXPECT_EQ(gpus.transport(), "nccl");
    EXPECT_EQ(gpus.rank(), rank);
    EXPECT_EQ(gpus.size(), size);

    std::vector<std::int64_t> words = {INT64_MAX, -1, rank};
    gpus.all_reduce_sum(words);
    EXPECT_EQ(static_cast<std::uint64_t>(words[0]), static_cast<std::uint64_t>(size) * std::uint64_t{INT64_MAX});
    EXPECT_EQ(words[1], -size);
    EXPECT_EQ(words[2], size * (size - 1) / 2);

    std::vector<std::int64_t> const mine(200'001, rank); // longer than the staging buffer, and odd
    std::vector<std::int64_t> all(mine.size() * static_cast<std::size_t>(size)), sum = mine;
    gpus.all_gather(std::as_bytes(std::span(mine)), std::as_writable_bytes(std::span(all)));
    for (std::size_t i = 0; i < all.size(); ++i) ASSERT_EQ(all[i], static_cast<std::int64_t>(i / mine.size()));
    gpus.all_reduce_sum(sum);
    for (auto const word : sum) ASSERT_EQ(word, size * (size - 1) / 2);

    std::vector<std::size_t> lengths;
    auto const bytes = gpus.all_gather_varying(std::vector<std::byte>(static_cast<std::size_t>(rank)), lengths);
    EXPECT_EQ(bytes.size(), static_cast<std::size_t>(size * (size - 1) / 2));
    int device = -1;
    ASSERT_EQ(cudaGetDevice(&device), cudaSuccess);
    EXPECT_EQ(device, 0);
}

TEST_F(nccl, a_late_rank_costs_the_others_their_deadline) {
    if (size < 2) GTEST_SKIP() << "one rank cannot be late";
    sf::communicator gpus = sf::nccl::create(world, rank);
    gpus.barrier();
    if (rank == size - 1) {
        std::this_thread::sleep_for(2s);
    } else {
        gpus.set_deadline(500ms);
        auto const start = std::chrono::steady_clock::now();
        EXPECT_THROW(gpus.barrier(), sf::timeout_error);
        EXPECT_LT(std::chrono::steady_clock::now() - start, 5s); // aborting takes NCCL a moment
        EXPECT_TRUE(gpus.poisoned());
        EXPECT_THROW(gpus.barrier(), sf::timeout_error);
    }
    world.barrier(); // MPI is as healthy as before
}

} // namespace

int main(int argc, char** argv) {
    int level = 0;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
    testing::InitGoogleTest(&argc, argv);
    int failed = 77;
    {
        sf::communicator const world = sf::mpi::duplicate(MPI_COMM_WORLD);
        if (sf::nccl::available(world, world.rank())) {
            failed = RUN_ALL_TESTS();
            MPI_Allreduce(MPI_IN_PLACE, &failed, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
        } else if (world.rank() == 0) {
            std::printf("skipped: fewer GPUs than ranks (%d)\n", world.size());
        }
    }
    MPI_Finalize();
    return failed;
}
