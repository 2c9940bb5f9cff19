#include "made_up.hpp"
#include "steadfold/error.hpp"
#include "topology/wire.hpp"

#include <gtest/gtest.h>

namespace {

namespace sf = steadfold;

std::vector<std::byte> sample() {
    auto report = made_up::report("a", {"p", "q", "r"}, sf::device_policy::single);
    report.process.gpus[1].mig.reset();
    report.process.gpus[2].mig = true;
    report.process.gpus[2].numa_node = -1;
    return sf::detail::encode(report);
}

TEST(wire, reports_come_back_as_they_were) {
    std::vector<std::byte> const bytes = sample();
    sf::detail::rank_report const back = sf::detail::decode(bytes);
    EXPECT_EQ(sf::detail::encode(back), bytes);
    EXPECT_EQ(back.policy, sf::device_policy::single);
    EXPECT_EQ(back.process.host.numa_nodes.at(1).cpus, (std::vector<int>{2, 3}));
    EXPECT_EQ(back.process.gpus.at(0).name, "Imaginary G1");
    EXPECT_EQ(back.process.gpus.at(0).memory_bytes, std::int64_t{141} << 30);
    EXPECT_EQ(back.process.gpus.at(0).mig, false);
    EXPECT_EQ(back.process.gpus.at(1).mig, std::nullopt);
    EXPECT_EQ(back.process.gpus.at(2).mig, true);
    EXPECT_EQ(back.process.gpus.at(2).numa_node, -1);
    EXPECT_EQ(back.process.peers.size(), 6u);
    EXPECT_EQ(back.process.peers.at(5).from, 2);
    EXPECT_EQ(back.process.domains.at(0).device, sf::host_device);
}

TEST(wire, a_report_cut_anywhere_is_an_error) {
    std::vector<std::byte> const bytes = sample();
    for (std::size_t length = 0; length < bytes.size(); ++length) {
        EXPECT_THROW((void)sf::detail::decode(std::span(bytes).first(length)), sf::mismatch_error) << length;
    }
}

TEST(wire, foreign_bytes_are_an_error) {
    std::vector<std::byte> bytes = sample();
    bytes.push_back(std::byte{0});
    EXPECT_THROW((void)sf::detail::decode(bytes), sf::mismatch_error);
    bytes.pop_back();
    bytes[0] ^= std::byte{1};
    EXPECT_THROW((void)sf::detail::decode(bytes), sf::mismatch_error);
}

} // namespace
