#include "topology_json.hpp"

#include <nlohmann/json.hpp>

namespace steadfold {
inline namespace v0 {
namespace app {

namespace {

using json = nlohmann::ordered_json;

/// The library's "could not be found out" as JSON's null.
json known(std::int64_t number) {
    return number == 0 ? json() : json(number);
}
json known(std::string const& text) {
    return text.empty() ? json() : json(text);
}
json known(std::optional<bool> answer) {
    return answer ? json(*answer) : json();
}
json node_or_null(int node) {
    return node < 0 ? json() : json(node);
}

template <class Item>
json list(std::vector<Item> const& items, json (*convert)(Item const&)) {
    json all = json::array();
    for (Item const& item : items) all.push_back(convert(item));
    return all;
}

/// "host", or the GPU's ordinal.
json device_name(int const& device) {
    return device == host_device ? json("host") : json(device);
}

json numa_json(numa_node const& node) {
    return {{"index", node.index}, {"cpus", node.cpus}, {"memory_bytes", known(node.memory_bytes)}};
}

json host_json(host_facts const& host) {
    return {{"name", host.name},
            {"boot_id", known(host.boot_id)},
            {"cpu_model", known(host.cpu_model)},
            {"memory_bytes", known(host.memory_bytes)},
            {"numa_nodes", list(host.numa_nodes, numa_json)}};
}

json pcie_json(pcie_link const& link) {
    return {{"generation", known(link.generation)},
            {"width", known(link.width)},
            {"max_generation", known(link.max_generation)},
            {"max_width", known(link.max_width)}};
}

json gpu_json(gpu_facts const& gpu) {
    return {{"ordinal", gpu.ordinal},
            {"name", gpu.name},
            {"uuid", gpu.uuid},
            {"pci_id", gpu.pci_id},
            {"compute_capability", std::to_string(gpu.compute_major) + "." + std::to_string(gpu.compute_minor)},
            {"sm_count", gpu.sm_count},
            {"memory_bytes", gpu.memory_bytes},
            {"l2_bytes", gpu.l2_bytes},
            {"shared_memory_per_block_bytes", gpu.shared_memory_per_block_bytes},
            {"cluster_size_portable", gpu.cluster_size_portable},
            {"cluster_size_max", gpu.cluster_size_portable == 0 ? json(0) : known(gpu.cluster_size_max)},
            {"integrated", gpu.integrated},
            {"pcie", pcie_json(gpu.pcie)},
            {"nvlink_count", gpu.nvlink_count},
            {"numa_node", node_or_null(gpu.numa_node)},
            {"compute_mode", gpu.compute_mode},
            {"mig", known(gpu.mig)},
            {"managed_memory", gpu.managed_memory},
            {"concurrent_managed_access", gpu.concurrent_managed_access},
            {"pageable_memory_access", gpu.pageable_memory_access},
            {"pageable_uses_host_page_tables", gpu.pageable_uses_host_page_tables},
            {"host_native_atomics", gpu.host_native_atomics},
            {"cooperative_launch", gpu.cooperative_launch},
            {"driver_domain_count", gpu.driver_domain_count}};
}

json peer_json(peer_link const& link) {
    return {{"from", link.from},
            {"to", link.to},
            {"access", link.access},
            {"native_atomics", link.native_atomics},
            {"performance_rank", link.performance_rank < 0 ? json() : json(link.performance_rank)},
            {"nvlink", known(link.nvlink)}};
}

json domain_json(locality_domain const& domain) {
    return {{"device", device_name(domain.device)},
            {"index", domain.index},
            {"sm_count", domain.sm_count},
            {"memory_bytes", known(domain.memory_bytes)}};
}

json cuda_json(cuda_facts const& cuda) {
    return {{"driver_version", known(cuda.driver_version)},
            {"runtime_version", known(cuda.runtime_version)},
            {"kernel_driver", known(cuda.kernel_driver)},
            {"unavailable", known(cuda.unavailable)}};
}

json process_json(process_facts const& process) {
    return {{"host", host_json(process.host)},         {"allowed_cpus", process.allowed_cpus},
            {"cuda", cuda_json(process.cuda)},         {"gpus", list(process.gpus, gpu_json)},
            {"peers", list(process.peers, peer_json)}, {"domains", list(process.domains, domain_json)}};
}

json rank_json(rank_facts const& rank) {
    return {{"rank", rank.rank},
            {"host", rank.host},
            {"local_rank", rank.local_rank},
            {"local_rank_count", rank.local_rank_count},
            {"devices", list(rank.devices, device_name)},
            {"process", process_json(rank.process)}};
}

json host_ranks_json(host_ranks const& host) {
    return {{"name", host.name}, {"ranks", host.ranks}};
}

} // namespace

std::string to_json(topology const& all, int indent) {
    json const document = {{"schema", 1},
                           {"self", all.self},
                           {"hosts", list(all.hosts, host_ranks_json)},
                           {"ranks", list(all.ranks, rank_json)}};
    // A host or device name need not be UTF-8: replace what is not, rather than fail.
    return document.dump(indent, ' ', false, json::error_handler_t::replace);
}

} // namespace app
} // namespace v0
} // namespace steadfold
