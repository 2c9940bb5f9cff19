/// What the kernel's files say about devices. The roots can be replaced in tests; a missing file is no error.
#pragma once

#include "base/kernel_files.hpp"
#include "steadfold/topology.hpp"

#include <string>
#include <string_view>

namespace steadfold {
inline namespace v0 {
namespace detail {

using base::first_line;
using base::leading_number;
using base::parse_cpu_list;
using base::system_roots;
using base::value_after;

/// "32.0 GT/s PCIe" is generation 5; 0 if the speed is none of PCI Express.
[[nodiscard]] int pcie_generation(std::string_view link_speed);

/// The link of the device at `pci_id` ("0000:1b:00.0").
[[nodiscard]] pcie_link read_pcie_link(system_roots const& roots, std::string const& pci_id);

/// The NUMA node next to the device at `pci_id`; -1 if the kernel knows none.
[[nodiscard]] int read_pci_numa_node(system_roots const& roots, std::string const& pci_id);

} // namespace detail
} // namespace v0
} // namespace steadfold
