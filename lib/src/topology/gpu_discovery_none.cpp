#include "topology/gpu_discovery.hpp"

namespace steadfold {
inline namespace v0 {
namespace detail {

gpu_discovery discover_gpus(bool) {
    gpu_discovery found;
    found.cuda.unavailable = "built without CUDA";
    return found;
}

} // namespace detail
} // namespace v0
} // namespace steadfold
