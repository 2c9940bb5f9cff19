// The facts against direct questions to CUDA.
#include "base/current_device.hpp"
#include "steadfold/topology.hpp"
#include "topology/driver_table.hpp"

#include <cuda_runtime_api.h>
#include <gtest/gtest.h>
#include <set>
#include <string>

namespace {

namespace sf = steadfold;

class topology_gpu : public testing::Test {
  protected:
    void SetUp() override {
        if (cudaGetDeviceCount(&count_) != cudaSuccess || count_ == 0) GTEST_SKIP() << "no GPU";
    }
    int count_ = 0;
};

TEST_F(topology_gpu, facts_agree_with_cuda) {
    sf::process_facts const process = sf::discover_topology().here().process;
    ASSERT_EQ(process.gpus.size(), static_cast<std::size_t>(count_));
    EXPECT_TRUE(process.cuda.unavailable.empty());
    EXPECT_GE(process.cuda.driver_version, process.cuda.runtime_version / 1000 * 1000);
    std::set<std::string> uuids;
    for (sf::gpu_facts const& gpu : process.gpus) {
        int sms = 0, by_pci = -1;
        ASSERT_EQ(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, gpu.ordinal), cudaSuccess);
        EXPECT_EQ(gpu.sm_count, sms);
        ASSERT_EQ(cudaDeviceGetByPCIBusId(&by_pci, gpu.pci_id.c_str()), cudaSuccess);
        EXPECT_EQ(by_pci, gpu.ordinal);
        EXPECT_GT(gpu.memory_bytes, std::int64_t{1} << 30);
        EXPECT_GT(gpu.l2_bytes, 0);
        EXPECT_GE(gpu.shared_memory_per_block_bytes, 48 << 10);
        EXPECT_EQ(gpu.cluster_size_portable, gpu.compute_major >= 9 ? 8 : 0);
        EXPECT_EQ(gpu.uuid.size(), 36u);
        uuids.insert(gpu.uuid);
    }
    EXPECT_EQ(uuids.size(), process.gpus.size());
}

TEST_F(topology_gpu, every_gpu_has_a_domain_of_all_its_sms) {
    sf::process_facts const process = sf::discover_topology().here().process;
    ASSERT_EQ(process.domains.size(), process.gpus.size() + 1);
    for (std::size_t i = 0; i < process.gpus.size(); ++i) {
        EXPECT_EQ(process.domains[i + 1].device, static_cast<int>(i));
        EXPECT_EQ(process.domains[i + 1].sm_count, process.gpus[i].sm_count);
        EXPECT_GE(process.gpus[i].driver_domain_count, 1);
    }
}

TEST_F(topology_gpu, the_driver_table_reaches_the_driver) {
    sf::detail::driver_table const& driver = sf::detail::system_driver();
    ASSERT_NE(driver.device_get, nullptr);
    ASSERT_NE(driver.device_get_attribute, nullptr);
    int handle = -1, sms = 0, expected = 0;
    ASSERT_EQ(driver.device_get(&handle, 0), 0);
    ASSERT_EQ(driver.device_get_attribute(&sms, cudaDevAttrMultiProcessorCount, handle),
              0); // same numbers in both APIs
    ASSERT_EQ(cudaDeviceGetAttribute(&expected, cudaDevAttrMultiProcessorCount, 0), cudaSuccess);
    EXPECT_EQ(sms, expected);
}

TEST_F(topology_gpu, peers_are_every_ordered_pair) {
    sf::process_facts const process = sf::discover_topology().here().process;
    ASSERT_EQ(process.peers.size(), static_cast<std::size_t>(count_ * (count_ - 1)));
    for (sf::peer_link const& link : process.peers) {
        int access = 0;
        ASSERT_EQ(cudaDeviceCanAccessPeer(&access, link.from, link.to), cudaSuccess);
        EXPECT_EQ(link.access, access != 0);
        EXPECT_NE(link.from, link.to);
    }
}

TEST_F(topology_gpu, the_largest_cluster_is_probed_only_on_request) {
    sf::process_facts const silent = sf::discover_topology().here().process;
    sf::process_facts const probed = sf::discover_topology({.probe_clusters = true}).here().process;
    for (std::size_t i = 0; i < probed.gpus.size(); ++i) {
        EXPECT_EQ(silent.gpus[i].cluster_size_max, 0);
        EXPECT_GE(probed.gpus[i].cluster_size_max, probed.gpus[i].cluster_size_portable);
    }
}

TEST_F(topology_gpu, discovery_leaves_no_error_and_the_callers_device) {
    ASSERT_EQ(cudaSetDevice(count_ - 1), cudaSuccess);
    (void)sf::discover_topology({.probe_clusters = true});
    int now = -1;
    ASSERT_EQ(cudaGetDevice(&now), cudaSuccess);
    EXPECT_EQ(now, count_ - 1);
    EXPECT_EQ(cudaGetLastError(), cudaSuccess);
}

TEST_F(topology_gpu, a_rank_alone_takes_every_gpu) {
    EXPECT_EQ(sf::discover_topology().here().devices.size(), static_cast<std::size_t>(count_));
    EXPECT_EQ(sf::discover_topology({.policy = sf::device_policy::single}).here().devices, std::vector<int>{0});
}

} // namespace
