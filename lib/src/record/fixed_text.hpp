/// UTF-8 text of bounded length.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace steadfold {
inline namespace v0 {
namespace detail {

/// `text` with each byte that is no part of valid UTF-8, and each NUL, replaced by U+FFFD.
[[nodiscard]] std::string valid_utf8(std::string_view text);

/// Which part of a text that is too long is kept.
enum class keep { head, tail };

/// Valid UTF-8 of at most `width` bytes (width >= 3); where something was cut off, there is an ellipsis (3 bytes).
[[nodiscard]] std::string fit_text(std::string_view text, std::size_t width, keep part = keep::head);

} // namespace detail
} // namespace v0
} // namespace steadfold
