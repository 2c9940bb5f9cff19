#include "base/cuda_device.hpp"
#include "base/cuda_handles.hpp"
#include "base/current_device.hpp"
#include "base/patience.hpp"
#include "steadfold/error.hpp"
#include "steadfold/transform.hpp"

#include <cstddef>
#include <cstring>
#include <string>

namespace steadfold::inline v0::detail {

void run_on_device(execution const& where, std::size_t bytes, device_work work, void* result, std::size_t result_bytes,
                   stream_ref stream) {
    require_device(where.device);
    current_device const on{where.device};
    auto memory = allocate_device<std::byte>(bytes, "the values of a reduction");
    auto pinned = allocate_pinned<std::byte>(result_bytes, "the result of a reduction");
    auto done = make_event();
    work.enqueue(work.context, memory.get(), stream);
    check(cudaMemcpyAsync(pinned.get(), memory.get(), result_bytes, cudaMemcpyDeviceToHost, stream.get()),
          "copying the result of a reduction");
    check(cudaEventRecord(done.get(), stream.get()), "marking the end of a reduction");
    patience turns{where.deadline};
    for (cudaError_t state; (state = cudaEventQuery(done.get())) != cudaSuccess;) {
        if (state != cudaErrorNotReady) check(state, "reducing on device " + std::to_string(where.device));
        static_cast<void>(cudaGetLastError());
        if (turns.wait()) continue;
        // The device still writes there: freeing would wait for it without a deadline.
        static_cast<void>(memory.release());
        static_cast<void>(pinned.release());
        static_cast<void>(done.release());
        throw timeout_error("device " + std::to_string(where.device) + " did not finish a reduction in time");
    }
    std::memcpy(result, pinned.get(), result_bytes);
}

} // namespace steadfold::inline v0::detail
