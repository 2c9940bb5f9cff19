/// How large a thread block cluster may be.
#pragma once

namespace steadfold {
inline namespace v0 {
namespace detail {

/// The most blocks of a cluster on the current device when the non-portable attribute is set; 0 if the driver does not
/// say. Makes a context.
[[nodiscard]] int probe_cluster_size() noexcept;

} // namespace detail
} // namespace v0
} // namespace steadfold
