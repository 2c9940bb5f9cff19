// What a back end (host, cuda) does for segmented reductions.
#pragma once

#include "segmented/settings.hpp"
#include "steadfold/options.hpp"
#include "steadfold/stream.hpp"

#include <memory>

namespace steadfold::inline v0::segmented {

class backend {
  public:
    virtual ~backend() = default;
    virtual void reserve(std::int64_t elements, std::int64_t outputs) = 0;
    /// @throws argument_error for memory this processor cannot reach, before any work
    virtual void run(problem const& problem, stream_ref stream) = 0;
    /// Returns when the results of every call are there.
    virtual void wait() = 0;
};

[[nodiscard]] std::unique_ptr<backend> make_host_backend(settings const& settings, execution const& where);
/// @throws argument_error if the library was built without CUDA or there is no such device
[[nodiscard]] std::unique_ptr<backend> make_cuda_backend(settings const& settings, execution const& where);

} // namespace steadfold::inline v0::segmented
