#include "topology_tree.hpp"

#include <cstdio>
#include <set>

namespace steadfold {
inline namespace v0 {
namespace app {

namespace {

/// With one decimal, in the decimal units storage and bandwidth are sold in.
std::string bytes_text(std::int64_t bytes) {
    char text[32];
    double const value = static_cast<double>(bytes);
    if (bytes >= 1000000000)
        std::snprintf(text, sizeof text, "%.1f GB", value / 1e9);
    else if (bytes >= 1000000)
        std::snprintf(text, sizeof text, "%.1f MB", value / 1e6);
    else
        std::snprintf(text, sizeof text, "%.1f kB", value / 1e3);
    return text;
}

std::string counted(std::size_t count, char const* thing) {
    return std::to_string(count) + " " + thing + (count == 1 ? "" : "s");
}

/// 13000 is CUDA 13.0.
std::string cuda_version(int version) {
    return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

std::string link_text(pcie_link const& link) {
    if (link.max_generation == 0) return "PCIe unknown";
    std::string text = "PCIe " + std::to_string(link.max_generation) + " x" + std::to_string(link.max_width);
    if (link.generation != link.max_generation || link.width != link.max_width) {
        text += " (now " + std::to_string(link.generation) + " x" + std::to_string(link.width) + ")";
    }
    return text;
}

std::string cluster_text(gpu_facts const& gpu) {
    if (gpu.cluster_size_portable == 0) return "no clusters";
    std::string text = "clusters up to " + std::to_string(gpu.cluster_size_portable) + " blocks";
    if (gpu.cluster_size_max > gpu.cluster_size_portable) {
        text += " (" + std::to_string(gpu.cluster_size_max) + " non-portable)";
    }
    return text;
}

std::string memory_access_text(gpu_facts const& gpu) {
    std::string text = gpu.integrated ? "integrated" : "discrete";
    text += !gpu.managed_memory             ? ", no managed memory"
            : gpu.concurrent_managed_access ? ", managed memory, shared with the host at any time"
                                            : ", managed memory, not while the host uses it";
    if (gpu.pageable_memory_access) text += ", reads ordinary host memory";
    if (gpu.pageable_uses_host_page_tables) text += " through the host's page tables";
    return text;
}

tree gpu_tree(gpu_facts const& gpu, std::vector<locality_domain> const& domains) {
    tree node{"GPU " + std::to_string(gpu.ordinal) + ": " + gpu.name + ", compute capability " +
                  std::to_string(gpu.compute_major) + "." + std::to_string(gpu.compute_minor) + ", " +
                  std::to_string(gpu.sm_count) + " SMs, " + bytes_text(gpu.memory_bytes),
              {}};
    std::string place = gpu.pci_id + ", " + link_text(gpu.pcie);
    if (gpu.numa_node >= 0) place += ", near NUMA node " + std::to_string(gpu.numa_node);
    if (gpu.nvlink_count > 0) place += ", " + counted(static_cast<std::size_t>(gpu.nvlink_count), "NVLink lane");
    node.children.push_back({place, {}});
    node.children.push_back({"L2 " + bytes_text(gpu.l2_bytes) + ", " + bytes_text(gpu.shared_memory_per_block_bytes) +
                                 " shared memory a block, " + cluster_text(gpu),
                             {}});
    std::string const mig = !gpu.mig ? "unknown" : *gpu.mig ? "on" : "off";
    node.children.push_back({memory_access_text(gpu), {}});
    node.children.push_back({"compute mode " + gpu.compute_mode + ", MIG " + mig, {}});
    for (locality_domain const& domain : domains) {
        if (domain.device != gpu.ordinal) continue;
        node.children.push_back(
            {"domain " + std::to_string(domain.index) + ": " + std::to_string(domain.sm_count) + " SMs", {}});
    }
    return node;
}

tree cpu_tree(process_facts const& process) {
    host_facts const& host = process.host;
    tree node{"CPU: " + host.cpu_model + ", " + bytes_text(host.memory_bytes), {}};
    for (numa_node const& numa : host.numa_nodes) {
        node.children.push_back({"NUMA node " + std::to_string(numa.index) + ": CPUs " + compact(numa.cpus) + ", " +
                                     bytes_text(numa.memory_bytes),
                                 {}});
    }
    for (locality_domain const& domain : process.domains) {
        if (domain.device != host_device) continue;
        node.children.push_back({"domain " + std::to_string(domain.index) + ": " +
                                     counted(static_cast<std::size_t>(domain.sm_count), "CPU"),
                                 {}});
    }
    return node;
}

std::string cuda_text(cuda_facts const& cuda) {
    if (!cuda.unavailable.empty()) return "no GPU: " + cuda.unavailable;
    std::string text =
        "CUDA " + cuda_version(cuda.runtime_version) + ", driver for CUDA up to " + cuda_version(cuda.driver_version);
    if (!cuda.kernel_driver.empty()) text += " (" + cuda.kernel_driver + ")";
    return text;
}

std::string device_text(rank_facts const& rank, int device) {
    if (device == host_device) return "the host CPU";
    std::string text = "GPU " + std::to_string(device);
    for (gpu_facts const& gpu : rank.process.gpus) {
        if (gpu.ordinal == device) text += " (" + gpu.pci_id + ")";
    }
    return text;
}

tree rank_tree(rank_facts const& rank) {
    std::string text = "rank " + std::to_string(rank.rank) + ": CPUs " + compact(rank.process.allowed_cpus) + ", uses ";
    for (std::size_t i = 0; i < rank.devices.size(); ++i) {
        text += (i == 0 ? "" : ", ") + device_text(rank, rank.devices[i]);
    }
    return {text, {}};
}

tree host_tree(topology const& all, host_ranks const& host) {
    tree node{"host " + host.name, {}};
    rank_facts const& first = all.ranks[static_cast<std::size_t>(host.ranks.front())];
    node.children.push_back(cpu_tree(first.process));
    node.children.push_back({cuda_text(first.process.cuda), {}});
    std::set<std::string> shown;
    for (int const rank : host.ranks) {
        process_facts const& process = all.ranks[static_cast<std::size_t>(rank)].process;
        for (gpu_facts const& gpu : process.gpus) {
            if (shown.insert(gpu.uuid).second) node.children.push_back(gpu_tree(gpu, process.domains));
        }
    }
    for (int const rank : host.ranks) node.children.push_back(rank_tree(all.ranks[static_cast<std::size_t>(rank)]));
    return node;
}

} // namespace

std::string compact(std::vector<int> const& numbers) {
    std::string text;
    for (std::size_t first = 0; first < numbers.size();) {
        std::size_t last = first;
        while (last + 1 < numbers.size() && numbers[last + 1] == numbers[last] + 1) ++last;
        text += (text.empty() ? "" : ",") + std::to_string(numbers[first]);
        if (last > first) text += "-" + std::to_string(numbers[last]);
        first = last + 1;
    }
    return text.empty() ? "none" : text;
}

tree topology_tree(topology const& all) {
    tree root{counted(all.ranks.size(), "rank") + " on " + counted(all.hosts.size(), "host"), {}};
    for (host_ranks const& host : all.hosts) root.children.push_back(host_tree(all, host));
    return root;
}

} // namespace app
} // namespace v0
} // namespace steadfold
