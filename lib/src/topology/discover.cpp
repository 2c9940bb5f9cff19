#include "topology/assemble.hpp"
#include "topology/process_discovery.hpp"

#include <utility>

namespace steadfold {
inline namespace v0 {

topology discover_topology(discovery_options options) {
    return discover_topology(communicator(), options);
}

topology discover_topology(communicator const& comm, discovery_options options) {
    std::vector<std::byte> const mine =
        detail::encode({detail::discover_process(options.probe_clusters), options.policy});
    std::vector<std::size_t> lengths;
    std::vector<std::byte> const all = comm.all_gather_varying(mine, lengths);
    std::vector<detail::rank_report> reports;
    std::size_t first = 0;
    for (std::size_t const length : lengths) {
        reports.push_back(detail::decode(std::span(all).subspan(first, length)));
        first += length;
    }
    return detail::assemble(std::move(reports), comm.rank());
}

} // namespace v0
} // namespace steadfold
