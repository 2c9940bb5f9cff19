#include "peer_table.hpp"

#include <cstdio>

namespace steadfold {
inline namespace v0 {
namespace app {

namespace {

std::string link_name(process_facts const& process, int from, int to) {
    if (from == to) return ".";
    for (peer_link const& link : process.peers) {
        if (link.from != from || link.to != to) continue;
        if (!link.access) return "no";
        if (!link.nvlink) return "peer";
        return *link.nvlink ? "NVLink" : "PCIe";
    }
    return "?";
}

std::string cell(std::string const& text) {
    char padded[32];
    std::snprintf(padded, sizeof padded, " %7s", text.c_str());
    return padded;
}

} // namespace

std::string peer_table(process_facts const& process) {
    if (process.gpus.size() < 2) return {};
    std::string text = "Peer access from GPU (row) to the memory of GPU (column)\n" + cell("");
    for (gpu_facts const& to : process.gpus) text += cell("GPU " + std::to_string(to.ordinal));
    text += "\n";
    bool unknown_kind = false;
    for (gpu_facts const& from : process.gpus) {
        text += cell("GPU " + std::to_string(from.ordinal));
        for (gpu_facts const& to : process.gpus) {
            std::string const name = link_name(process, from.ordinal, to.ordinal);
            unknown_kind = unknown_kind || name == "peer";
            text += cell(name);
        }
        text += "\n";
    }
    if (unknown_kind) text += "peer: possible; over which kind of link is unknown without NVML\n";
    return text;
}

} // namespace app
} // namespace v0
} // namespace steadfold
