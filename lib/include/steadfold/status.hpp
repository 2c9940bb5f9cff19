/// What happened while a result was rounded.
#pragma once

#include "steadfold/bits.hpp"

#include <cstdint>
#include <string>

namespace steadfold {
inline namespace v0 {

/// Flags that travel with every result.
enum class status_flags : std::uint8_t {
    none = 0,
    inexact = 1,  ///< the result was rounded
    overflow = 2, ///< the exact value does not fit: floating-point results are infinite, integers saturate
    invalid = 4,  ///< +Inf and -Inf met, Inf * 0, or too few elements for the statistic: the result is NaN
    empty = 8,    ///< nothing was reduced
};

[[nodiscard]] STEADFOLD_HOST_DEVICE constexpr status_flags operator|(status_flags a, status_flags b) noexcept {
    return static_cast<status_flags>(static_cast<unsigned>(a) | static_cast<unsigned>(b));
}

[[nodiscard]] STEADFOLD_HOST_DEVICE constexpr bool has(status_flags set, status_flags flag) noexcept {
    return (static_cast<unsigned>(set) & static_cast<unsigned>(flag)) != 0;
}

/// "none", or names joined by "|", e.g. "inexact|overflow".
[[nodiscard]] std::string to_string(status_flags set);

} // namespace v0
} // namespace steadfold
