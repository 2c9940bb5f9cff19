// Chips by name and by description. What the generations have: CUDA Programming Guide, "Technical Specifications per
// Compute Capability"; the settings of shared memory, the units and the parts: cuda_occupancy.h of the CUDA Toolkit.
#include "steadfold/error.hpp"
#include "steadfold/occupancy.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <optional>
#include <span>

namespace steadfold {
inline namespace v0 {

namespace {

constexpr std::array<int, 6> kib_70{0, 8, 16, 32, 64, 96};
constexpr std::array<int, 2> kib_75{32, 64};
constexpr std::array<int, 8> kib_80{0, 8, 16, 32, 64, 100, 132, 164};
constexpr std::array<int, 6> kib_86{0, 8, 16, 32, 64, 100};
constexpr std::array<int, 10> kib_90{0, 8, 16, 32, 64, 100, 132, 164, 196, 228};

struct generation {
    int major, minor;
    int threads, blocks; // of a multiprocessor
    std::span<int const> carve_outs_kib;
    int unified_kib;
    int blocks_per_cluster = 1;
};

constexpr generation generations[] = {
    {7, 0, 2048, 32, kib_70, 128},      {7, 5, 1024, 16, kib_75, 96},       {8, 0, 2048, 32, kib_80, 192},
    {8, 6, 1536, 16, kib_86, 128},      {8, 7, 1536, 16, kib_80, 192},      {8, 9, 1536, 24, kib_86, 128},
    {9, 0, 2048, 32, kib_90, 256, 16},  {10, 0, 2048, 32, kib_90, 256, 16}, {10, 3, 2048, 32, kib_90, 256, 16},
    {11, 0, 1536, 24, kib_90, 256, 16}, {12, 0, 1536, 24, kib_86, 128, 8},  {12, 1, 1536, 24, kib_86, 128, 8},
};

struct chip {
    std::string_view name;
    int major, minor, multiprocessors;
};

constexpr chip chips[] = {
    {"v100", 7, 0, 80},    {"t4", 7, 5, 40},      {"a100", 8, 0, 108},  {"a30", 8, 0, 56},       {"a10", 8, 6, 72},
    {"rtx3060", 8, 6, 28}, {"rtx3090", 8, 6, 82}, {"l4", 8, 9, 58},     {"l40s", 8, 9, 142},     {"rtx4090", 8, 9, 128},
    {"h100", 9, 0, 132},   {"h200", 9, 0, 132},   {"b200", 10, 0, 148}, {"rtx5090", 12, 0, 170},
};

[[noreturn]] void refuse(std::string_view part, std::string const& why) {
    std::string names;
    for (chip const& each : chips) names.append(names.empty() ? "" : ", ").append(each.name);
    throw argument_error("\"" + std::string(part) + "\" " + why + "; a chip is one of " + names +
                         ", or smem=48K,regs=64K,threads=2048,blocks=32,sms=108,cc=8.0 and such");
}

chip_limits of_generation(int major, int minor, std::string_view part) {
    auto const* const found = std::find_if(std::begin(generations), std::end(generations),
                                           [&](generation const& g) { return g.major == major && g.minor == minor; });
    if (found == std::end(generations)) refuse(part, "is a compute capability that is not known here");
    chip_limits limits;
    limits.name = "cc " + std::to_string(major) + "." + std::to_string(minor);
    limits.compute_major = major;
    limits.compute_minor = minor;
    limits.threads_per_multiprocessor = found->threads;
    limits.blocks_per_multiprocessor = found->blocks;
    limits.register_unit = 256;
    limits.parts = 4;
    limits.carve_outs.clear();
    for (int const kib : found->carve_outs_kib) limits.carve_outs.push_back(std::int64_t{kib} * 1024);
    bool const reserves = major >= 8;
    limits.reserved_shared_bytes = reserves ? 1024 : 0;
    limits.shared_unit = reserves ? 128 : 256;
    limits.shared_bytes_per_block = limits.carve_outs.back() - limits.reserved_shared_bytes;
    limits.unified_bytes = std::int64_t{found->unified_kib} * 1024;
    limits.blocks_per_cluster = found->blocks_per_cluster;
    return limits;
}

std::int64_t number(std::string_view part, std::string_view text) {
    std::int64_t value = 0;
    auto const [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
    std::string_view const rest{end, static_cast<std::size_t>(text.data() + text.size() - end)};
    if (failure == std::errc{} && (rest == "K" || rest == "k") && value <= std::numeric_limits<int>::max() / 1024)
        return value > 0 ? value * 1024 : 0;
    if (failure != std::errc{} || !rest.empty() || value < 0 || value > std::numeric_limits<int>::max())
        refuse(part, "has no number behind its =, such as 48K or 2048");
    return value;
}

/// "8.6"
chip_limits of_compute_capability(std::string_view part, std::string_view text) {
    std::size_t const dot = text.find('.');
    if (dot == std::string_view::npos) refuse(part, "needs a compute capability such as 8.6");
    return of_generation(static_cast<int>(number(part, text.substr(0, dot))),
                         static_cast<int>(number(part, text.substr(dot + 1))), part);
}

void set(chip_limits& limits, std::string_view part, std::string_view key, std::string_view text) {
    std::int64_t const value = number(part, text);
    if (value == 0) refuse(part, "must not be 0");
    auto const count = static_cast<int>(value);
    if (key == "smem") {
        std::erase_if(limits.carve_outs, [value](std::int64_t each) { return each >= value; });
        limits.carve_outs.push_back(value);
        limits.shared_bytes_per_block = value - limits.reserved_shared_bytes;
        if (limits.unified_bytes < value) limits.unified_bytes = 0;
    } else if (key == "regs") {
        limits.registers_per_multiprocessor = count;
        limits.registers_per_block = std::min(limits.registers_per_block, count);
    } else if (key == "threads") {
        limits.threads_per_multiprocessor = count;
        limits.threads_per_block = std::min(limits.threads_per_block, count);
    } else if (key == "blocks") {
        limits.blocks_per_multiprocessor = count;
    } else if (key == "sms") {
        limits.multiprocessors = count;
    } else {
        refuse(part, "is no property: smem, regs, threads, blocks and sms are, and cc in front of them");
    }
}

std::optional<chip_limits> named(std::string_view part) {
    std::string lower{part};
    std::transform(lower.begin(), lower.end(), lower.begin(),
                   [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
    for (chip const& each : chips)
        if (each.name == lower) {
            chip_limits limits = of_generation(each.major, each.minor, part);
            limits.name = lower;
            limits.multiprocessors = each.multiprocessors;
            return limits;
        }
    return {};
}

} // namespace

chip_limits chip_by_name(std::string_view description) {
    chip_limits limits;
    std::string_view rest = description;
    for (bool is_first = true; is_first || !rest.empty(); is_first = false) {
        std::size_t const comma = rest.find(',');
        std::string_view const part = rest.substr(0, comma);
        rest = comma == std::string_view::npos ? std::string_view{} : rest.substr(comma + 1);
        std::size_t const equals = part.find('=');
        if (equals == std::string_view::npos) {
            std::optional<chip_limits> const known = is_first ? named(part) : std::nullopt;
            if (!known) refuse(part, is_first ? "is no chip known here" : "is no property");
            limits = *known;
            continue;
        }
        std::string_view const key = part.substr(0, equals), value = part.substr(equals + 1);
        if (key == "cc" && is_first)
            limits = of_compute_capability(part, value);
        else
            set(limits, part, key, value);
        if (!is_first || key != "cc") limits.name = std::string(description);
    }
    return limits;
}

std::vector<std::string> known_chips() {
    std::vector<std::string> names;
    for (chip const& each : chips) names.emplace_back(each.name);
    return names;
}

} // namespace v0
} // namespace steadfold
