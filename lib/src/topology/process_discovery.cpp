#include "topology/process_discovery.hpp"

#include "base/cpus.hpp"
#include "topology/domains.hpp"
#include "topology/gpu_discovery.hpp"
#include "topology/host_discovery.hpp"

#include <utility>

namespace steadfold {
inline namespace v0 {
namespace detail {

process_facts discover_process(bool probe_clusters) {
    process_facts facts;
    facts.host = discover_host();
    facts.allowed_cpus = base::allowed_cpus();
    facts.domains.push_back(host_domain(facts.host, facts.allowed_cpus));
    gpu_discovery found = discover_gpus(probe_clusters);
    facts.cuda = std::move(found.cuda);
    facts.gpus = std::move(found.gpus);
    facts.peers = std::move(found.peers);
    facts.domains.insert(facts.domains.end(), found.domains.begin(), found.domains.end());
    return facts;
}

} // namespace detail
} // namespace v0
} // namespace steadfold
