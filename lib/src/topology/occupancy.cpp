#include "steadfold/occupancy.hpp"

#include "steadfold/error.hpp"

#include <algorithm>
#include <limits>

namespace steadfold {
inline namespace v0 {

namespace {

constexpr int warp_threads = 32;
constexpr int unlimited = std::numeric_limits<int>::max();

std::int64_t rounded_up(std::int64_t value, std::int64_t unit) {
    return (value + unit - 1) / unit * unit;
}

int warps_of(kernel_needs const& kernel) {
    return (kernel.threads_per_block + warp_threads - 1) / warp_threads;
}

std::int64_t registers_of_warp(kernel_needs const& kernel, chip_limits const& chip) {
    return rounded_up(std::int64_t{kernel.registers_per_thread} * warp_threads, chip.register_unit);
}

/// The launch is refused as if every part gave as many warps their registers.
bool registers_fit(kernel_needs const& kernel, chip_limits const& chip) {
    return kernel.registers_per_thread <= chip.registers_per_thread &&
           registers_of_warp(kernel, chip) * rounded_up(warps_of(kernel), chip.parts) <= chip.registers_per_block;
}

int blocks_by_registers(kernel_needs const& kernel, chip_limits const& chip) {
    if (!registers_fit(kernel, chip)) return 0;
    std::int64_t const of_warp = registers_of_warp(kernel, chip);
    if (of_warp == 0) return unlimited;
    std::int64_t const warps = chip.registers_per_multiprocessor / chip.parts / of_warp * chip.parts;
    return static_cast<int>(warps / warps_of(kernel));
}

std::int64_t shared_of_block(kernel_needs const& kernel, chip_limits const& chip) {
    return rounded_up(kernel.shared_bytes_per_block + chip.reserved_shared_bytes, chip.shared_unit);
}

int blocks_by_shared(kernel_needs const& kernel, chip_limits const& chip, std::int64_t shared_bytes) {
    if (kernel.shared_bytes_per_block > chip.shared_bytes_per_block) return 0;
    std::int64_t const of_block = shared_of_block(kernel, chip);
    return of_block == 0 ? unlimited : static_cast<int>(shared_bytes / of_block);
}

int blocks_by_threads(kernel_needs const& kernel, chip_limits const& chip) {
    if (kernel.threads_per_block > chip.threads_per_block) return 0;
    return chip.threads_per_multiprocessor / warp_threads / warps_of(kernel);
}

std::array<int, block_resource_count> blocks_by(kernel_needs const& kernel, chip_limits const& chip,
                                                std::int64_t shared_bytes) {
    return {blocks_by_threads(kernel, chip), blocks_by_registers(kernel, chip),
            blocks_by_shared(kernel, chip, shared_bytes), chip.blocks_per_multiprocessor};
}

int least_of(std::array<int, block_resource_count> const& limits) {
    return *std::min_element(limits.begin(), limits.end());
}

void require(kernel_needs const& kernel) {
    auto const require_at_least = [](std::int64_t value, std::int64_t least, char const* what) {
        if (value < least)
            throw argument_error(std::string(what) + " is " + std::to_string(value) + "; it must be " +
                                 std::to_string(least) + " or more");
    };
    require_at_least(kernel.threads_per_block, 1, "threads_per_block");
    require_at_least(kernel.registers_per_thread, 0, "registers_per_thread");
    require_at_least(kernel.shared_bytes_per_block, 0, "shared_bytes_per_block");
    require_at_least(kernel.blocks_per_cluster, 1, "blocks_per_cluster");
}

std::string why_impossible(kernel_needs const& kernel, chip_limits const& chip) {
    auto const number = [](std::int64_t value) { return std::to_string(value); };
    int const largest = largest_block(kernel, chip);
    std::string const instead =
        largest == 0 ? "" : "; the largest block of this kernel has " + number(largest) + " threads";
    if (kernel.registers_per_thread > chip.registers_per_thread)
        return number(kernel.registers_per_thread) + " registers a thread: there are at most " +
               number(chip.registers_per_thread) + ", what is beyond is spilled to local memory";
    if (kernel.shared_bytes_per_block > chip.shared_bytes_per_block)
        return number(kernel.shared_bytes_per_block) + " bytes of shared memory a block: there are at most " +
               number(chip.shared_bytes_per_block);
    if (kernel.threads_per_block > chip.threads_per_block)
        return number(kernel.threads_per_block) + " threads a block: there are at most " +
               number(chip.threads_per_block) + instead;
    if (!registers_fit(kernel, chip))
        return number(kernel.threads_per_block) + " threads of " + number(kernel.registers_per_thread) +
               " registers take more than the " + number(chip.registers_per_block) + " of a block" + instead;
    if (kernel.blocks_per_cluster > chip.blocks_per_cluster)
        return "clusters of " + number(kernel.blocks_per_cluster) + " blocks: " +
               (chip.blocks_per_cluster == 1 ? "the chip has none (compute capability 9.0 and newer have)"
                                             : "there are at most " + number(chip.blocks_per_cluster));
    return "a block takes more than a multiprocessor has" + instead;
}

} // namespace

std::string_view name(block_resource resource) noexcept {
    constexpr std::array<std::string_view, block_resource_count> names{"threads", "registers", "shared memory",
                                                                       "blocks"};
    return names[static_cast<std::size_t>(resource)];
}

int largest_block(kernel_needs const& kernel, chip_limits const& chip) {
    require(kernel);
    if (kernel.shared_bytes_per_block > chip.shared_bytes_per_block) return 0;
    kernel_needs smaller = kernel;
    for (int threads = chip.threads_per_block / warp_threads * warp_threads; threads > 0; threads -= warp_threads) {
        smaller.threads_per_block = threads;
        if (least_of(blocks_by(smaller, chip, chip.carve_outs.back())) > 0) return threads;
    }
    return 0;
}

occupancy_report occupancy(kernel_needs const& kernel, chip_limits const& chip) {
    require(kernel);
    occupancy_report report;
    report.multiprocessors = chip.multiprocessors;
    report.blocks_by = blocks_by(kernel, chip, chip.carve_outs.back());
    bool const clusters_exist = kernel.blocks_per_cluster <= chip.blocks_per_cluster;
    report.blocks_per_multiprocessor = clusters_exist ? least_of(report.blocks_by) : 0;
    if (report.blocks_per_multiprocessor == 0) {
        report.impossible = why_impossible(kernel, chip);
        return report;
    }
    int const most_warps = chip.threads_per_multiprocessor / warp_threads;
    report.warps = static_cast<double>(report.blocks_per_multiprocessor) * warps_of(kernel) / most_warps;
    std::int64_t const blocks = std::int64_t{report.blocks_per_multiprocessor} * chip.multiprocessors;
    report.resident_blocks = blocks / kernel.blocks_per_cluster * kernel.blocks_per_cluster;
    for (std::int64_t const shared : chip.carve_outs) {
        int const with = least_of(blocks_by(kernel, chip, shared));
        if (with > 0)
            report.carve_outs.push_back({shared, chip.unified_bytes > 0 ? chip.unified_bytes - shared : 0, with});
    }
    return report;
}

wave_report waves_of(occupancy_report const& report, std::int64_t blocks) {
    if (blocks < 1) throw argument_error("a grid has 1 block or more, not " + std::to_string(blocks));
    if (report.resident_blocks < 1) throw argument_error("the kernel cannot be launched: " + report.impossible);
    std::int64_t const at_once = report.resident_blocks, waves = (blocks + at_once - 1) / at_once;
    auto const used = static_cast<int>(std::min<std::int64_t>(blocks, report.multiprocessors));
    return {waves, blocks - (waves - 1) * at_once, used,
            static_cast<double>(blocks) / static_cast<double>(waves * at_once)};
}

} // namespace v0
} // namespace steadfold
