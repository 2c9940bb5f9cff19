#include "histogram/cuda/histogram_kernel.cuh"

namespace steadfold::inline v0::histogram_detail::cuda {

namespace {

template <dtype Type>
kernel choose(bool in_shared) {
    return in_shared ? histogram_kernel<Type, true> : histogram_kernel<Type, false>;
}

} // namespace

kernel find_kernel(dtype type, bool in_shared) {
    switch (type) {
    case dtype::float64:
        return choose<dtype::float64>(in_shared);
    case dtype::float32:
        return choose<dtype::float32>(in_shared);
    case dtype::float16:
        return choose<dtype::float16>(in_shared);
    case dtype::bfloat16:
        return choose<dtype::bfloat16>(in_shared);
    case dtype::int8:
        return choose<dtype::int8>(in_shared);
    case dtype::int16:
        return choose<dtype::int16>(in_shared);
    case dtype::int32:
        return choose<dtype::int32>(in_shared);
    case dtype::int64:
        return choose<dtype::int64>(in_shared);
    case dtype::uint8:
        return choose<dtype::uint8>(in_shared);
    case dtype::uint16:
        return choose<dtype::uint16>(in_shared);
    case dtype::uint32:
        return choose<dtype::uint32>(in_shared);
    default:
        return choose<dtype::uint64>(in_shared);
    }
}

} // namespace steadfold::inline v0::histogram_detail::cuda
