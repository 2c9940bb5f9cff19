// The grids of launches of little data: every vector is a thread's, once.
#include "reduce/on_cpu/launch.hpp"

#include <gtest/gtest.h>

namespace {

using namespace on_cpu;

void expect_to_cover(small_launch const& launch, std::int64_t vectors, small_device const& device) {
    ASSERT_GE(launch.blocks, 1);
    EXPECT_LE(launch.blocks, device.blocks);
    EXPECT_LE(launch.threads, device.threads);
    EXPECT_EQ(launch.threads % 32, 0);
    EXPECT_LE(launch.vectors_of_block, launch.threads * device.vectors_of_thread);
    EXPECT_GE(std::int64_t{launch.blocks} * launch.vectors_of_block, vectors);
    EXPECT_LE(std::int64_t{launch.blocks - 1} * launch.vectors_of_block, vectors);
}

/// Of 2, 4 and 8 elements a vector: 256 elements and fewer get one warp, if it can take them.
TEST(small_launches, threads_and_blocks_take_every_vector_once) {
    for (int const blocks : {1, 2, 4, 8})
        for (int threads = 32; threads <= 256; threads += 32)
            for (int const of_thread : {2, 4})
                for (int const folds : {2, 4}) {
                    small_device const device{blocks, threads, of_thread, folds};
                    std::int64_t const most = std::int64_t{blocks} * threads * of_thread;
                    for (std::int64_t const width : {2, 4, 8})
                        for (std::int64_t vectors = 0; vectors <= most; ++vectors) {
                            std::int64_t const elements = vectors * width + 1; // and one before them
                            if (elements > 1 << 17) break;
                            expect_to_cover(small_launch_of(elements, vectors, device), vectors, device);
                            if (HasFailure()) {
                                ADD_FAILURE() << vectors << " vectors of " << width << ", " << blocks << " x "
                                              << threads << ", " << of_thread << " a thread, " << folds << " folds";
                                return;
                            }
                        }
                    EXPECT_EQ(small_launch_of(2 * most + 2, most + 1, device).blocks, 0);
                }
}

TEST(small_launches, more_than_a_block_is_quick_with_goes_to_all_of_a_cluster) {
    small_device const sums{8, 256, 4, 2};
    EXPECT_EQ(small_launch_of(1024, 512, sums).blocks, 1);
    EXPECT_EQ(small_launch_of(1026, 513, sums).blocks, 8);
    EXPECT_EQ(small_launch_of(256, 128, sums).threads, 32);
    EXPECT_EQ(small_launch_of(257, 128, sums).threads, 128);
    small_device const dots{8, 256, 2, 4};
    EXPECT_EQ(small_launch_of(256, 128, dots).threads, 128); // too many for one warp
    EXPECT_EQ(small_launch_of(128, 64, dots).threads, 32);
}

} // namespace
