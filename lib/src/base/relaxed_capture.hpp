// Asking about streams and events while some thread captures a graph.
#pragma once

#include "base/cuda_check.hpp"

#include <cuda_runtime_api.h>

namespace steadfold::inline v0::detail {

/// Lets this thread ask about events and streams while another one captures a graph in the strictest mode: a query then
/// neither fails nor ends that capture.
class relaxed_capture {
  public:
    relaxed_capture() { check(cudaThreadExchangeStreamCaptureMode(&mode_), "changing the capture mode"); }
    ~relaxed_capture() { static_cast<void>(cudaThreadExchangeStreamCaptureMode(&mode_)); }
    relaxed_capture(relaxed_capture const&) = delete;
    relaxed_capture& operator=(relaxed_capture const&) = delete;

  private:
    cudaStreamCaptureMode mode_ = cudaStreamCaptureModeRelaxed;
};

/// True while calls on `stream` are recorded into a graph.
[[nodiscard]] inline bool is_capturing(cudaStream_t stream) {
    cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
    check(cudaStreamIsCapturing(stream, &status), "asking whether a stream captures");
    return status != cudaStreamCaptureStatusNone;
}

} // namespace steadfold::inline v0::detail
