// Data of a test's own making.
#pragma once

#include "support/generators.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <string>
#include <vector>

namespace on_cpu {

namespace sf = steadfold;
using oracle::sample;

/// Elements `offset` places into memory that is aligned.
struct shifted {
    std::vector<std::byte> bytes;
    std::byte* data;
    shifted(sample const& s, std::size_t offset) : bytes(s.bytes.size() + 64) {
        auto const misaligned = reinterpret_cast<std::uintptr_t>(bytes.data()) % 16;
        data = bytes.data() + (16 - misaligned) % 16 + offset * sf::size_bytes(sf::component_type(s.type));
        std::ranges::copy(s.bytes, data);
    }
};

/// Of float64, float32 or bfloat16 values.
inline sample as_sample(std::vector<double> const& values, sf::dtype type, std::string const& label) {
    std::size_t const bytes = sf::size_bytes(type);
    sample s{type, static_cast<std::int64_t>(values.size()), std::vector<std::byte>(values.size() * bytes), label};
    for (std::size_t i = 0; i < values.size(); ++i) {
        auto const narrow = static_cast<float>(values[i]);
        auto const half = static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(narrow) >> 16);
        void const* const from = bytes == 8   ? static_cast<void const*>(&values[i])
                                 : bytes == 4 ? static_cast<void const*>(&narrow)
                                              : static_cast<void const*>(&half);
        std::memcpy(s.bytes.data() + i * bytes, from, bytes);
    }
    return s;
}

} // namespace on_cpu
