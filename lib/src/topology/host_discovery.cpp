#include "topology/host_discovery.hpp"

#include <algorithm>
#include <numeric>
#include <sys/utsname.h>
#include <thread>
#include <unistd.h>

namespace steadfold {
inline namespace v0 {
namespace detail {

namespace {

std::vector<numa_node> read_numa_nodes(system_roots const& roots) {
    std::vector<numa_node> nodes;
    std::error_code failure;
    for (auto const& entry : std::filesystem::directory_iterator(roots.sys / "devices/system/node", failure)) {
        std::string const file = entry.path().filename().string();
        if (!file.starts_with("node")) continue;
        std::int64_t const index = leading_number(std::string_view(file).substr(4), -1);
        if (index < 0) continue;
        std::int64_t const kib = leading_number(value_after(entry.path() / "meminfo", "MemTotal"), 0);
        nodes.push_back({static_cast<int>(index), parse_cpu_list(first_line(entry.path() / "cpulist")), kib * 1024});
    }
    std::sort(nodes.begin(), nodes.end(), [](auto const& a, auto const& b) { return a.index < b.index; });
    return nodes;
}

/// A kernel without NUMA has no node directory: the whole machine is one node.
numa_node whole_machine(system_roots const& roots, std::int64_t memory_bytes) {
    std::vector<int> cpus = parse_cpu_list(first_line(roots.sys / "devices/system/cpu/online"));
    if (cpus.empty()) {
        cpus.resize(std::max(1u, std::thread::hardware_concurrency()));
        std::iota(cpus.begin(), cpus.end(), 0);
    }
    return {0, std::move(cpus), memory_bytes};
}

} // namespace

host_facts discover_host(system_roots const& roots) {
    host_facts host;
    utsname system{};
    bool const named = uname(&system) == 0;
    if (named) host.name = system.nodename;
    host.boot_id = first_line(roots.proc / "sys/kernel/random/boot_id");
    host.cpu_model = value_after(roots.proc / "cpuinfo", "model name");
    if (host.cpu_model.empty() && named) host.cpu_model = system.machine; // other architectures have no such line
    host.memory_bytes = leading_number(value_after(roots.proc / "meminfo", "MemTotal"), 0) * 1024;
    host.numa_nodes = read_numa_nodes(roots);
    if (host.numa_nodes.empty()) host.numa_nodes.push_back(whole_machine(roots, host.memory_bytes));
    return host;
}

} // namespace detail
} // namespace v0
} // namespace steadfold
