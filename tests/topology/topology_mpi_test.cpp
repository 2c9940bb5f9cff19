// Real ranks: every one must get the same whole.
#include "steadfold/mpi.hpp"
#include "steadfold/topology.hpp"

#include <gtest/gtest.h>
#include <mpi.h>
#include <numeric>
#include <vector>

namespace {

namespace sf = steadfold;

TEST(topology_mpi, every_rank_knows_all_ranks) {
    sf::communicator const world = sf::mpi::duplicate(MPI_COMM_WORLD);
    sf::topology const all = sf::discover_topology(world);
    int const size = world.size();
    ASSERT_EQ(all.ranks.size(), static_cast<std::size_t>(size));
    EXPECT_EQ(all.self, world.rank());
    EXPECT_EQ(all.here().rank, world.rank());
    EXPECT_EQ(all.domains().ranks, size);
    // mpirun on one machine: one host that holds all ranks.
    ASSERT_EQ(all.hosts.size(), 1u);
    std::vector<int> everyone(static_cast<std::size_t>(size));
    std::iota(everyone.begin(), everyone.end(), 0);
    EXPECT_EQ(all.hosts[0].ranks, everyone);
    EXPECT_EQ(all.here().local_rank, world.rank());
    EXPECT_EQ(all.here().local_rank_count, size);
}

} // namespace

int main(int argc, char** argv) {
    int level = 0;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
    testing::InitGoogleTest(&argc, argv);
    int const failed = RUN_ALL_TESTS();
    MPI_Finalize();
    return failed;
}
