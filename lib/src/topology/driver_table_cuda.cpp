#include "topology/driver_table.hpp"

#include <cudaTypedefs.h>
#include <cuda_runtime_api.h>

namespace steadfold {
inline namespace v0 {
namespace detail {

namespace {

PFN_cuDeviceGet_v2000 real_device_get = nullptr;
PFN_cuDeviceGetAttribute_v2000 real_device_get_attribute = nullptr;

// The table speaks int where the driver has enumerations, so that its users need no CUDA header.
int device_get(int* handle, int ordinal) {
    return static_cast<int>(real_device_get(handle, ordinal));
}
int device_get_attribute(int* value, int attribute, int handle) {
    return static_cast<int>(real_device_get_attribute(value, static_cast<CUdevice_attribute>(attribute), handle));
}

template <class Function>
bool look_up(char const* name, unsigned version, Function& function) {
    void* found = nullptr;
    cudaDriverEntryPointQueryResult status = cudaDriverEntryPointSymbolNotFound;
    cudaError_t const result = cudaGetDriverEntryPointByVersion(name, &found, version, cudaEnableDefault, &status);
    if (result != cudaSuccess) static_cast<void>(cudaGetLastError());
    if (result != cudaSuccess || status != cudaDriverEntryPointSuccess) found = nullptr;
    function = reinterpret_cast<Function>(found);
    return found != nullptr;
}

driver_table look_up_all() {
    driver_table table;
    if (cudaDriverGetVersion(&table.version) != cudaSuccess) {
        static_cast<void>(cudaGetLastError());
        table.version = 0;
    }
    if (table.version == 0) return table;
    if (look_up("cuDeviceGet", 2000, real_device_get)) table.device_get = device_get;
    if (look_up("cuDeviceGetAttribute", 2000, real_device_get_attribute)) {
        table.device_get_attribute = device_get_attribute;
    }
    return table;
}

} // namespace

driver_table const& system_driver() {
    static driver_table const table = look_up_all();
    return table;
}

} // namespace detail
} // namespace v0
} // namespace steadfold
