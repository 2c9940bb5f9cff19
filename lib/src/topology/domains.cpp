#include "topology/domains.hpp"

#include <algorithm>

namespace steadfold {
inline namespace v0 {
namespace detail {

namespace {

// The numbers of CUDA 13.4's cuda.h; older toolkits, which steadfold builds with too, have no names for them.
constexpr int first_version_with_domains = 13040;
constexpr int attribute_domain_count = 149;

} // namespace

int reported_domain_count(int ordinal, driver_table const& driver) {
    // An older driver may use the number for something else: its version decides first.
    if (driver.version < first_version_with_domains) return 1;
    if (driver.device_get == nullptr || driver.device_get_attribute == nullptr) return 1;
    int handle = 0, count = 0;
    if (driver.device_get(&handle, ordinal) != 0) return 1;
    if (driver.device_get_attribute(&count, attribute_domain_count, handle) != 0) return 1;
    return std::max(count, 1);
}

std::vector<locality_domain> discover_domains(gpu_facts const& gpu, driver_table const&) {
    return {{gpu.ordinal, 0, gpu.sm_count, gpu.memory_bytes}};
}

locality_domain host_domain(host_facts const& host, std::vector<int> const& allowed_cpus) {
    return {host_device, 0, static_cast<int>(allowed_cpus.size()), host.memory_bytes};
}

} // namespace detail
} // namespace v0
} // namespace steadfold
