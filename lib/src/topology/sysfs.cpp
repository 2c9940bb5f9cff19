#include "topology/sysfs.hpp"

#include <cmath>
#include <cstdlib>

namespace steadfold {
inline namespace v0 {
namespace detail {

int pcie_generation(std::string_view link_speed) {
    // Transfer rates of PCI Express 1.0 to 7.0, GT/s.
    constexpr double rates[] = {2.5, 5, 8, 16, 32, 64, 128};
    double const rate = std::strtod(std::string(link_speed).c_str(), nullptr);
    int generation = 0;
    for (double const known : rates) {
        ++generation;
        if (std::abs(rate - known) < 0.05) return generation;
    }
    return 0;
}

pcie_link read_pcie_link(system_roots const& roots, std::string const& pci_id) {
    std::filesystem::path const device = roots.sys / "bus/pci/devices" / pci_id;
    auto const width = [&](char const* file) {
        std::int64_t const lanes = leading_number(first_line(device / file), 0);
        return lanes > 0 && lanes <= 32 ? static_cast<int>(lanes) : 0; // the kernel says 255 or 63 for "unknown"
    };
    return {pcie_generation(first_line(device / "current_link_speed")), width("current_link_width"),
            pcie_generation(first_line(device / "max_link_speed")), width("max_link_width")};
}

int read_pci_numa_node(system_roots const& roots, std::string const& pci_id) {
    return static_cast<int>(leading_number(first_line(roots.sys / "bus/pci/devices" / pci_id / "numa_node"), -1));
}

} // namespace detail
} // namespace v0
} // namespace steadfold
