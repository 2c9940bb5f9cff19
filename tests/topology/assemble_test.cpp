#include "made_up.hpp"
#include "steadfold/error.hpp"
#include "topology/assemble.hpp"

#include <gtest/gtest.h>
#include <string>

namespace {

namespace sf = steadfold;
using devices = std::vector<int>;
using made_up::report;
using sf::device_policy;

TEST(assemble, ranks_are_numbered_within_their_hosts) {
    sf::topology const all =
        sf::detail::assemble({report("a", {}), report("b", {}), report("a", {}), report("b", {}), report("b", {})}, 3);
    ASSERT_EQ(all.hosts.size(), 2u);
    EXPECT_EQ(all.hosts[0].name, "a");
    EXPECT_EQ(all.hosts[0].ranks, (devices{0, 2}));
    EXPECT_EQ(all.hosts[1].ranks, (devices{1, 3, 4}));
    EXPECT_EQ(all.here().rank, 3);
    EXPECT_EQ(all.here().host, 1);
    EXPECT_EQ(all.here().local_rank, 1);
    EXPECT_EQ(all.here().local_rank_count, 3);
}

TEST(assemble, hosts_of_the_same_name_but_another_boot_are_two) {
    auto other = report("localhost", {});
    other.process.host.boot_id = "other";
    EXPECT_EQ(sf::detail::assemble({report("localhost", {}), other}, 0).hosts.size(), 2u);
}

TEST(assemble, without_gpus_the_host_is_the_device) {
    sf::topology const all = sf::detail::assemble({report("a", {}), report("a", {})}, 0);
    EXPECT_EQ(all.ranks[1].devices, devices{sf::host_device});
    EXPECT_EQ(all.domains(), (sf::level_counts{2, 1, 1}));
}

TEST(assemble, ranks_that_see_the_same_gpus_share_them_out) {
    std::vector<std::string> const four{"p", "q", "r", "s"};
    sf::topology const all = sf::detail::assemble(
        {report("a", four), report("b", {"x", "y"}), report("a", four), report("b", {"x", "y"})}, 0);
    EXPECT_EQ(all.ranks[0].devices, (devices{0, 1}));
    EXPECT_EQ(all.ranks[2].devices, (devices{2, 3}));
    EXPECT_EQ(all.ranks[1].devices, devices{0});
    EXPECT_EQ(all.ranks[3].devices, devices{1});
}

TEST(assemble, gpus_shown_to_one_rank_only_are_all_its_own) {
    sf::topology const all = sf::detail::assemble({report("a", {"p", "q"}), report("a", {"r", "s"})}, 0);
    EXPECT_EQ(all.ranks[0].devices, (devices{0, 1}));
    EXPECT_EQ(all.ranks[1].devices, (devices{0, 1}));
    EXPECT_EQ(all.domains(), (sf::level_counts{2, 2, 1}));
}

TEST(assemble, a_rank_that_numbers_the_gpus_differently_still_gets_another_gpu) {
    sf::topology const all = sf::detail::assemble({report("a", {"p", "q"}), report("a", {"q", "p"})}, 0);
    EXPECT_EQ(all.ranks[0].devices, devices{0}); // p
    EXPECT_EQ(all.ranks[1].devices, devices{0}); // q
}

TEST(assemble, each_ranks_own_policy_counts) {
    sf::topology const all = sf::detail::assemble(
        {report("a", {"p", "q"}, device_policy::none), report("b", {"p", "q"}, device_policy::single)}, 0);
    EXPECT_EQ(all.ranks[0].devices, devices{sf::host_device});
    EXPECT_EQ(all.ranks[1].devices, devices{0});
}

TEST(assemble, unequal_numbers_of_devices_are_named) {
    sf::topology const all = sf::detail::assemble({report("a", {"p"}), report("b", {"q", "r"})}, 0);
    try {
        (void)all.domains();
        FAIL();
    } catch (sf::argument_error const& e) {
        EXPECT_STREQ(e.what(), "rank 0 has 1 device(s), rank 1 has 2: a block partition needs the same number on every "
                               "rank");
    }
}

TEST(assemble, unequal_numbers_of_domains_are_named) {
    auto two = report("a", {"p", "q"});
    two.process.domains.push_back({1, 1, 66, 0});
    try {
        (void)sf::detail::assemble({two}, 0).domains();
        FAIL();
    } catch (sf::argument_error const& e) {
        EXPECT_NE(std::string(e.what()).find("device 1 of rank 0 has 2 locality domain(s), device 0 of rank 0 has 1"),
                  std::string::npos)
            << e.what();
    }
}

} // namespace
