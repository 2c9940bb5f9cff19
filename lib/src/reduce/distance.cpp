// The L2 distance: differences rounded element by element, then the exact L2 norm of them.
#include "reduce/arguments.hpp"
#include "reduce/cuda/elementwise.hpp"
#include "reduce/host/isa.hpp"
#include "reduce/host/tile_kernels.hpp"
#include "reduce/strided.hpp"
#include "steadfold/error.hpp"
#include "steadfold/pairs.hpp"
#include "steadfold/transform.hpp"

#include <algorithm>
#include <array>
#include <cfloat>
#include <cstddef>

namespace steadfold::inline v0 {

namespace {

static_assert(FLT_EVAL_METHOD == 0, "differences must be rounded to their own type");

struct two_arrays {
    array_view x, y;
    host::tile_kernels const* kernels;
};

/// A tile of both arrays, contiguous.
struct two_tiles {
    two_tiles(void const* context, std::int64_t first, std::int64_t count) {
        auto const& c = *static_cast<two_arrays const*>(context);
        x = reduce_detail::contiguous_part(c.x, first, count, room_x);
        y = reduce_detail::contiguous_part(c.y, first, count, room_y);
    }
    void const *x, *y;

  private:
    static constexpr std::size_t most_bytes = host::tile_elements * size_bytes(dtype::complex128);
    alignas(double) std::byte room_x[most_bytes];
    alignas(double) std::byte room_y[most_bytes];
};

/// Real numbers, or the parts of complex ones.
template <class T, int Components>
void subtract(void const* context, std::int64_t first, std::int64_t count, void* out) {
    two_tiles const tiles{context, first, count};
    auto const *x = static_cast<T const*>(tiles.x), *y = static_cast<T const*>(tiles.y);
    for (std::int64_t i = 0; i < Components * count; ++i) static_cast<T*>(out)[i] = x[i] - y[i];
}

/// |x - y| as uint64, which holds every difference.
template <class T>
void subtract_integers(void const* context, std::int64_t first, std::int64_t count, void* out) {
    two_tiles const tiles{context, first, count};
    auto const *x = static_cast<T const*>(tiles.x), *y = static_cast<T const*>(tiles.y);
    for (std::int64_t i = 0; i < count; ++i) {
        auto const high = static_cast<std::uint64_t>(std::max(x[i], y[i]));
        static_cast<std::uint64_t*>(out)[i] = high - static_cast<std::uint64_t>(std::min(x[i], y[i]));
    }
}

/// Half and bfloat16: rounded to float. Twice, by way of double, but that has more than twice the bits of float plus
/// two, so that the first rounding cannot make a tie of the second.
template <bool Half>
void subtract_widened(void const* context, std::int64_t first, std::int64_t count, void* out) {
    two_tiles const tiles{context, first, count};
    auto const* kernels = static_cast<two_arrays const*>(context)->kernels;
    auto const widen = Half ? kernels->widen_half : kernels->widen_bfloat16;
    std::array<double, host::tile_elements> x, y;
    widen(tiles.x, static_cast<int>(count), x.data());
    widen(tiles.y, static_cast<int>(count), y.data());
    for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i)
        static_cast<float*>(out)[i] = static_cast<float>(x[i] - y[i]);
}

/// What subtracts, and the type of the differences.
struct subtraction {
    decltype(detail::tile_source::fill) fill;
    dtype type;
};

subtraction subtraction_of(dtype type) {
    switch (type) {
    case dtype::float64:
        return {subtract<double, 1>, type};
    case dtype::float32:
        return {subtract<float, 1>, type};
    case dtype::complex128:
        return {subtract<double, 2>, type};
    case dtype::complex64:
        return {subtract<float, 2>, type};
    case dtype::float16:
        return {subtract_widened<true>, dtype::float32};
    case dtype::bfloat16:
        return {subtract_widened<false>, dtype::float32};
    case dtype::int8:
        return {subtract_integers<std::int8_t>, dtype::uint64};
    case dtype::int16:
        return {subtract_integers<std::int16_t>, dtype::uint64};
    case dtype::int32:
        return {subtract_integers<std::int32_t>, dtype::uint64};
    case dtype::int64:
        return {subtract_integers<std::int64_t>, dtype::uint64};
    case dtype::uint8:
        return {subtract_integers<std::uint8_t>, dtype::uint64};
    case dtype::uint16:
        return {subtract_integers<std::uint16_t>, dtype::uint64};
    case dtype::uint32:
        return {subtract_integers<std::uint32_t>, dtype::uint64};
    default:
        return {subtract_integers<std::uint64_t>, dtype::uint64};
    }
}

} // namespace

result_value distance(communicator const& ranks, array_view x, array_view y, reduce_options const& options) {
    reduce_detail::require_elements(x, x.type, "the first array");
    reduce_detail::require_elements(y, x.type, "the second array");
    reduce_detail::require_pairs(x, y);
    if (options.missing) throw argument_error("distance does not take a missing value");
    execution const where = detail::where_made({x, y});
    subtraction const how = subtraction_of(x.type);
    if (where.kind == processor_kind::cuda) {
        reduce_detail::difference_maker const context{x, y};
        detail::device_source const source{
            is_complex(x.type) ? cuda::enqueue_complex_differences : cuda::enqueue_differences, &context};
        return detail::reduce_source(ranks, how.type, source, where, x.count, l2, options)[operation::l2];
    }
    two_arrays const context{x, y, &host::choose_level()};
    return detail::reduce_source(ranks, how.type, {how.fill, &context}, x.count, l2, options)[operation::l2];
}

} // namespace steadfold::inline v0
