// What a back end (host, cuda) does for a reduction.
#pragma once

#include "exact/state.hpp"
#include "reduce/plan.hpp"
#include "steadfold/options.hpp"
#include "steadfold/stream.hpp"
#include "steadfold/transform.hpp"
#include "steadfold/view.hpp"

#include <cstdint>
#include <memory>

namespace steadfold::inline v0::reduce_detail {

class backend {
  public:
    virtual ~backend() = default;
    /// May return before the data was read; wait() says when it was.
    /// Arrays have been looked at: they are of the plan's type, not empty, perhaps strided.
    virtual void add(array_view x, std::int64_t first_index, stream_ref stream) = 0;
    virtual void add_pairs(array_view x, array_view y, stream_ref stream) = 0;
    /// Elements that are made piece by piece, on the host.
    virtual void add_source(detail::tile_source source, std::int64_t count, std::int64_t first_index);
    /// The same on a GPU, after what is on `stream`.
    virtual void add_device_source(detail::device_source source, std::int64_t count, std::int64_t first_index,
                                   stream_ref stream);
    virtual void wait() = 0;
    /// State of everything added since the last call, normalised; the back end starts anew.
    [[nodiscard]] virtual exact::reduction_state take() = 0;
};

[[nodiscard]] std::unique_ptr<backend> make_host_backend(plan const& plan, execution const& where);
/// @throws argument_error if the library was built without CUDA or there is no such device
[[nodiscard]] std::unique_ptr<backend> make_cuda_backend(plan const& plan, execution const& where);

} // namespace steadfold::inline v0::reduce_detail
