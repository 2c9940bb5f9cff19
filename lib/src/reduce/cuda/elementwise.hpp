// Kernels that write made elements to device memory, a chunk at a time: see makers.hpp.
#pragma once

#include "reduce/makers.hpp"
#include "steadfold/stream.hpp"

#include <cstdint>

namespace steadfold::inline v0::cuda {

/// Numbers [first, first + count) to `out`, once what is on `stream` is done. `context` points to
/// reduce_detail::difference_maker or reduce_detail::power_maker: these two are detail::device_source::enqueue.
/// @throws library_error if a kernel does not start
void enqueue_differences(void const* context, std::int64_t first, std::int64_t count, void* out, stream_ref stream);
void enqueue_powers(void const* context, std::int64_t first, std::int64_t count, void* out, stream_ref stream);

/// The differences of complex elements, whose numbers are their parts.
void enqueue_complex_differences(void const* context, std::int64_t first, std::int64_t count, void* out,
                                 stream_ref stream);

/// So that the first use of the two below, which may be in a capture, has nothing to load.
void load_making_kernels();

/// Of all elements.
void enqueue_pairs(reduce_detail::pair_maker const& make, reduce_detail::pair_maker::outputs const& out,
                   stream_ref stream);
void enqueue_weights(reduce_detail::weight_maker const& make, void* out, stream_ref stream);

} // namespace steadfold::inline v0::cuda
