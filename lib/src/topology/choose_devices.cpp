#include "steadfold/error.hpp"
#include "steadfold/topology.hpp"

#include <numeric>
#include <string>

namespace steadfold {
inline namespace v0 {

std::vector<int> choose_devices(int local_rank, int local_ranks, int device_count, device_policy policy) {
    if (local_rank < 0 || local_rank >= local_ranks || device_count < 0) {
        throw argument_error("cannot choose devices for local rank " + std::to_string(local_rank) + " of " +
                             std::to_string(local_ranks) + " with " + std::to_string(device_count) + " GPU(s)");
    }
    if (policy == device_policy::none || device_count == 0) return {};
    if (local_ranks >= device_count) return {local_rank % device_count};
    int const each = device_count / local_ranks;
    if (policy == device_policy::single) return {local_rank * each};
    std::vector<int> devices(static_cast<std::size_t>(each));
    std::iota(devices.begin(), devices.end(), local_rank * each);
    return devices;
}

} // namespace v0
} // namespace steadfold
