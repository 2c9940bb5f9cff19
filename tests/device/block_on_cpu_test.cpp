// Reductions and scans of blocks, run by fibers: every shape, and a last warp that is not whole.
#include "device/expected.hpp"
#include "on_cpu/fibers.hpp"

#include <gtest/gtest.h>

namespace {

using namespace device_cases;
namespace device = steadfold::device;

template <class T>
struct got_of_block {
    std::vector<T> reduced, everywhere, inclusive, exclusive;
    explicit got_of_block(std::size_t threads)
        : reduced(1), everywhere(threads), inclusive(threads), exclusive(threads) {}
};

template <class T, class Operation>
got_of_block<T> run(shape const& s, std::vector<T> const& values, T initial, Operation operation, std::uint64_t seed) {
    got_of_block<T> got{s.threads()};
    room_of_block<T> room;
    std::memset(&room, 0xa5, sizeof room); // shared memory is not cleared
    on_cpu::fibers block{on_cpu::index{s.x, s.y, s.z}, seed};
    block.run(0, [&] {
        compute(values.data(), initial, operation,
                {got.reduced.data(), got.everywhere.data(), got.inclusive.data(), got.exclusive.data()}, room);
    });
    return got;
}

template <class T, class Operation>
void check(Operation operation) {
    for (shape const& s : shapes)
        for (std::uint64_t seed = 1; seed <= 3; ++seed) {
            std::vector<T> const values = random_values<T>(s.threads(), seed);
            T const initial = random_values<T>(1, seed + 100).front();
            got_of_block<T> const got = run(s, values, initial, operation, seed);
            expected_of_block<T> const right = expected(values, initial, operation);
            EXPECT_EQ(got.reduced.front(), right.inclusive.back()) << text(s);
            EXPECT_EQ(got.everywhere, std::vector<T>(s.threads(), right.inclusive.back())) << text(s);
            EXPECT_EQ(got.inclusive, right.inclusive) << text(s);
            EXPECT_EQ(got.exclusive, right.exclusive) << text(s);
        }
}

TEST(blocks_of_threads, combine_values_in_the_order_of_threads) {
    check<affine>(then{});
}

TEST(blocks_of_threads, combine_values_of_every_size) {
    check<std::int32_t>(device::plus{});
    check<std::uint64_t>(device::plus{});
    check<std::uint8_t>(device::bit_xor{});
    check<std::int16_t>(device::minimum{});
    check<double>(device::maximum{});
    check<std::uint32_t>(device::bit_and{});
    check<std::uint32_t>(device::bit_or{});
}

// Rounded on the way, so not what any order gives: but the same in all threads, for any order in which threads run.
TEST(blocks_of_threads, give_floating_point_sums_the_same_bits_in_every_thread_and_on_every_call) {
    for (shape const& s : shapes) {
        std::vector<double> const values = random_values<double>(s.threads(), 7);
        got_of_block<double> const first = run(s, values, 0.5, device::plus{}, 1);
        EXPECT_EQ(first.everywhere, std::vector<double>(s.threads(), first.reduced.front())) << text(s);
        EXPECT_NEAR(first.reduced.front(), expected(values, 0.0, device::plus{}).inclusive.back(), 1e-11) << text(s);
        for (std::uint64_t seed = 2; seed <= 4; ++seed) {
            got_of_block<double> const again = run(s, values, 0.5, device::plus{}, seed);
            EXPECT_EQ(again.reduced, first.reduced) << text(s);
            EXPECT_EQ(again.everywhere, first.everywhere) << text(s);
            EXPECT_EQ(again.inclusive, first.inclusive) << text(s);
            EXPECT_EQ(again.exclusive, first.exclusive) << text(s);
        }
    }
}

TEST(blocks_of_threads, say_how_much_shared_memory_they_take) {
    EXPECT_EQ(device::block_reduce<double>::storage_bytes, 32 * sizeof(double));
    EXPECT_EQ(device::block_scan<affine>::storage_bytes, 32 * sizeof(affine));
    EXPECT_EQ(device::block_reduce<std::uint8_t>::storage_bytes, 32U);
}

} // namespace
