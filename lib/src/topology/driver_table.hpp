/// The CUDA driver's functions steadfold looks up at run time, as plain pointers that tests can replace.
///
/// Features newer than the toolkit floor go in here. steadfold never links libcuda: a machine without it must work.
#pragma once

namespace steadfold {
inline namespace v0 {
namespace detail {

/// Results are CUresult values, 0 for success. A null pointer: the driver does not have it.
struct driver_table {
    int version = 0; ///< cuDriverGetVersion; 0: no driver
    int (*device_get)(int* handle, int ordinal) = nullptr;
    int (*device_get_attribute)(int* value, int attribute, int handle) = nullptr;
};

/// The driver of this machine, looked up at the first call. Thread-safe. Builds with CUDA only.
[[nodiscard]] driver_table const& system_driver();

} // namespace detail
} // namespace v0
} // namespace steadfold
