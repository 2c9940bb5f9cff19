#include "communicate/nccl_devices.hpp"

#include <cstring>
#include <cuda_runtime_api.h>
#include <fstream>
#include <map>
#include <unistd.h>
#include <utility>
#include <vector>

namespace steadfold {
inline namespace v0 {
namespace nccl::detail {

namespace {

/// What a rank tells the others; travels as bytes between ranks of one program.
struct device_card {
    char host[64];
    char pci[32];
    int device;
    int usable;
};

/// The boot id tells kernels apart where containers of one host have different host names, and the reverse.
std::string host_identity() {
    std::string id;
    std::ifstream("/proc/sys/kernel/random/boot_id") >> id;
    if (!id.empty()) return id;
    char name[64] = "";
    static_cast<void>(gethostname(name, sizeof name - 1));
    return name;
}

device_card describe(int device) {
    device_card card{};
    card.device = device;
    host_identity().copy(card.host, sizeof card.host - 1);
    int count = 0;
    bool const usable = cudaGetDeviceCount(&count) == cudaSuccess && device >= 0 && device < count &&
                        cudaDeviceGetPCIBusId(card.pci, sizeof card.pci, device) == cudaSuccess;
    if (!usable) static_cast<void>(cudaGetLastError()); // a machine without GPUs is an answer, not an error
    card.usable = usable;
    return card;
}

} // namespace

std::string device_conflict(communicator const& bootstrap, int device) {
    device_card const mine = describe(device);
    std::vector<device_card> all(static_cast<std::size_t>(bootstrap.size()));
    bootstrap.all_gather(std::as_bytes(std::span(&mine, 1)), std::as_writable_bytes(std::span(all)));

    std::map<std::pair<std::string, std::string>, std::size_t> owners;
    for (std::size_t r = 0; r < all.size(); ++r) {
        if (!all[r].usable) return "rank " + std::to_string(r) + " has no CUDA device " + std::to_string(all[r].device);
        auto const [owner, is_new] = owners.try_emplace({all[r].host, all[r].pci}, r);
        if (!is_new)
            return "ranks " + std::to_string(owner->second) + " and " + std::to_string(r) + " share the GPU at " +
                   all[r].pci + "; start one rank for each GPU and choose devices by local rank";
    }
    return {};
}

} // namespace nccl::detail
} // namespace v0
} // namespace steadfold
