#include "made_up.hpp"
#include "topology_json.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace {

namespace sf = steadfold;
using nlohmann::json;

TEST(topology_json, holds_every_rank_host_gpu_and_domain) {
    sf::topology const all =
        sf::detail::assemble({made_up::report("a", {"p", "q"}), made_up::report("b", {"x", "y"})}, 1);
    json const document = json::parse(sf::app::to_json(all));
    EXPECT_EQ(document["schema"], 1);
    EXPECT_EQ(document["self"], 1);
    EXPECT_EQ(document["hosts"].size(), 2u);
    EXPECT_EQ(document["hosts"][1]["ranks"], json::array({1}));
    json const& rank = document["ranks"][1];
    EXPECT_EQ(rank["devices"], json::array({0, 1}));
    json const& process = rank["process"];
    EXPECT_EQ(process["host"]["numa_nodes"][1]["cpus"], json::array({2, 3}));
    EXPECT_EQ(process["gpus"][1]["uuid"], "y");
    EXPECT_EQ(process["gpus"][1]["compute_capability"], "9.0");
    EXPECT_EQ(process["gpus"][1]["pcie"]["max_generation"], 5);
    EXPECT_EQ(process["gpus"][1]["mig"], false);
    EXPECT_EQ(process["peers"].size(), 2u);
    EXPECT_EQ(process["domains"][0]["device"], "host");
    EXPECT_EQ(process["domains"][2]["device"], 1);
    EXPECT_TRUE(process["cuda"]["unavailable"].is_null());
}

TEST(topology_json, the_unknown_is_null) {
    auto report = made_up::report("a", {"p"});
    sf::gpu_facts& gpu = report.process.gpus[0];
    gpu.pcie = {};
    gpu.numa_node = -1;
    gpu.mig.reset();
    gpu.cluster_size_max = 0;
    json const document = json::parse(sf::app::to_json(sf::detail::assemble({report}, 0), -1));
    json const& shown = document["ranks"][0]["process"]["gpus"][0];
    EXPECT_TRUE(shown["pcie"]["generation"].is_null());
    EXPECT_TRUE(shown["numa_node"].is_null());
    EXPECT_TRUE(shown["mig"].is_null());
    EXPECT_TRUE(shown["cluster_size_max"].is_null());
}

TEST(topology_json, the_reason_for_no_gpu_is_there) {
    json const document = json::parse(sf::app::to_json(sf::detail::assemble({made_up::report("a", {})}, 0)));
    EXPECT_EQ(document["ranks"][0]["process"]["cuda"]["unavailable"], "no CUDA driver found: none");
    EXPECT_EQ(document["ranks"][0]["devices"], json::array({"host"}));
}

TEST(topology_json, a_name_that_is_not_utf8_does_no_harm) {
    auto const text = sf::app::to_json(sf::detail::assemble({made_up::report("bad\xff name", {})}, 0));
    EXPECT_TRUE(json::accept(text));
}

} // namespace
