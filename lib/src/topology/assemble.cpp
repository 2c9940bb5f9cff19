#include "topology/assemble.hpp"

#include "steadfold/error.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

namespace steadfold {
inline namespace v0 {
namespace detail {

namespace {

void find_hosts(topology& all) {
    std::map<std::pair<std::string, std::string>, int> known;
    for (rank_facts& rank : all.ranks) {
        host_facts const& host = rank.process.host;
        auto const [at, is_new] = known.try_emplace({host.name, host.boot_id}, static_cast<int>(all.hosts.size()));
        if (is_new) all.hosts.push_back({host.name, {}});
        rank.host = at->second;
        std::vector<int>& ranks = all.hosts[static_cast<std::size_t>(rank.host)].ranks;
        rank.local_rank = static_cast<int>(ranks.size());
        ranks.push_back(rank.rank);
    }
    for (rank_facts& rank : all.ranks) {
        rank.local_rank_count = static_cast<int>(all.hosts[static_cast<std::size_t>(rank.host)].ranks.size());
    }
}

/// Ranks of one host that see the same GPUs, in whatever order.
struct sharers {
    std::vector<std::string> uuids; ///< as the first of them numbers them
    std::vector<std::size_t> ranks;
};

std::vector<sharers> find_sharers(topology const& all) {
    std::map<std::pair<int, std::vector<std::string>>, sharers> groups;
    for (std::size_t rank = 0; rank < all.ranks.size(); ++rank) {
        std::vector<std::string> uuids;
        for (gpu_facts const& gpu : all.ranks[rank].process.gpus) uuids.push_back(gpu.uuid);
        std::vector<std::string> sorted = uuids;
        std::sort(sorted.begin(), sorted.end());
        sharers& group = groups[{all.ranks[rank].host, std::move(sorted)}];
        if (group.ranks.empty()) group.uuids = std::move(uuids);
        group.ranks.push_back(rank);
    }
    std::vector<sharers> result;
    for (auto& [key, group] : groups) result.push_back(std::move(group));
    return result;
}

/// The number `rank` has for the GPU: CUDA_VISIBLE_DEVICES may order them differently for every rank.
int ordinal_of(rank_facts const& rank, std::string const& uuid) {
    auto const& gpus = rank.process.gpus;
    auto const at = std::find_if(gpus.begin(), gpus.end(), [&](gpu_facts const& gpu) { return gpu.uuid == uuid; });
    return at->ordinal;
}

void share_gpus(topology& all, std::vector<device_policy> const& policies) {
    for (sharers const& group : find_sharers(all)) {
        for (std::size_t place = 0; place < group.ranks.size(); ++place) {
            rank_facts& rank = all.ranks[group.ranks[place]];
            for (int const chosen :
                 choose_devices(static_cast<int>(place), static_cast<int>(group.ranks.size()),
                                static_cast<int>(group.uuids.size()), policies[group.ranks[place]])) {
                rank.devices.push_back(ordinal_of(rank, group.uuids[static_cast<std::size_t>(chosen)]));
            }
            if (rank.devices.empty()) rank.devices.push_back(host_device);
        }
    }
}

} // namespace

topology assemble(std::vector<rank_report> reports, int self) {
    topology all;
    all.self = self;
    std::vector<device_policy> policies;
    for (rank_report& report : reports) {
        policies.push_back(report.policy);
        all.ranks.emplace_back().process = std::move(report.process);
        all.ranks.back().rank = static_cast<int>(policies.size()) - 1;
    }
    find_hosts(all);
    share_gpus(all, policies);
    return all;
}

} // namespace detail

namespace {

int domains_of(rank_facts const& rank, int device) {
    auto const& domains = rank.process.domains;
    return static_cast<int>(std::count_if(domains.begin(), domains.end(),
                                          [device](locality_domain const& domain) { return domain.device == device; }));
}

} // namespace

level_counts topology::domains() const {
    rank_facts const& first = ranks.at(0);
    level_counts const counts{static_cast<int>(ranks.size()), static_cast<int>(first.devices.size()),
                              domains_of(first, first.devices.at(0))};
    for (rank_facts const& rank : ranks) {
        if (rank.devices.size() != first.devices.size()) {
            throw argument_error("rank 0 has " + std::to_string(first.devices.size()) + " device(s), rank " +
                                 std::to_string(rank.rank) + " has " + std::to_string(rank.devices.size()) +
                                 ": a block partition needs the same number on every rank");
        }
        for (int const device : rank.devices) {
            if (domains_of(rank, device) == counts.domains_per_device) continue;
            throw argument_error("device " + std::to_string(device) + " of rank " + std::to_string(rank.rank) +
                                 " has " + std::to_string(domains_of(rank, device)) + " locality domain(s), device " +
                                 std::to_string(first.devices[0]) + " of rank 0 has " +
                                 std::to_string(counts.domains_per_device) +
                                 ": a block partition needs the same number on every device");
        }
    }
    return counts;
}

} // namespace v0
} // namespace steadfold
