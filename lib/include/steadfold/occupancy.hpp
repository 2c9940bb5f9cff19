/// How many blocks of a kernel a chip runs at a time, what limits them, and how long the last ones take.
///
///     sf::chip_limits const chip = sf::chip_by_name("h100");       // or sf::chip_of_device(0): no GPU is needed for
///     this sf::kernel_needs const kernel{.threads_per_block = 256, .registers_per_thread = 64,
///                                   .shared_bytes_per_block = 40 << 10};
///     sf::occupancy_report const report = sf::occupancy(kernel, chip);
///     report.blocks_per_multiprocessor;                            // 4
///     report.limited_by(sf::block_resource::registers);            // true
///     sf::waves_of(report, 600);                                   // 2 waves; 72 blocks in the last one
///
/// The arithmetic is that of the CUDA Toolkit's cuda_occupancy.h and agrees with it; here it also says why. Registers
/// are given to warps in units of 256, by each of the four parts of a multiprocessor; shared memory to blocks in units
/// of 128 bytes, with 1 KiB for the system in each (compute capability 8.0 and newer).
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace steadfold {
inline namespace v0 {

/// What a multiprocessor of a chip has, and in which portions it gives it away. The default is a plain one that rounds
/// nothing up.
struct chip_limits {
    std::string name = "described";
    int compute_major = 0, compute_minor = 0; ///< 0.0: of no generation
    int multiprocessors = 1;
    int threads_per_block = 1024;
    int threads_per_multiprocessor = 2048;
    int blocks_per_multiprocessor = 32;
    int registers_per_thread = 255, registers_per_block = 65536, registers_per_multiprocessor = 65536;
    int register_unit = 1;                       ///< registers of a warp are a multiple of it
    int parts = 1;                               ///< of a multiprocessor, each with as many registers
    std::vector<std::int64_t> carve_outs{49152}; ///< bytes of shared memory it can be set to, ascending
    std::int64_t shared_bytes_per_block = 49152; ///< most, with the opt-in of cudaFuncSetAttribute
    std::int64_t shared_unit = 1;                ///< bytes of a block are a multiple of it
    std::int64_t reserved_shared_bytes = 0;      ///< of each block, by the system
    std::int64_t unified_bytes = 0;              ///< of shared memory and L1 together; 0: not known
    int blocks_per_cluster = 1;                  ///< most; above 8 with cudaFuncAttributeNonPortableClusterSizeAllowed
};

/// A chip by name ("a100"), or as described: "smem=48K,regs=64K,threads=2048,blocks=32,sms=108,cc=8.0", any of these,
/// also behind a name or a generation: "rtx3060,sms=26", "cc=9.0,sms=114". Names of known_chips(). K is 1024.
/// @throws argument_error naming what is not understood, and what would be
[[nodiscard]] chip_limits chip_by_name(std::string_view description);

/// @throws argument_error if there is no such GPU, or no CUDA in this build
[[nodiscard]] chip_limits chip_of_device(int device);

[[nodiscard]] std::vector<std::string> known_chips();

/// What a block of a kernel takes.
struct kernel_needs {
    int threads_per_block = 256;
    int registers_per_thread = 32;
    std::int64_t shared_bytes_per_block = 0;   ///< static and dynamic together
    int blocks_per_cluster = 1;                ///< above 1: launched as clusters of so many
    std::int64_t spilled_bytes_per_thread = 0; ///< local memory, if known: registers that did not suffice
};

/// Of a __global__ function, as compiled for `device`. @throws argument_error, library_error
[[nodiscard]] kernel_needs needs_of(void const* function, int threads_per_block, std::int64_t dynamic_shared_bytes = 0,
                                    int device = 0);

enum class block_resource : std::uint8_t { threads, registers, shared_memory, blocks };
inline constexpr int block_resource_count = 4;
[[nodiscard]] std::string_view name(block_resource resource) noexcept;

/// How many blocks there are room for with one setting of shared memory, the rest being L1.
struct carve_out_effect {
    std::int64_t shared_bytes = 0, l1_bytes = 0; ///< of the multiprocessor; L1 0: not known
    int blocks_per_multiprocessor = 0;
};

struct occupancy_report {
    int blocks_per_multiprocessor = 0; ///< 0: the kernel cannot be launched, see `impossible`
    /// What each resource alone would allow, by block_resource; 2^31 - 1 if none of it is taken.
    std::array<int, block_resource_count> blocks_by{};
    double warps = 0; ///< of those a multiprocessor can have, the part that is resident

    std::int64_t resident_blocks = 0; ///< of the chip, whole clusters only: the largest cooperative grid
    int multiprocessors = 0;          ///< of the chip
    std::string impossible;           ///< why no block can run, and the largest that could; empty if one can

    std::vector<carve_out_effect> carve_outs; ///< of every setting that has room for a block

    [[nodiscard]] bool limited_by(block_resource resource) const noexcept {
        return blocks_by[static_cast<std::size_t>(resource)] == blocks_per_multiprocessor;
    }
};

/// With as much shared memory as the chip can be set to. Clusters are counted as if no border of a GPC was in their
/// way: of a device, cudaOccupancyMaxActiveClusters knows better.
/// @throws argument_error for counts below 1 and negative sizes
[[nodiscard]] occupancy_report occupancy(kernel_needs const& kernel, chip_limits const& chip);

/// The most threads a block of this kernel can have, a multiple of 32; 0 if its registers or shared memory never fit.
[[nodiscard]] int largest_block(kernel_needs const& kernel, chip_limits const& chip);

/// A grid in turns of as many blocks as are resident.
struct wave_report {
    std::int64_t waves = 0, blocks_in_last = 0; ///< as if all blocks took equally long
    int multiprocessors_used = 0;
    double used = 0; ///< blocks over what that many waves have room for
};

/// @throws argument_error for a kernel that cannot be launched, and fewer than 1 block
[[nodiscard]] wave_report waves_of(occupancy_report const& report, std::int64_t blocks);

} // namespace v0
} // namespace steadfold
