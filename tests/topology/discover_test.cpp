// Discovery on whatever machine this runs on.
#include "steadfold/partition.hpp"
#include "steadfold/topology.hpp"

#include <gtest/gtest.h>

namespace {

namespace sf = steadfold;

TEST(discover, finds_this_process_and_its_host) {
    sf::topology const here = sf::discover_topology();
    ASSERT_EQ(here.ranks.size(), 1u);
    ASSERT_EQ(here.hosts.size(), 1u);
    EXPECT_EQ(here.self, 0);
    sf::process_facts const& process = here.here().process;
    EXPECT_EQ(here.hosts[0].name, process.host.name);
    EXPECT_FALSE(process.host.name.empty());
    EXPECT_GT(process.host.memory_bytes, 0);
    EXPECT_GE(process.host.numa_nodes.size(), 1u);
    EXPECT_GE(process.allowed_cpus.size(), 1u);
    EXPECT_EQ(process.domains.at(0).device, sf::host_device);
    EXPECT_EQ(process.domains.at(0).sm_count, static_cast<int>(process.allowed_cpus.size()));
}

TEST(discover, either_finds_gpus_or_says_why_not) {
    sf::cuda_facts const cuda = sf::discover_topology().here().process.cuda;
    std::size_t const gpus = sf::discover_topology().here().process.gpus.size();
    EXPECT_EQ(gpus == 0, !cuda.unavailable.empty()) << cuda.unavailable;
}

TEST(discover, feeds_a_partition) {
    sf::topology const here = sf::discover_topology(sf::communicator(), {.policy = sf::device_policy::none});
    EXPECT_EQ(here.here().devices, std::vector<int>{sf::host_device});
    EXPECT_EQ(here.domains(), (sf::level_counts{1, 1, 1}));
    EXPECT_EQ(sf::block_partition({10, 10}, here.domains()).shard_range(0).count, 100);
}

} // namespace
