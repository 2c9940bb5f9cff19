// The kernel's files, made up in a folder.
#include "support/made_up_kernel.hpp"
#include "topology/host_discovery.hpp"

#include <gtest/gtest.h>

namespace {

namespace sf = steadfold;
namespace fs = std::filesystem;
using made_up::kernel_files;

TEST_F(kernel_files, numa_nodes_are_read_in_order) {
    std::string const nodes = "sys/devices/system/node/";
    write(nodes + "node10/cpulist", "8-9\n");
    write(nodes + "node2/cpulist", "0-3,6\n");
    write(nodes + "node2/meminfo", "Node 2 MemTotal:       1024 kB\nNode 2 MemFree:  1 kB\n");
    write(nodes + "node3/cpulist", "\n"); // memory without CPUs, as on GPUs that are NUMA nodes
    write(nodes + "nodes_possible", "0-10\n");
    write("proc/meminfo", "MemFree: 3 kB\nMemTotal:  4096 kB\n");
    write("proc/cpuinfo", "processor\t: 0\nmodel name\t: Imaginary CPU @ 3 GHz\n");
    write("proc/sys/kernel/random/boot_id", "1234-5\n");
    sf::host_facts const host = sf::detail::discover_host(roots_);
    ASSERT_EQ(host.numa_nodes.size(), 3u);
    EXPECT_EQ(host.numa_nodes[0].index, 2);
    EXPECT_EQ(host.numa_nodes[0].cpus, (std::vector<int>{0, 1, 2, 3, 6}));
    EXPECT_EQ(host.numa_nodes[0].memory_bytes, 1024 * 1024);
    EXPECT_TRUE(host.numa_nodes[1].cpus.empty());
    EXPECT_EQ(host.numa_nodes[2].index, 10);
    EXPECT_EQ(host.numa_nodes[2].memory_bytes, 0);
    EXPECT_EQ(host.memory_bytes, 4096 * 1024);
    EXPECT_EQ(host.cpu_model, "Imaginary CPU @ 3 GHz");
    EXPECT_EQ(host.boot_id, "1234-5");
    EXPECT_FALSE(host.name.empty());
}

TEST_F(kernel_files, a_machine_without_numa_is_one_node) {
    write("sys/devices/system/cpu/online", "0-2\n");
    write("proc/meminfo", "MemTotal: 8 kB\n");
    sf::host_facts const host = sf::detail::discover_host(roots_);
    ASSERT_EQ(host.numa_nodes.size(), 1u);
    EXPECT_EQ(host.numa_nodes[0].cpus, (std::vector<int>{0, 1, 2}));
    EXPECT_EQ(host.numa_nodes[0].memory_bytes, 8 * 1024);
}

TEST_F(kernel_files, nothing_at_all_is_still_one_node_with_a_cpu) {
    sf::host_facts const host = sf::detail::discover_host(roots_);
    ASSERT_EQ(host.numa_nodes.size(), 1u);
    EXPECT_GE(host.numa_nodes[0].cpus.size(), 1u);
    EXPECT_FALSE(host.cpu_model.empty());
}

TEST_F(kernel_files, pcie_links_are_read) {
    std::string const gpu = "sys/bus/pci/devices/0000:1b:00.0/";
    write(gpu + "current_link_speed", "2.5 GT/s PCIe\n");
    write(gpu + "current_link_width", "16\n");
    write(gpu + "max_link_speed", "32.0 GT/s PCIe\n");
    write(gpu + "max_link_width", "16\n");
    write(gpu + "numa_node", "1\n");
    sf::pcie_link const link = sf::detail::read_pcie_link(roots_, "0000:1b:00.0");
    EXPECT_EQ(link.generation, 1);
    EXPECT_EQ(link.width, 16);
    EXPECT_EQ(link.max_generation, 5);
    EXPECT_EQ(link.max_width, 16);
    EXPECT_EQ(sf::detail::read_pci_numa_node(roots_, "0000:1b:00.0"), 1);
}

TEST_F(kernel_files, an_unknown_link_is_zero) {
    std::string const gpu = "sys/bus/pci/devices/0000:1b:00.0/";
    write(gpu + "max_link_speed", "Unknown\n");
    write(gpu + "max_link_width", "255\n");
    write(gpu + "numa_node", "-1\n");
    sf::pcie_link const link = sf::detail::read_pcie_link(roots_, "0000:1b:00.0");
    EXPECT_EQ(link.generation + link.width + link.max_generation + link.max_width, 0);
    EXPECT_EQ(sf::detail::read_pci_numa_node(roots_, "0000:1b:00.0"), -1);
    EXPECT_EQ(sf::detail::read_pci_numa_node(roots_, "no such device"), -1);
}

TEST(sysfs, cpu_lists) {
    using list = std::vector<int>;
    EXPECT_EQ(sf::detail::parse_cpu_list("0-3,8,10-11\n"), (list{0, 1, 2, 3, 8, 10, 11}));
    EXPECT_EQ(sf::detail::parse_cpu_list("5"), list{5});
    EXPECT_EQ(sf::detail::parse_cpu_list(""), list{});
    EXPECT_EQ(sf::detail::parse_cpu_list("1,x,3"), list{1});
    EXPECT_EQ(sf::detail::parse_cpu_list("1 3"), list{1});
    EXPECT_EQ(sf::detail::parse_cpu_list("7-"), list{});
    EXPECT_EQ(sf::detail::parse_cpu_list("9-8,2"), list{2});
}

TEST(sysfs, pcie_generations) {
    EXPECT_EQ(sf::detail::pcie_generation("5.0 GT/s PCIe"), 2);
    EXPECT_EQ(sf::detail::pcie_generation("8.0 GT/s PCIe"), 3);
    EXPECT_EQ(sf::detail::pcie_generation("16.0 GT/s PCIe"), 4);
    EXPECT_EQ(sf::detail::pcie_generation("64.0 GT/s PCIe"), 6);
    EXPECT_EQ(sf::detail::pcie_generation("7 GT/s"), 0);
    EXPECT_EQ(sf::detail::pcie_generation(""), 0);
}

} // namespace
