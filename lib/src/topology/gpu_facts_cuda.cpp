#include "topology/gpu_facts_cuda.hpp"

#include "base/cuda_check.hpp"
#include "topology/sysfs.hpp"

#include <cctype>
#include <cstdio>

namespace steadfold {
inline namespace v0 {
namespace detail {

namespace {

std::string about(char const* what, int ordinal) {
    return std::string(what) + " of GPU " + std::to_string(ordinal);
}

/// 8-4-4-4-12 hexadecimal digits, as management tools print it after "GPU-" or "MIG-".
std::string uuid_text(cudaUUID_t const& uuid) {
    std::string text;
    for (int i = 0; i < 16; ++i) {
        if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
        char digits[3];
        std::snprintf(digits, sizeof digits, "%02x", static_cast<unsigned>(static_cast<unsigned char>(uuid.bytes[i])));
        text += digits;
    }
    return text;
}

/// In lower case, as the kernel names its folders.
std::string pci_id_of(int ordinal) {
    char text[32] = "";
    check(cudaDeviceGetPCIBusId(text, sizeof text, ordinal), about("asking for the PCI id", ordinal));
    std::string id = text;
    for (char& c : id) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return id;
}

std::string compute_mode_of(int ordinal) {
    int mode = 0;
    check(cudaDeviceGetAttribute(&mode, cudaDevAttrComputeMode, ordinal),
          about("asking for the compute mode", ordinal));
    switch (mode) {
    case cudaComputeModeDefault:
        return "default";
    case cudaComputeModeProhibited:
        return "prohibited";
    default:
        return "exclusive-process";
    }
}

void take_properties(gpu_facts& gpu, cudaDeviceProp const& properties) {
    gpu.name = properties.name;
    gpu.uuid = uuid_text(properties.uuid);
    gpu.compute_major = properties.major;
    gpu.compute_minor = properties.minor;
    gpu.sm_count = properties.multiProcessorCount;
    gpu.memory_bytes = static_cast<std::int64_t>(properties.totalGlobalMem);
    gpu.l2_bytes = properties.l2CacheSize;
    gpu.shared_memory_per_block_bytes = static_cast<std::int64_t>(properties.sharedMemPerBlockOptin);
    gpu.cluster_size_portable = properties.clusterLaunch != 0 ? 8 : 0;
    gpu.integrated = properties.integrated != 0;
    gpu.managed_memory = properties.managedMemory != 0;
    gpu.concurrent_managed_access = properties.concurrentManagedAccess != 0;
    gpu.pageable_memory_access = properties.pageableMemoryAccess != 0;
    gpu.pageable_uses_host_page_tables = properties.pageableMemoryAccessUsesHostPageTables != 0;
    gpu.host_native_atomics = properties.hostNativeAtomicSupported != 0;
    gpu.cooperative_launch = properties.cooperativeLaunch != 0;
}

/// An attribute of a pair, `otherwise` where the driver has no answer for it.
int peer_attribute(cudaDeviceP2PAttr attribute, int from, int to, int otherwise) {
    int value = 0;
    if (cudaDeviceGetP2PAttribute(&value, attribute, from, to) == cudaSuccess) return value;
    static_cast<void>(cudaGetLastError());
    return otherwise;
}

} // namespace

gpu_facts describe_gpu(int ordinal, nvml const& management) {
    gpu_facts gpu;
    gpu.ordinal = ordinal;
    cudaDeviceProp properties{};
    check(cudaGetDeviceProperties(&properties, ordinal), about("asking for the properties", ordinal));
    take_properties(gpu, properties);
    gpu.compute_mode = compute_mode_of(ordinal);
    gpu.pci_id = pci_id_of(ordinal);
    gpu.pcie = read_pcie_link({}, gpu.pci_id);
    gpu.numa_node = read_pci_numa_node({}, gpu.pci_id);
    gpu.nvlink_count = management.nvlink_count(gpu.pci_id);
    gpu.mig = management.mig(gpu.pci_id);
    return gpu;
}

peer_link describe_peers(gpu_facts const& from, gpu_facts const& to, nvml const& management) {
    peer_link link;
    link.from = from.ordinal;
    link.to = to.ordinal;
    int access = 0;
    check(cudaDeviceCanAccessPeer(&access, from.ordinal, to.ordinal),
          about("asking for peer access", from.ordinal) + " to GPU " + std::to_string(to.ordinal));
    link.access = access != 0;
    link.native_atomics = peer_attribute(cudaDevP2PAttrNativeAtomicSupported, from.ordinal, to.ordinal, 0) != 0;
    link.performance_rank = peer_attribute(cudaDevP2PAttrPerformanceRank, from.ordinal, to.ordinal, -1);
    link.nvlink = management.nvlink_between(from.pci_id, to.pci_id);
    return link;
}

} // namespace detail
} // namespace v0
} // namespace steadfold
