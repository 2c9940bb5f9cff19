// Integers on the host: sums of 32-bit digits, exact in any order.
#include "reduce/host/host_pass.hpp"

#include <algorithm>
#include <cstring>

namespace steadfold::inline v0::host {

using namespace reduce_detail;

namespace {
constexpr std::uint64_t sign_bit = std::uint64_t{1} << 63;

template <class T>
void widen(void const* data, int n, std::int64_t* out) {
    auto const* bytes = static_cast<char const*>(data);
    for (int i = 0; i < n; ++i) {
        T value;
        std::memcpy(&value, bytes + static_cast<std::size_t>(i) * sizeof(T), sizeof(T));
        out[i] = static_cast<std::int64_t>(value);
    }
}
} // namespace

void host_pass::process_integers(std::int64_t const* x, int n, std::int64_t index) {
    std::int64_t const* kept = x;
    int kept_count = n;
    if (plan_.missing) {
        kept = integer_scratch(1);
        kept_count = drop_missing(x, n, index, integer_scratch(1));
    }
    if (plan_.features & (feature_sum | feature_magnitudes | feature_products))
        deposit_integers(kept, kept, kept_count);
    if (plan_.features & feature_extrema) integer_extrema(x, n, index);
    if (plan_.features & feature_zeros) state_.component[0].counts.zero += std::count(kept, kept + kept_count, 0);
    if (plan_.features & feature_bits) combine_bits(kept, kept_count);
    if (plan_.features & feature_factors) multiply_integers(kept, kept_count);
}

int host_pass::drop_missing(std::int64_t const* x, int n, std::int64_t index, std::int64_t* kept) {
    int count = 0;
    for (int i = 0; i < n; ++i) {
        if (x[i] != *plan_.missing) {
            kept[count++] = x[i];
            continue;
        }
        ++state_.component[0].counts.nan;
        state_.component[0].extrema.offer_nan(index + i);
    }
    return count;
}

void host_pass::deposit_integers(std::int64_t const* x, std::int64_t const* y, int n) {
    bool const is_signed = is_signed_integer(real_);
    exact::component_state& state = state_.component[0];
    int const body = n - n % tile_multiple;
    auto const block = [&](std::int64_t const* a, std::int64_t const* b, int length) {
        integer_sums sums;
        if (plan_.features & (feature_sum | feature_magnitudes)) {
            kernels_.integer_sum(a, length, is_signed, &sums);
            for (int i = 0; i < 2; ++i) {
                exact::deposit(state.sum, 0, sums.sum[i], 32 * i);
                exact::deposit(state.magnitudes, 0, sums.magnitude[i], 32 * i);
            }
        }
        if (plan_.features & feature_products) {
            kernels_.integer_products(a, b, length, is_signed, &sums);
            for (int i = 0; i < 4; ++i)
                exact::deposit(state.products, 0, static_cast<std::int64_t>(sums.product[i]), 32 * i);
        }
    };
    if (body > 0) block(x, y, body);
    if (body == n) return;
    std::int64_t tail_x[tile_multiple] = {}, tail_y[tile_multiple] = {};
    std::copy(x + body, x + n, tail_x);
    std::copy(y + body, y + n, tail_y);
    block(tail_x, tail_y, tile_multiple);
}

void host_pass::integer_extrema(std::int64_t const* x, int n, std::int64_t index) {
    exact::extrema_state& state = state_.component[0].extrema;
    auto const flip = static_cast<std::int64_t>(is_signed_integer(real_) ? 0 : sign_bit);
    int const body = plan_.missing ? 0 : n - n % tile_multiple;
    if (body > 0) {
        key_range range;
        kernels_.integer_keys(x, body, static_cast<std::uint64_t>(flip), &range);
        if (range.low < state.min_key || (range.low == state.min_key && index < state.min_index))
            state.offer_min(range.low, index + (std::find(x, x + body, range.low ^ flip) - x));
        if (range.high > state.max_key || (range.high == state.max_key && index < state.max_index))
            state.offer_max(range.high, index + (std::find(x, x + body, range.high ^ flip) - x));
    }
    for (int i = body; i < n; ++i) {
        if (plan_.missing && x[i] == *plan_.missing) continue;
        state.offer_min(x[i] ^ flip, index + i);
        state.offer_max(x[i] ^ flip, index + i);
    }
}

std::int64_t const* host_pass::widened_integers(void const* data, int n, std::int64_t* scratch) const {
    switch (real_) {
    case dtype::int8:
        widen<std::int8_t>(data, n, scratch);
        break;
    case dtype::int16:
        widen<std::int16_t>(data, n, scratch);
        break;
    case dtype::int32:
        widen<std::int32_t>(data, n, scratch);
        break;
    case dtype::uint8:
        widen<std::uint8_t>(data, n, scratch);
        break;
    case dtype::uint16:
        widen<std::uint16_t>(data, n, scratch);
        break;
    case dtype::uint32:
        widen<std::uint32_t>(data, n, scratch);
        break;
    default:
        return static_cast<std::int64_t const*>(data);
    }
    return scratch;
}

} // namespace steadfold::inline v0::host
