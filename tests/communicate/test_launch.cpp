// A program's start, alone and under mpirun. The launcher decides which: see app_environment.
#include "launch.hpp"

#include <cstdint>
#include <cstdlib>
#include <gtest/gtest.h>
#include <vector>
#ifdef STEADFOLD_TEST_MPI
#include <mpi.h>
#endif

namespace {

namespace sf = steadfold;
sf::app::app_environment* environment = nullptr;

TEST(launch, world_is_what_the_launcher_started) {
    char const* ranks = std::getenv("OMPI_COMM_WORLD_SIZE");
    EXPECT_EQ(environment->world().size(), ranks ? std::atoi(ranks) : 1);
    EXPECT_EQ(environment->world().transport(), ranks ? "mpi" : "self");
    environment->world().barrier();
}

TEST(launch, local_ranks_of_one_host_are_numbered_from_zero) {
    auto const& world = environment->world();
    EXPECT_EQ(environment->local_ranks(), world.size()); // these tests run on one host
    std::vector<std::int64_t> seen(static_cast<std::size_t>(world.size()), 0);
    seen.at(static_cast<std::size_t>(environment->local_rank())) = 1;
    world.all_reduce_sum(seen);
    for (auto const count : seen) EXPECT_EQ(count, 1);
}

#ifdef STEADFOLD_TEST_MPI
TEST(launch, mpi_is_not_touched_without_a_launcher) {
    int initialised = -1;
    MPI_Initialized(&initialised);
    EXPECT_EQ(initialised != 0, std::getenv("OMPI_COMM_WORLD_SIZE") != nullptr);
}
#endif

} // namespace

int main(int argc, char** argv) {
    sf::app::app_environment here(argc, argv);
    environment = &here;
    testing::InitGoogleTest(&argc, argv);
    return RUN_ALL_TESTS();
}
