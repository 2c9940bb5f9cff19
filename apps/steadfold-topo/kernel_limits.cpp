#include "kernel_limits.hpp"

#include "steadfold/error.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>
#include <limits>
#include <nlohmann/json.hpp>

namespace steadfold {
inline namespace v0 {
namespace app {

namespace {

std::int64_t parse(std::string const& word, char const* what, bool may_be_size) {
    std::int64_t value = 0;
    char const* const last = word.data() + word.size();
    auto const [end, failure] = std::from_chars(word.data(), last, value);
    bool const in_kib = may_be_size && end + 1 == last && (*end == 'K' || *end == 'k');
    if (failure != std::errc{} || (end != last && !in_kib) || value < 0 || value > std::numeric_limits<int>::max())
        throw argument_error("--kernel-limits: " + std::string(what) + " is \"" + word + "\"; give a number" +
                             (may_be_size ? " of bytes, or such as 20K" : ""));
    return in_kib ? value * 1024 : value;
}

std::string line(char const* what, std::string const& text) {
    std::array<char, 32> start{};
    std::snprintf(start.data(), start.size(), "%-22s", what);
    return start.data() + text + "\n";
}

std::string number(std::int64_t value) {
    return std::to_string(value);
}

std::string percent(double part) {
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), "%.1f %%", 100 * part);
    return text.data();
}

std::string kib(std::int64_t bytes) {
    return bytes % 1024 == 0 ? number(bytes / 1024) + " KiB" : number(bytes) + " B";
}

template <class Function>
void for_each_resource(Function const& f) {
    for (int i = 0; i < block_resource_count; ++i) f(static_cast<block_resource>(i));
}

std::string limits_of(occupancy_report const& report) {
    std::string text;
    for_each_resource([&](block_resource resource) {
        if (report.limited_by(resource)) text.append(text.empty() ? "" : " and ").append(name(resource));
    });
    return text;
}

std::string each_limit(occupancy_report const& report) {
    std::string text;
    for_each_resource([&](block_resource resource) {
        int const blocks = report.blocks_by[static_cast<std::size_t>(resource)];
        text.append(text.empty() ? "" : ", ").append(name(resource)).append(" ");
        text += blocks == std::numeric_limits<int>::max() ? "any" : number(blocks);
    });
    return text;
}

std::string described(kernel_needs const& kernel) {
    std::string text = number(kernel.threads_per_block) + " threads of " + number(kernel.registers_per_thread) +
                       " registers, " + number(kernel.shared_bytes_per_block) + " B of shared memory a block";
    if (kernel.blocks_per_cluster > 1) text += ", clusters of " + number(kernel.blocks_per_cluster) + " blocks";
    return text;
}

std::string described(chip_limits const& chip) {
    std::string const generation =
        chip.compute_major > 0 ? ", compute capability " + number(chip.compute_major) + "." + number(chip.compute_minor)
                               : "";
    return chip.name + generation + ", multiprocessors: " + number(chip.multiprocessors);
}

} // namespace

kernel_needs parse_kernel(std::vector<std::string> const& words) {
    if (words.size() < 3 || words.size() > 4)
        throw argument_error("--kernel-limits takes THREADS REGISTERS SHARED and perhaps CLUSTER, not " +
                             std::to_string(words.size()) + " words");
    kernel_needs kernel;
    kernel.threads_per_block = static_cast<int>(parse(words[0], "THREADS", false));
    kernel.registers_per_thread = static_cast<int>(parse(words[1], "REGISTERS", false));
    kernel.shared_bytes_per_block = parse(words[2], "SHARED", true);
    if (words.size() == 4) kernel.blocks_per_cluster = static_cast<int>(parse(words[3], "CLUSTER", false));
    return kernel;
}

std::string kernel_limits_text(kernel_needs const& kernel, chip_limits const& chip,
                               std::optional<std::int64_t> blocks) {
    occupancy_report const report = occupancy(kernel, chip);
    std::string text = line("chip", described(chip)) + line("kernel", described(kernel));
    if (!report.impossible.empty()) return text + line("cannot be launched", report.impossible);
    text += line("blocks per SM", number(report.blocks_per_multiprocessor) + ", limited by " + limits_of(report));
    text += line("  each alone allows", each_limit(report));
    text += line("warps resident", percent(report.warps) + " of what an SM can have");
    text += line("resident grid", number(report.resident_blocks) + " blocks");
    text += line("largest block", number(largest_block(kernel, chip)) + " threads");
    if (blocks) {
        wave_report const waves = waves_of(report, *blocks);
        text += line("grid", number(*blocks) + " blocks: waves " + number(waves.waves) + ", blocks in the last " +
                                 number(waves.blocks_in_last) + ", SMs used " + number(waves.multiprocessors_used) +
                                 ", room used " + percent(waves.used));
    }
    text += line("shared memory set to", "blocks per SM");
    for (carve_out_effect const& each : report.carve_outs)
        text += line(("  " + kib(each.shared_bytes)).c_str(),
                     number(each.blocks_per_multiprocessor) + (each.l1_bytes > 0 ? ", L1 " + kib(each.l1_bytes) : ""));
    return text;
}

std::string kernel_limits_json(kernel_needs const& kernel, chip_limits const& chip,
                               std::optional<std::int64_t> blocks) {
    using json = nlohmann::ordered_json;
    occupancy_report const report = occupancy(kernel, chip);
    json by, limited = json::array(), carve_outs = json::array();
    for_each_resource([&](block_resource resource) {
        std::string key{name(resource)};
        std::replace(key.begin(), key.end(), ' ', '_');
        int const most = report.blocks_by[static_cast<std::size_t>(resource)];
        by[key] = most == std::numeric_limits<int>::max() ? json() : json(most);
        if (report.impossible.empty() && report.limited_by(resource)) limited.push_back(key);
    });
    for (carve_out_effect const& each : report.carve_outs)
        carve_outs.push_back({{"shared_bytes", each.shared_bytes},
                              {"l1_bytes", each.l1_bytes > 0 ? json(each.l1_bytes) : json()},
                              {"blocks_per_multiprocessor", each.blocks_per_multiprocessor}});
    json all = {{"chip",
                 {{"name", chip.name},
                  {"compute_capability", {chip.compute_major, chip.compute_minor}},
                  {"multiprocessors", chip.multiprocessors}}},
                {"kernel",
                 {{"threads_per_block", kernel.threads_per_block},
                  {"registers_per_thread", kernel.registers_per_thread},
                  {"shared_bytes_per_block", kernel.shared_bytes_per_block},
                  {"blocks_per_cluster", kernel.blocks_per_cluster}}},
                {"impossible", report.impossible.empty() ? json() : json(report.impossible)},
                {"blocks_per_multiprocessor", report.blocks_per_multiprocessor},
                {"limited_by", limited},
                {"blocks_by", by},
                {"warps_resident", report.warps},
                {"resident_blocks", report.resident_blocks},
                {"largest_block_threads", largest_block(kernel, chip)},
                {"carve_outs", carve_outs}};
    if (blocks && report.impossible.empty()) {
        wave_report const waves = waves_of(report, *blocks);
        all["grid"] = {{"blocks", *blocks},
                       {"waves", waves.waves},
                       {"blocks_in_last", waves.blocks_in_last},
                       {"multiprocessors_used", waves.multiprocessors_used},
                       {"used", waves.used}};
    }
    return all.dump(2) + "\n";
}

} // namespace app
} // namespace v0
} // namespace steadfold
