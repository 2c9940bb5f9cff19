#include "base/cpus.hpp"

#include "base/floating_environment.hpp"

#include <algorithm>
#include <fstream>
#include <map>
#include <memory>
#include <sched.h>
#include <thread>

namespace steadfold::inline v0::base {

namespace {

struct free_set {
    void operator()(cpu_set_t* set) const noexcept { CPU_FREE(set); }
};
using owned_set = std::unique_ptr<cpu_set_t, free_set>;

/// CPUs for so many microseconds of CPU time in each period, rounded up.
std::int64_t cpus_for(std::int64_t quota, std::int64_t period) {
    return quota > 0 && period > 0 ? (quota - 1) / period + 1 : no_quota;
}

/// "max 100000" or "150000 100000": the quota, and the period.
std::int64_t quota_of_version_2(std::filesystem::path const& group) {
    std::string const line = first_line(group / "cpu.max");
    std::string_view const after_quota = std::string_view(line).substr(std::min(line.find(' '), line.size()));
    return cpus_for(leading_number(line, -1), leading_number(after_quota, 0));
}

std::int64_t quota_of_version_1(std::filesystem::path const& group) {
    return cpus_for(leading_number(first_line(group / "cpu.cfs_quota_us"), -1),
                    leading_number(first_line(group / "cpu.cfs_period_us"), 0));
}

} // namespace

cpu_list allowed_cpus() {
    // The kernel refuses a set smaller than its own, whose size it does not tell: try larger ones.
    for (std::size_t capacity = 1024; capacity <= 1 << 20; capacity *= 2) {
        owned_set const set(CPU_ALLOC(capacity));
        std::size_t const bytes = CPU_ALLOC_SIZE(capacity);
        if (set == nullptr || sched_getaffinity(0, bytes, set.get()) != 0) continue;
        cpu_list cpus;
        for (std::size_t cpu = 0; cpu < capacity; ++cpu)
            if (CPU_ISSET_S(cpu, bytes, set.get())) cpus.push_back(static_cast<int>(cpu));
        return cpus;
    }
    return {};
}

int allowed_cpu_count() {
    static std::int64_t const quota = cpu_quota();
    std::size_t count = allowed_cpus().size();
    if (count == 0) count = std::max(1u, std::thread::hardware_concurrency());
    return static_cast<int>(std::min(quota, static_cast<std::int64_t>(count)));
}

std::int64_t cpu_quota(system_roots const& roots) {
    default_floating_environment const environment; // <filesystem> raises flags: its paths grow by half
    std::int64_t least = no_quota;
    std::ifstream groups(roots.proc / "self/cgroup");
    for (std::string line; std::getline(groups, line);) { // "0::/job_7" in version 2, "4:cpu,cpuacct:/job_7" in 1
        std::size_t const first = line.find(':'), second = line.find(':', first + 1);
        if (first == std::string::npos || second == std::string::npos) continue;
        std::string const controllers = line.substr(first + 1, second - first - 1);
        bool const version_2 = controllers.empty();
        if (!version_2 && ("," + controllers + ",").find(",cpu,") == std::string::npos) continue;
        std::filesystem::path const mount = roots.sys / "fs/cgroup" / controllers;
        // In a container the path may be the host's and lead nowhere; its end, the mount itself, is then what counts.
        for (std::filesystem::path group = std::filesystem::path(line.substr(second + 1)).relative_path();;
             group = group.parent_path()) {
            least = std::min(least, version_2 ? quota_of_version_2(mount / group) : quota_of_version_1(mount / group));
            if (group.empty()) break;
        }
    }
    return least;
}

std::vector<cpu_list> node_cpus(system_roots const& roots) {
    default_floating_environment const environment; // see above
    std::map<std::int64_t, cpu_list> by_number;
    std::error_code failure;
    for (auto const& entry : std::filesystem::directory_iterator(roots.sys / "devices/system/node", failure)) {
        std::string const file = entry.path().filename().string();
        if (!file.starts_with("node")) continue;
        std::int64_t const number = leading_number(std::string_view(file).substr(4), -1);
        cpu_list cpus = parse_cpu_list(first_line(entry.path() / "cpulist"));
        if (number >= 0 && !cpus.empty()) by_number[number] = std::move(cpus);
    }
    std::vector<cpu_list> nodes;
    for (auto& [number, cpus] : by_number) nodes.push_back(std::move(cpus));
    return nodes;
}

std::vector<cpu_list> thread_homes(cpu_list const& allowed, std::vector<cpu_list> const& nodes) {
    std::vector<cpu_list> homes;
    int used = 0;
    for (cpu_list const& node : nodes) {
        cpu_list here;
        std::set_intersection(allowed.begin(), allowed.end(), node.begin(), node.end(), std::back_inserter(here));
        if (!here.empty()) ++used;
        homes.insert(homes.end(), here.size(), here);
    }
    if (used < 2 || homes.size() != allowed.size()) homes.clear();
    return homes;
}

void stay_on(cpu_list const& cpus) noexcept {
    if (cpus.empty()) return;
    std::size_t const capacity = static_cast<std::size_t>(*std::max_element(cpus.begin(), cpus.end())) + 1;
    owned_set const set(CPU_ALLOC(capacity));
    if (set == nullptr) return;
    std::size_t const bytes = CPU_ALLOC_SIZE(capacity);
    CPU_ZERO_S(bytes, set.get());
    for (int const cpu : cpus) CPU_SET_S(static_cast<std::size_t>(cpu), bytes, set.get());
    static_cast<void>(sched_setaffinity(0, bytes, set.get()));
}

} // namespace steadfold::inline v0::base
