// Results on their way to where the caller wants them.
#pragma once

#include "segmented/cuda/call.hpp"

namespace steadfold::inline v0::segmented {

/// The bits of one result, in the width of its type. One thread.
__device__ inline void write_result(call const& c, std::int64_t output, std::uint64_t real, std::uint64_t imaginary,
                                    status_flags status) {
    switch (c.result) {
    case dtype::complex128:
        static_cast<std::uint64_t*>(c.out)[2 * output] = real;
        static_cast<std::uint64_t*>(c.out)[2 * output + 1] = imaginary;
        break;
    case dtype::complex64:
        static_cast<std::uint32_t*>(c.out)[2 * output] = static_cast<std::uint32_t>(real);
        static_cast<std::uint32_t*>(c.out)[2 * output + 1] = static_cast<std::uint32_t>(imaginary);
        break;
    case dtype::float32:
    case dtype::int32:
    case dtype::uint32:
        static_cast<std::uint32_t*>(c.out)[output] = static_cast<std::uint32_t>(real);
        break;
    case dtype::float16:
    case dtype::bfloat16:
    case dtype::int16:
    case dtype::uint16:
        static_cast<std::uint16_t*>(c.out)[output] = static_cast<std::uint16_t>(real);
        break;
    case dtype::int8:
    case dtype::uint8:
        static_cast<std::uint8_t*>(c.out)[output] = static_cast<std::uint8_t>(real);
        break;
    default:
        static_cast<std::uint64_t*>(c.out)[output] = real;
    }
    if (c.status != nullptr) c.status[output] = status;
}

__device__ inline void write_result(call const& c, std::int64_t output, fixed_result const& result) {
    write_result(c, output, result.bits[0], result.bits[1], result.status);
}

} // namespace steadfold::inline v0::segmented
