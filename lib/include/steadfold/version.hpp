/// Which steadfold this is.
#pragma once

#include <string_view>

namespace steadfold {
inline namespace v0 {

/// Version of the library that is linked, e.g. "0.1.0".
[[nodiscard]] std::string_view version() noexcept;

/// Git revision the library was built from, with "-dirty" where files were changed; "unknown" outside a checkout.
[[nodiscard]] std::string_view git_revision() noexcept;

/// Compiler, build type and optional parts in one line, for records and bug reports.
[[nodiscard]] std::string_view build_description() noexcept;

} // namespace v0
} // namespace steadfold
