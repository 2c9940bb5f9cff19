// Machines that do not exist, for tests that need many.
#pragma once

#include "topology/assemble.hpp"

#include <string>
#include <vector>

namespace made_up {

namespace sf = steadfold;

inline sf::gpu_facts gpu(int ordinal, std::string const& uuid) {
    sf::gpu_facts gpu;
    gpu.ordinal = ordinal;
    gpu.name = "Imaginary G1";
    gpu.uuid = uuid;
    gpu.pci_id = "0000:" + std::to_string(10 + ordinal) + ":00.0";
    gpu.compute_major = 9;
    gpu.sm_count = 132;
    gpu.memory_bytes = std::int64_t{141} << 30;
    gpu.l2_bytes = 50 << 20;
    gpu.cluster_size_portable = 8;
    gpu.cluster_size_max = 16;
    gpu.pcie = {4, 16, 5, 16};
    gpu.mig = false;
    gpu.numa_node = 0;
    gpu.nvlink_count = 18;
    gpu.compute_mode = "default";
    gpu.cooperative_launch = true;
    return gpu;
}

/// A process on `host` that sees these GPUs, in this order, all linked by NVLink.
inline sf::detail::rank_report report(std::string const& host, std::vector<std::string> const& uuids,
                                      sf::device_policy policy = sf::device_policy::even) {
    sf::detail::rank_report made;
    made.policy = policy;
    sf::process_facts& process = made.process;
    process.host = {host, "boot-" + host, "Imaginary CPU", {{0, {0, 1}, 1 << 30}, {1, {2, 3}, 1 << 30}}, 2LL << 30};
    process.allowed_cpus = {1, 2};
    process.domains.push_back({sf::host_device, 0, 2, 2LL << 30});
    int const count = static_cast<int>(uuids.size());
    for (int i = 0; i < count; ++i) {
        process.gpus.push_back(gpu(i, uuids[static_cast<std::size_t>(i)]));
        process.domains.push_back({i, 0, 132, std::int64_t{141} << 30});
        for (int j = 0; j < count; ++j) {
            if (i != j) process.peers.push_back({i, j, true, true, 0, true});
        }
    }
    process.cuda = {13000, 13000, "580.1", count == 0 ? "no CUDA driver found: none" : ""};
    return made;
}

} // namespace made_up
