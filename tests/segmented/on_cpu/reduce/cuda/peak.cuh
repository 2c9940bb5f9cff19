// Stands in for the library's header of this name, which has PTX in it, where kernels run on the CPU.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

namespace steadfold::inline v0::cuda {

/// max(a, |b|); NaN stays.
inline float max_magnitude(float a, std::uint32_t b) {
    float const magnitude = std::fabs(std::bit_cast<float>(b));
    return std::isnan(a) || std::isnan(magnitude) ? std::bit_cast<float>(0x7fffffffu) : std::fmax(a, magnitude);
}

} // namespace steadfold::inline v0::cuda
