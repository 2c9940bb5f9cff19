#include "topology/nvml.hpp"

#include <dlfcn.h>

namespace steadfold {
inline namespace v0 {
namespace detail {

namespace {

// From nvml.h, whose interface is kept stable by versioned names.
using device_handle = void*;
constexpr int success = 0, error_not_supported = 3;
constexpr int p2p_nvlink = 2; // NVML_P2P_CAPS_INDEX_NVLINK
constexpr int p2p_ok = 0;     // NVML_P2P_STATUS_OK
constexpr unsigned most_links = 64;

} // namespace

struct nvml::functions {
    void* library = nullptr;
    int (*init)() = nullptr;
    int (*shutdown)() = nullptr;
    int (*handle_by_pci_id)(char const*, device_handle*) = nullptr;
    int (*nvlink_state)(device_handle, unsigned, int*) = nullptr;
    int (*p2p_status)(device_handle, device_handle, int, int*) = nullptr;
    int (*mig_mode)(device_handle, unsigned*, unsigned*) = nullptr;

    template <class Function>
    bool find(char const* name, Function& function) {
        function = reinterpret_cast<Function>(dlsym(library, name));
        return function != nullptr;
    }

    /// False if what everything needs is missing. The rest may be null.
    bool load() {
        library = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
        if (library == nullptr) return false;
        bool const usable = find("nvmlInit_v2", init) && find("nvmlShutdown", shutdown) &&
                            find("nvmlDeviceGetHandleByPciBusId_v2", handle_by_pci_id) && init() == success;
        if (!usable) {
            dlclose(library);
            return false;
        }
        find("nvmlDeviceGetNvLinkState", nvlink_state);
        find("nvmlDeviceGetP2PStatus", p2p_status);
        find("nvmlDeviceGetMigMode", mig_mode);
        return true;
    }

    bool handle(std::string const& pci_id, device_handle& device) const {
        return handle_by_pci_id(pci_id.c_str(), &device) == success;
    }
};

nvml::nvml() : functions_(std::make_unique<functions>()) {
    if (!functions_->load()) functions_.reset();
}

nvml::~nvml() {
    if (!functions_) return;
    functions_->shutdown();
    dlclose(functions_->library);
}

int nvml::nvlink_count(std::string const& pci_id) const {
    device_handle device = nullptr;
    if (!functions_ || functions_->nvlink_state == nullptr || !functions_->handle(pci_id, device)) return 0;
    int active = 0;
    for (unsigned link = 0; link < most_links; ++link) {
        int state = 0;
        if (functions_->nvlink_state(device, link, &state) != success) break; // past the last link
        active += state == 1 ? 1 : 0;
    }
    return active;
}

std::optional<bool> nvml::nvlink_between(std::string const& pci_id, std::string const& other) const {
    device_handle from = nullptr, to = nullptr;
    int status = 0;
    if (!functions_ || functions_->p2p_status == nullptr || !functions_->handle(pci_id, from) ||
        !functions_->handle(other, to) || functions_->p2p_status(from, to, p2p_nvlink, &status) != success) {
        return std::nullopt;
    }
    return status == p2p_ok;
}

std::optional<bool> nvml::mig(std::string const& pci_id) const {
    device_handle device = nullptr;
    if (!functions_ || functions_->mig_mode == nullptr || !functions_->handle(pci_id, device)) return std::nullopt;
    unsigned current = 0, pending = 0;
    int const result = functions_->mig_mode(device, &current, &pending);
    if (result == error_not_supported) return false;
    if (result != success) return std::nullopt;
    return current == 1;
}

} // namespace detail
} // namespace v0
} // namespace steadfold
