/// NVML, if the machine has it: loaded at run time, since drivers bring it and toolkits do not.
#pragma once

#include <memory>
#include <optional>
#include <string>

namespace steadfold {
inline namespace v0 {
namespace detail {

/// NVML sees all GPUs of the machine, whatever CUDA_VISIBLE_DEVICES hides: GPUs are named by PCI id here.
class nvml {
  public:
    nvml();
    ~nvml();
    nvml(nvml const&) = delete;
    nvml& operator=(nvml const&) = delete;

    /// Active NVLink lanes; 0 if there are none or NVML does not say.
    [[nodiscard]] int nvlink_count(std::string const& pci_id) const;
    /// Whether the two reach each other over NVLink; empty if NVML does not say.
    [[nodiscard]] std::optional<bool> nvlink_between(std::string const& pci_id, std::string const& other) const;
    /// Whether the GPU is in MIG mode. GPUs that cannot be are not.
    [[nodiscard]] std::optional<bool> mig(std::string const& pci_id) const;

  private:
    struct functions;
    std::unique_ptr<functions> functions_; ///< null if NVML is missing or did not start
};

} // namespace detail
} // namespace v0
} // namespace steadfold
