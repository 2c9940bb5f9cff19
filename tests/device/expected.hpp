// What functions of block.cuh must give: values combined one after the other, in the order of threads.
#pragma once

#include "device/block_cases.cuh"

#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <type_traits>
#include <vector>

namespace device_cases {

struct shape {
    unsigned x, y, z;
    [[nodiscard]] std::size_t threads() const { return std::size_t{x} * y * z; }
};
inline std::string text(shape const& s) {
    return std::to_string(s.x) + " x " + std::to_string(s.y) + " x " + std::to_string(s.z);
}

/// Whole and partial last warps, one to three dimensions, one thread to the most.
inline constexpr shape shapes[] = {{1, 1, 1},   {2, 1, 1},  {31, 1, 1},  {32, 1, 1},  {33, 1, 1},   {63, 1, 1},
                                   {64, 1, 1},  {65, 1, 1}, {100, 1, 1}, {256, 1, 1}, {1000, 1, 1}, {1024, 1, 1},
                                   {16, 16, 1}, {33, 3, 1}, {7, 5, 3},   {8, 8, 16},  {1, 1, 64},   {5, 1, 41}};

template <class T>
std::vector<T> random_values(std::size_t count, std::uint64_t seed) {
    std::mt19937_64 random{seed};
    std::vector<T> values(count);
    for (T& value : values)
        if constexpr (std::is_same_v<T, affine>)
            value = {static_cast<std::uint32_t>(random()), static_cast<std::uint32_t>(random()), 1};
        else if constexpr (std::is_floating_point_v<T>)
            value = static_cast<T>(std::normal_distribution<double>{}(random));
        else if constexpr (std::is_signed_v<T>)
            value = static_cast<T>(static_cast<int>(random() % 20001) - 10000); // sums do not overflow
        else
            value = static_cast<T>(random());
    return values;
}

template <class T>
struct expected_of_block {
    std::vector<T> inclusive, exclusive;
};

template <class T, class Operation>
expected_of_block<T> expected(std::vector<T> const& values, T initial, Operation operation) {
    expected_of_block<T> all;
    T running = values.front(), before = initial;
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (i > 0) running = operation(running, values[i]);
        all.inclusive.push_back(running);
        all.exclusive.push_back(before);
        before = operation(before, values[i]);
    }
    return all;
}

} // namespace device_cases
