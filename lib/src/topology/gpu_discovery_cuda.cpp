#include "base/current_device.hpp"
#include "topology/cluster_probe.hpp"
#include "topology/domains.hpp"
#include "topology/gpu_discovery.hpp"
#include "topology/gpu_facts_cuda.hpp"
#include "topology/sysfs.hpp"

namespace steadfold {
inline namespace v0 {
namespace detail {

namespace {

/// 0 if the call fails, as it does where there is no driver.
int version_or_zero(cudaError_t (*ask)(int*)) {
    int version = 0;
    if (ask(&version) == cudaSuccess) return version;
    static_cast<void>(cudaGetLastError());
    return 0;
}

/// The number of GPUs, or 0 and the reason.
int count_gpus(cuda_facts& cuda) {
    int count = 0;
    cudaError_t const result = cudaGetDeviceCount(&count);
    if (result == cudaSuccess && count > 0) return count;
    static_cast<void>(cudaGetLastError());
    std::string const words = result == cudaSuccess ? "it counts 0 GPUs" : cudaGetErrorString(result);
    if (cuda.driver_version == 0) {
        cuda.unavailable = "no CUDA driver found"; // CUDA's own words speak of too old a driver then
    } else {
        cuda.unavailable = "the CUDA driver shows no GPU: " + words;
    }
    return 0;
}

void probe(gpu_facts& gpu) {
    if (gpu.cluster_size_portable == 0 || gpu.compute_mode == "prohibited") return;
    current_device const on(gpu.ordinal);
    gpu.cluster_size_max = probe_cluster_size();
}

} // namespace

gpu_discovery discover_gpus(bool probe_clusters) {
    gpu_discovery found;
    found.cuda.driver_version = version_or_zero(cudaDriverGetVersion);
    found.cuda.runtime_version = version_or_zero(cudaRuntimeGetVersion);
    found.cuda.kernel_driver = first_line("/sys/module/nvidia/version");
    int const count = count_gpus(found.cuda);
    if (count == 0) return found;
    nvml const management;
    for (int ordinal = 0; ordinal < count; ++ordinal) {
        gpu_facts gpu = describe_gpu(ordinal, management);
        gpu.driver_domain_count = reported_domain_count(ordinal, system_driver());
        if (probe_clusters) probe(gpu);
        for (locality_domain const& domain : discover_domains(gpu, system_driver())) found.domains.push_back(domain);
        found.gpus.push_back(std::move(gpu));
    }
    for (gpu_facts const& from : found.gpus) {
        for (gpu_facts const& to : found.gpus) {
            if (from.ordinal != to.ordinal) found.peers.push_back(describe_peers(from, to, management));
        }
    }
    return found;
}

} // namespace detail
} // namespace v0
} // namespace steadfold
