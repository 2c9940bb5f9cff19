#include "made_up.hpp"
#include "peer_table.hpp"
#include "topology_tree.hpp"

#include <gtest/gtest.h>

namespace {

namespace sf = steadfold;

std::size_t times(std::string const& text, std::string const& part) {
    std::size_t count = 0;
    for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
    return count;
}

TEST(tree, lines_show_what_belongs_to_what) {
    sf::app::tree const root{"root", {{"a", {{"b", {}}, {"c", {}}}}, {"d", {{"e", {}}}}}};
    EXPECT_EQ(sf::app::to_text(root), "root\n"
                                      "├─ a\n"
                                      "│  ├─ b\n"
                                      "│  └─ c\n"
                                      "└─ d\n"
                                      "   └─ e\n");
}

TEST(tree, compact_lists) {
    EXPECT_EQ(sf::app::compact({}), "none");
    EXPECT_EQ(sf::app::compact({3}), "3");
    EXPECT_EQ(sf::app::compact({0, 1, 2, 3, 8, 10, 11}), "0-3,8,10-11");
}

TEST(topology_tree, a_gpu_that_several_ranks_see_is_shown_once) {
    auto const shared = made_up::report("a", {"p", "q"});
    std::string const text =
        sf::app::to_text(sf::app::topology_tree(sf::detail::assemble({shared, shared, shared}, 0)));
    EXPECT_EQ(times(text, "Imaginary G1"), 2u) << text;
    EXPECT_NE(text.find("3 ranks on 1 host\n"), std::string::npos);
    EXPECT_NE(text.find("rank 2: CPUs 1-2, uses GPU 0 (0000:10:00.0)"), std::string::npos) << text;
    EXPECT_NE(text.find("PCIe 5 x16 (now 4 x16), near NUMA node 0, 18 NVLink lanes"), std::string::npos) << text;
    EXPECT_NE(text.find("clusters up to 8 blocks (16 non-portable)"), std::string::npos) << text;
    EXPECT_NE(text.find("NUMA node 1: CPUs 2-3, 1.1 GB"), std::string::npos) << text;
    EXPECT_NE(text.find("domain 0: 132 SMs"), std::string::npos) << text;
}

TEST(topology_tree, says_why_there_is_no_gpu) {
    std::string const text =
        sf::app::to_text(sf::app::topology_tree(sf::detail::assemble({made_up::report("a", {})}, 0)));
    EXPECT_NE(text.find("no GPU: no CUDA driver found: none"), std::string::npos) << text;
    EXPECT_NE(text.find("rank 0: CPUs 1-2, uses the host CPU"), std::string::npos) << text;
}

TEST(peer_table, names_the_kind_of_link) {
    sf::process_facts process = made_up::report("a", {"p", "q", "r"}).process;
    process.peers[0].access = false; // 0 -> 1
    process.peers[1].nvlink = false; // 0 -> 2
    process.peers[2].nvlink.reset(); // 1 -> 0
    EXPECT_EQ(sf::app::peer_table(process), "Peer access from GPU (row) to the memory of GPU (column)\n"
                                            "           GPU 0   GPU 1   GPU 2\n"
                                            "   GPU 0       .      no    PCIe\n"
                                            "   GPU 1    peer       .  NVLink\n"
                                            "   GPU 2  NVLink  NVLink       .\n"
                                            "peer: possible; over which kind of link is unknown without NVML\n");
    EXPECT_EQ(sf::app::peer_table(made_up::report("a", {"p"}).process), "");
}

} // namespace
