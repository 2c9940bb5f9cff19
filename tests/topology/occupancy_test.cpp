// Blocks a multiprocessor: by hand, and as the CUDA Toolkit's own arithmetic says where it is installed.
#include "steadfold/error.hpp"
#include "steadfold/occupancy.hpp"

#include <functional>
#include <gtest/gtest.h>
#include <random>
#if __has_include(<cuda_occupancy.h>)
#include <cuda_occupancy.h>
#endif

namespace {

namespace sf = steadfold;
using sf::block_resource;

void expect_refused(std::function<void()> const& call, std::vector<std::string> const& words) {
    try {
        call();
        ADD_FAILURE() << "not refused; expected a message with " << words.front();
    } catch (sf::argument_error const& e) {
        for (std::string const& word : words)
            EXPECT_NE(std::string(e.what()).find(word), std::string::npos) << "no \"" << word << "\" in: " << e.what();
    }
}

TEST(occupancy, of_48_kib_and_20_kib_a_block_is_2_blocks) {
    sf::occupancy_report const report =
        sf::occupancy({.threads_per_block = 128, .registers_per_thread = 16, .shared_bytes_per_block = 20 << 10},
                      sf::chip_by_name("smem=48K"));
    EXPECT_EQ(report.blocks_per_multiprocessor, 2);
    EXPECT_TRUE(report.limited_by(block_resource::shared_memory));
    EXPECT_FALSE(report.limited_by(block_resource::registers));
}

// 65536 registers in 4 parts: 16384 / (64 * 32) = 8 warps a part, 32 in all, 4 blocks of 8 warps.
TEST(occupancy, names_every_resource_that_limits) {
    sf::chip_limits const h100 = sf::chip_by_name("h100");
    sf::occupancy_report const registers = sf::occupancy({.threads_per_block = 256, .registers_per_thread = 64}, h100);
    EXPECT_EQ(registers.blocks_per_multiprocessor, 4);
    EXPECT_TRUE(registers.limited_by(block_resource::registers));
    EXPECT_FALSE(registers.limited_by(block_resource::threads));
    EXPECT_DOUBLE_EQ(registers.warps, 0.5);
    EXPECT_EQ(registers.resident_blocks, 4 * 132);

    sf::occupancy_report const both = sf::occupancy({.threads_per_block = 256, .registers_per_thread = 32}, h100);
    EXPECT_EQ(both.blocks_per_multiprocessor, 8);
    EXPECT_TRUE(both.limited_by(block_resource::registers));
    EXPECT_TRUE(both.limited_by(block_resource::threads));

    sf::occupancy_report const blocks = sf::occupancy({.threads_per_block = 32, .registers_per_thread = 8}, h100);
    EXPECT_EQ(blocks.blocks_per_multiprocessor, 32);
    EXPECT_TRUE(blocks.limited_by(block_resource::blocks));
    EXPECT_EQ(blocks.blocks_by[static_cast<std::size_t>(block_resource::shared_memory)], 228); // 1 KiB for the system
}

TEST(occupancy, of_an_impossible_block_says_why_and_what_could_be) {
    sf::chip_limits const a100 = sf::chip_by_name("a100");
    sf::occupancy_report const heavy = sf::occupancy({.threads_per_block = 1024, .registers_per_thread = 128}, a100);
    EXPECT_EQ(heavy.blocks_per_multiprocessor, 0);
    EXPECT_EQ(heavy.resident_blocks, 0);
    EXPECT_NE(heavy.impossible.find("65536"), std::string::npos) << heavy.impossible;
    EXPECT_NE(heavy.impossible.find("512 threads"), std::string::npos) << heavy.impossible;
    EXPECT_EQ(sf::largest_block({.threads_per_block = 1024, .registers_per_thread = 128}, a100), 512);
    EXPECT_EQ(sf::largest_block({.registers_per_thread = 255}, a100), 256);

    auto const why = [&](sf::kernel_needs const& kernel) { return sf::occupancy(kernel, a100).impossible; };
    EXPECT_NE(why({.threads_per_block = 1056}).find("at most 1024"), std::string::npos);
    EXPECT_NE(why({.registers_per_thread = 300}).find("255"), std::string::npos);
    EXPECT_NE(why({.shared_bytes_per_block = 164 << 10}).find(std::to_string(163 << 10)), std::string::npos);
    EXPECT_NE(why({.blocks_per_cluster = 2}).find("9.0"), std::string::npos);
    EXPECT_EQ(sf::largest_block({.shared_bytes_per_block = 164 << 10}, a100), 0);
    expect_refused([&] { (void)sf::waves_of(sf::occupancy({.threads_per_block = 2000}, a100), 5); }, {"launched"});
}

TEST(occupancy, counts_whole_clusters) {
    sf::chip_limits const h100 = sf::chip_by_name("h100");
    sf::occupancy_report const one =
        sf::occupancy({.threads_per_block = 1024, .registers_per_thread = 64, .blocks_per_cluster = 8}, h100);
    EXPECT_EQ(one.blocks_per_multiprocessor, 1);
    EXPECT_EQ(one.resident_blocks, 128); // of 132
    EXPECT_NE(sf::occupancy({.blocks_per_cluster = 17}, h100).impossible.find("16"), std::string::npos);
}

TEST(occupancy, changes_with_the_setting_of_shared_memory) {
    sf::occupancy_report const report =
        sf::occupancy({.threads_per_block = 128, .registers_per_thread = 32, .shared_bytes_per_block = 30 << 10},
                      sf::chip_by_name("h200"));
    std::vector<int> blocks;
    for (sf::carve_out_effect const& each : report.carve_outs) {
        EXPECT_EQ(each.shared_bytes + each.l1_bytes, 256 << 10);
        blocks.push_back(each.blocks_per_multiprocessor);
    }
    EXPECT_EQ(blocks, (std::vector<int>{1, 2, 3, 4, 5, 6, 7})); // 31 KiB in 32, 64, 100, 132, 164, 196, 228
}

TEST(waves, the_last_one_is_what_is_left) {
    sf::occupancy_report const report =
        sf::occupancy({.threads_per_block = 256, .registers_per_thread = 64}, sf::chip_by_name("h100"));
    sf::wave_report const more = sf::waves_of(report, 600);
    EXPECT_EQ(more.waves, 2);
    EXPECT_EQ(more.blocks_in_last, 72);
    EXPECT_EQ(more.multiprocessors_used, 132);
    EXPECT_DOUBLE_EQ(more.used, 600.0 / 1056);
    sf::wave_report const few = sf::waves_of(report, 7);
    EXPECT_EQ(few.waves, 1);
    EXPECT_EQ(few.blocks_in_last, 7);
    EXPECT_EQ(few.multiprocessors_used, 7);
    EXPECT_EQ(sf::waves_of(report, 528).blocks_in_last, 528);
    EXPECT_EQ(sf::waves_of(report, std::int64_t{1} << 40).waves, (std::int64_t{1} << 40) / 528 + 1);
    expect_refused([&] { (void)sf::waves_of(report, 0); }, {"1 block or more"});
}

TEST(chips, have_names_and_descriptions) {
    for (std::string const& name : sf::known_chips()) EXPECT_EQ(sf::chip_by_name(name).name, name);
    EXPECT_EQ(sf::chip_by_name("RTX3060").multiprocessors, 28);
    sf::chip_limits const part = sf::chip_by_name("rtx3060,sms=26,smem=64K");
    EXPECT_EQ(part.multiprocessors, 26);
    EXPECT_EQ(part.threads_per_multiprocessor, 1536);
    EXPECT_EQ(part.carve_outs, (std::vector<std::int64_t>{0, 8 << 10, 16 << 10, 32 << 10, 64 << 10}));
    EXPECT_EQ(part.shared_bytes_per_block, 63 << 10);
    EXPECT_EQ(part.name, "rtx3060,sms=26,smem=64K");
    EXPECT_EQ(sf::chip_by_name("cc=9.0,sms=114").multiprocessors, 114);
    EXPECT_EQ(sf::chip_by_name("regs=32K,threads=1024,blocks=8").registers_per_block, 32768);
    for (char const* wrong : {"", "h1000", "smem", "smem=", "smem=4x", "smem=-1", "smem=0", "cc=9", "cc=3.5", "size=3",
                              "h100,a100", "sms=99999999999", "smem=48K,cc=9.0", ","})
        expect_refused([&] { (void)sf::chip_by_name(wrong); }, {"a100", "smem=48K"});
    expect_refused([] { (void)sf::chip_of_device(-1); }, {"CUDA"});
}

TEST(occupancy, refuses_what_no_kernel_has) {
    sf::chip_limits const chip;
    expect_refused([&] { (void)sf::occupancy({.threads_per_block = 0}, chip); }, {"threads_per_block"});
    expect_refused([&] { (void)sf::occupancy({.registers_per_thread = -1}, chip); }, {"registers_per_thread"});
    expect_refused([&] { (void)sf::occupancy({.shared_bytes_per_block = -1}, chip); }, {"shared_bytes"});
    expect_refused([&] { (void)sf::largest_block({.blocks_per_cluster = 0}, chip); }, {"blocks_per_cluster"});
}

#if __has_include(<cuda_occupancy.h>)
cudaOccDeviceProp properties_of(sf::chip_limits const& chip) {
    cudaOccDeviceProp properties;
    properties.computeMajor = chip.compute_major;
    properties.computeMinor = chip.compute_minor;
    properties.maxThreadsPerBlock = chip.threads_per_block;
    properties.maxThreadsPerMultiprocessor = chip.threads_per_multiprocessor;
    properties.regsPerBlock = chip.registers_per_block;
    properties.regsPerMultiprocessor = chip.registers_per_multiprocessor;
    properties.warpSize = 32;
    properties.sharedMemPerBlock = 48 << 10;
    properties.sharedMemPerMultiprocessor = static_cast<std::size_t>(chip.carve_outs.back());
    properties.numSms = chip.multiprocessors;
    properties.sharedMemPerBlockOptin = static_cast<std::size_t>(chip.shared_bytes_per_block);
    properties.reservedSharedMemPerBlock = static_cast<std::size_t>(chip.reserved_shared_bytes);
    return properties;
}

TEST(occupancy, of_random_kernels_is_what_the_toolkit_says) {
    std::mt19937 random{5};
    auto const below = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
    for (std::string const& name : sf::known_chips()) {
        sf::chip_limits const chip = sf::chip_by_name(name);
        cudaOccDeviceProp const properties = properties_of(chip);
        for (int i = 0; i < 20000; ++i) {
            sf::kernel_needs const kernel{.threads_per_block = 1 + below(1024),
                                          .registers_per_thread = 1 + below(255),
                                          .shared_bytes_per_block = below(i % 2 == 0 ? 16 << 10 : 240 << 10)};
            cudaOccFuncAttributes attributes;
            attributes.maxThreadsPerBlock = chip.threads_per_block;
            attributes.numRegs = kernel.registers_per_thread;
            attributes.shmemLimitConfig = FUNC_SHMEM_LIMIT_OPTIN;
            attributes.maxDynamicSharedSizeBytes = static_cast<std::size_t>(kernel.shared_bytes_per_block);
            cudaOccDeviceState const state;
            cudaOccResult result{};
            ASSERT_EQ(cudaOccMaxActiveBlocksPerMultiprocessor(&result, &properties, &attributes, &state,
                                                              kernel.threads_per_block,
                                                              static_cast<std::size_t>(kernel.shared_bytes_per_block)),
                      CUDA_OCC_SUCCESS);
            sf::occupancy_report const report = sf::occupancy(kernel, chip);
            ASSERT_EQ(report.blocks_per_multiprocessor, result.activeBlocksPerMultiprocessor)
                << name << ": " << kernel.threads_per_block << " threads of " << kernel.registers_per_thread
                << " registers, " << kernel.shared_bytes_per_block << " bytes";
            ASSERT_EQ(report.impossible.empty(), report.blocks_per_multiprocessor > 0);
        }
    }
}
#endif

} // namespace
