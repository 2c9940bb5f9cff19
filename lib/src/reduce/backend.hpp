// What a back end (host, cuda) does for a reduction.
#pragma once

#include "exact/state.hpp"
#include "reduce/plan.hpp"
#include "steadfold/options.hpp"
#include "steadfold/stream.hpp"
#include "steadfold/transform.hpp"

#include <cstdint>
#include <memory>

namespace steadfold::inline v0::reduce_detail {

class backend {
  public:
    virtual ~backend() = default;
    /// May return before the data was read; wait() says when it was.
    virtual void add(void const* data, std::int64_t count, std::int64_t first_index, stream_ref stream) = 0;
    virtual void add_pairs(void const* x, void const* y, std::int64_t count, stream_ref stream) = 0;
    /// Elements that are made piece by piece; on the host only.
    virtual void add_source(detail::tile_source source, std::int64_t count, std::int64_t first_index);
    virtual void wait() = 0;
    /// State of everything added since the last call, normalised; the back end starts anew.
    [[nodiscard]] virtual exact::reduction_state take() = 0;
};

[[nodiscard]] std::unique_ptr<backend> make_host_backend(plan const& plan, execution const& where);
/// @throws argument_error if the library was built without CUDA or there is no such device
[[nodiscard]] std::unique_ptr<backend> make_cuda_backend(plan const& plan, execution const& where);

} // namespace steadfold::inline v0::reduce_detail
