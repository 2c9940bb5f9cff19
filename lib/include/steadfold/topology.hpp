/// What is here: hosts, ranks, CPUs, NUMA nodes, GPUs, their links and their locality domains.
///
///     sf::topology here = sf::discover_topology(world);        // collective; or discover_topology() for one process
///     for (sf::gpu_facts const& gpu : here.here().process.gpus)
///         std::printf("%d %s, %d SMs\n", gpu.ordinal, gpu.name.c_str(), gpu.sm_count);
///     sf::partition layout = sf::block_partition({nx, ny, nz}, here.domains());
///     sf::array<double> x{layout, here.self, here.here().devices};
///
/// Plain data, copied freely. Numbers that could not be found out are 0, texts empty, NUMA nodes -1. Discovery reads
/// the operating system and asks the CUDA driver; it allocates nothing on a GPU and makes no CUDA context, unless
/// `discovery_options` ask for it. A machine without a GPU or a driver is not an error: `cuda.unavailable` says why.
#pragma once

#include "steadfold/communicator.hpp"
#include "steadfold/levels.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace steadfold {
inline namespace v0 {

/// A part of the host with its own memory. A kernel without NUMA shows one, with all CPUs.
struct numa_node {
    int index = 0;
    std::vector<int> cpus; ///< logical CPUs, those of other processes too
    std::int64_t memory_bytes = 0;
};

struct host_facts {
    std::string name;
    std::string boot_id; ///< tells hosts of the same name apart; empty if the kernel does not say
    std::string cpu_model;
    std::vector<numa_node> numa_nodes;
    std::int64_t memory_bytes = 0;
};

/// A GPU's PCI Express link, from the operating system. Idle links may be slower than they can be.
struct pcie_link {
    int generation = 0, width = 0; ///< now
    int max_generation = 0, max_width = 0;
};

struct gpu_facts {
    int ordinal = 0; ///< CUDA's number, in this process
    std::string name;
    std::string uuid;   ///< the same GPU or MIG instance has the same one in every process
    std::string pci_id; ///< e.g. "0000:1b:00.0"
    int compute_major = 0, compute_minor = 0;
    int sm_count = 0;
    std::int64_t memory_bytes = 0, l2_bytes = 0;
    std::int64_t shared_memory_per_block_bytes = 0; ///< the most a kernel can opt in to
    int cluster_size_portable = 0;                  ///< blocks; 8 from compute capability 9.0 on, 0 before
    int cluster_size_max = 0;                       ///< with the non-portable attribute; 0: none, or not asked
    bool integrated = false;                        ///< shares the host's memory chips
    pcie_link pcie;
    int nvlink_count = 0;                   ///< active NVLink lanes; 0 also if NVML is missing
    int numa_node = -1;                     ///< the host's node next to it
    std::string compute_mode;               ///< "default", "exclusive-process" or "prohibited"
    std::optional<bool> mig;                ///< in MIG mode; empty if NVML is missing
    bool managed_memory = false;            ///< cudaMallocManaged works
    bool concurrent_managed_access = false; ///< host and GPU may touch managed memory at the same time
    bool pageable_memory_access = false;    ///< kernels may read ordinary host memory
    bool pageable_uses_host_page_tables = false;
    bool host_native_atomics = false; ///< read-modify-write on host memory is atomic
    bool cooperative_launch = false;
    int driver_domain_count = 1; ///< locality domains the driver reports; 1 on drivers that know none
};

/// What one GPU can do with the memory of another; `from` and `to` are ordinals of one process.
struct peer_link {
    int from = 0, to = 0;
    bool access = false;         ///< kernels on `from` can address memory of `to`
    bool native_atomics = false; ///< read-modify-write over the link is atomic
    int performance_rank = 0;    ///< 0 is the fastest kind of link of the machine; -1: unknown
    std::optional<bool> nvlink;  ///< the path is NVLink, directly or by a switch; empty if NVML is missing
};

struct cuda_facts {
    int driver_version = 0;    ///< newest CUDA the driver can run, 1000 * major + 10 * minor; 0: no driver
    int runtime_version = 0;   ///< CUDA steadfold was built with; 0: none
    std::string kernel_driver; ///< e.g. "580.159.03"
    std::string unavailable;   ///< why there are no GPUs; empty if there are
};

/// A part of a device with its own processors and near memory. Every device has at least one.
struct locality_domain {
    int device = host_device; ///< CUDA ordinal, or `host_device`
    int index = 0;            ///< counts within the device
    int sm_count = 0;         ///< SMs; on the host: CPUs this process may use
    std::int64_t memory_bytes = 0;
};

/// What one process sees.
struct process_facts {
    host_facts host;
    std::vector<int> allowed_cpus; ///< logical CPUs this process may run on
    cuda_facts cuda;
    std::vector<gpu_facts> gpus;          ///< by ordinal
    std::vector<peer_link> peers;         ///< every ordered pair of different GPUs
    std::vector<locality_domain> domains; ///< of the host, then of every GPU
};

struct rank_facts {
    int rank = 0;
    int host = 0;                             ///< place in topology::hosts
    int local_rank = 0, local_rank_count = 1; ///< among the ranks of the same host
    std::vector<int> devices; ///< what this rank should use: ordinals, or `host_device` alone; never empty
    process_facts process;
};

struct host_ranks {
    std::string name;
    std::vector<int> ranks; ///< ascending
};

struct topology {
    std::vector<host_ranks> hosts; ///< by their lowest rank
    std::vector<rank_facts> ranks; ///< by rank
    int self = 0;                  ///< the rank that asked

    [[nodiscard]] rank_facts const& here() const { return ranks.at(static_cast<std::size_t>(self)); }

    /// Ranks, devices of each rank and domains of each device, for `block_partition`.
    /// @throws argument_error  naming two ranks or devices, if their numbers of devices or domains differ
    [[nodiscard]] level_counts domains() const;
};

/// How GPUs are dealt out to the ranks of a host.
enum class device_policy : std::uint8_t {
    even,   ///< every GPU in use where that gives all ranks equally many; else as many as do
    single, ///< at most one GPU a rank
    none,   ///< the host CPU, whatever GPUs there are
};

/// The ordinals rank `local_rank` of the `local_ranks` that see the same `device_count` GPUs should use.
///
/// One GPU: every rank uses it. More ranks than GPUs: round-robin, `local_rank % device_count`. Otherwise `even` gives
/// every rank device_count / local_ranks neighbouring GPUs (a remainder stays idle: with equal shares of the data a
/// rank with one GPU more would only wait for the others). No GPU: empty.
/// @throws argument_error  naming the numbers, unless 0 <= local_rank < local_ranks and device_count >= 0
[[nodiscard]] std::vector<int> choose_devices(int local_rank, int local_ranks, int device_count,
                                              device_policy policy = device_policy::even);

struct discovery_options {
    device_policy policy = device_policy::even;
    /// Fill `gpu_facts::cluster_size_max`. Makes a CUDA context on every visible GPU (some 500 MB each).
    bool probe_clusters = false;
};

/// This process alone, as rank 0 of 1.
[[nodiscard]] topology discover_topology(discovery_options options = {});

/// All ranks: every rank gets the whole. Collective over `comm`. Ranks that see the same set of GPUs of a host share
/// them by `choose_devices`; a launcher that shows every rank GPUs of its own is followed.
/// @throws timeout_error  if a rank does not arrive
[[nodiscard]] topology discover_topology(communicator const& comm, discovery_options options = {});

} // namespace v0
} // namespace steadfold
