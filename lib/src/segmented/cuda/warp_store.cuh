// One output gathered by a warp in shared memory, exactly and from any data, and the records in device memory where
// several warps gather one output together.
#pragma once

#include "exact/element.hpp"
#include "reduce/cuda/block_state.cuh"
#include "reduce/cuda/element.cuh"
#include "reduce/cuda/limb_span.cuh"
#include "reduce/evaluate.hpp"
#include "segmented/cuda/call.hpp"
#include "segmented/cuda/lane_group.cuh"
#include "segmented/cuda/write_result.cuh"

namespace steadfold::inline v0::segmented {

/// Adds to a limb of a record, from any warp of the device.
struct record_add {
    __device__ void operator()(std::uint64_t* limb, std::uint64_t delta) const { cuda::device_add(limb, delta); }
};

/// Where elements lie: element i of the output is x[first + i * stride].
struct element_range {
    std::int64_t first = 0, count = 0, stride = 1;
    std::int64_t index = 0; // place of the first one in its output
};

/// What a lane counts; added up when it has seen all of its elements.
struct lane_tally {
    std::uint32_t nan = 0, infinite = 0, zero = 0;
    std::uint32_t positive_infinity[2] = {}, negative_infinity[2] = {};
    bool not_negative_zero[2] = {};
    exact::extrema_state extrema;
};

/// All functions are for a whole warp.
class warp_store {
  public:
    __device__ warp_store(call const& c, std::uint64_t* words) : call_{c}, words_{words} {}

    __device__ void clear();
    __device__ void add(element_range const& range);
    /// Rounds what was gathered of `elements` elements, and writes it. Leaves the store in pieces.
    __device__ void finish(std::int64_t output, std::int64_t elements);

    /// The whole output in one go, from any data.
    __device__ void reduce(std::int64_t output, element_range const& range) {
        clear();
        add(range);
        finish(output, range.count);
    }

    /// Adds what was gathered to a record.
    __device__ void merge_into(std::uint64_t* record) const;
    /// Takes everything out of a record, which is left empty. Only the warp that arrived last may.
    __device__ void take(std::uint64_t* record);

    /// Room for an evaluation.
    [[nodiscard]] __device__ reduce_detail::evaluation_scratch& scratch() const { return area().scratch; }

    /// Words of shared memory, the room for finish() included.
    [[nodiscard]] STEADFOLD_HOST_DEVICE static constexpr int words(store_shape const& shape) {
        return shape.words() + static_cast<int>((sizeof(finishing) + 7) / 8);
    }

  private:
    /// What evaluating needs in shared memory.
    struct finishing {
        reduce_detail::state_view view;
        reduce_detail::evaluation_scratch scratch;
    };

    __device__ exact::special_counts& counts(int component) const {
        return *reinterpret_cast<exact::special_counts*>(words_ + call_.shape.counts_at(component));
    }
    __device__ exact::extrema_state& extrema() const {
        return *reinterpret_cast<exact::extrema_state*>(words_ + call_.shape.extrema_at());
    }
    __device__ finishing& area() const { return *reinterpret_cast<finishing*>(words_ + call_.shape.words()); }
    __device__ std::uint64_t* sums(int component) const { return words_ + component * call_.shape.sum_limbs; }

    __device__ void add_floats(element_range const& range, lane_tally& tally);
    __device__ void add_float(std::uint64_t const (&bits)[2], std::int64_t index, lane_tally& tally);
    __device__ void add_integers(element_range const& range, lane_tally& tally);
    __device__ void collect(lane_tally& tally);
    __device__ std::uint64_t read_float(std::int64_t component) const;
    __device__ std::int64_t read_integer(std::int64_t element) const;

    call const& call_;
    std::uint64_t* words_;
};

/// The last word of a record.
struct record_control {
    std::uint32_t arrived, locked;
};
__device__ inline record_control& control_of(call const& c, std::uint64_t* record) {
    return *reinterpret_cast<record_control*>(record + c.shape.words());
}

/// True in the warp that arrives last of `expected`: everything the others added to the record is there then.
__device__ inline bool arrives_last(record_control& control, std::uint32_t expected) {
    __threadfence(); // every lane's adds come before the arrival
    __syncwarp();
    bool last = false;
    if (lane_number() == 0) {
        ::cuda::atomic_ref<std::uint32_t, ::cuda::thread_scope_device> arrived{control.arrived};
        last = arrived.fetch_add(1, ::cuda::memory_order_acq_rel) == expected - 1;
        if (last) arrived.store(0, ::cuda::memory_order_relaxed); // ready for the next call
    }
    last = __shfl_sync(whole_warp, last, 0);
    if (last) __threadfence();
    return last;
}

/// Extrema of a record are kept so that zeros mean none.
__device__ inline void merge_extrema(call const& c, std::uint64_t* record, exact::extrema_state const& extrema) {
    ::cuda::atomic_ref<std::uint32_t, ::cuda::thread_scope_device> lock{control_of(c, record).locked};
    while (lock.exchange(1, ::cuda::memory_order_acquire) != 0) {
    } // held for a few instructions
    exact::extrema_state const none;
    auto* const kept = record + c.shape.extrema_at();
    exact::extrema_state state;
    auto* const words = reinterpret_cast<std::uint64_t*>(&state);
    auto const* const empty = reinterpret_cast<std::uint64_t const*>(&none);
    for (int i = 0; i < static_cast<int>(sizeof(state) / 8); ++i) words[i] = __ldcg(kept + i) ^ empty[i];
    state.merge(extrema);
    for (int i = 0; i < static_cast<int>(sizeof(state) / 8); ++i) __stcg(kept + i, words[i] ^ empty[i]);
    lock.store(0, ::cuda::memory_order_release);
}

__device__ inline void warp_store::clear() {
    for (int i = lane_number(); i < call_.shape.words(); i += 32) words_[i] = 0;
    __syncwarp();
    if (lane_number() == 0) extrema() = exact::extrema_state{};
    __syncwarp();
}

inline __device__ __noinline__ void warp_store::add(element_range const& range) {
    lane_tally tally;
    if (is_integer(call_.type))
        add_integers(range, tally);
    else
        add_floats(range, tally);
    collect(tally);
}

__device__ inline std::uint64_t warp_store::read_float(std::int64_t component) const {
    switch (component_type(call_.type)) {
    case dtype::float64:
        return static_cast<std::uint64_t const*>(call_.x)[component];
    case dtype::float32:
        return cuda::bits_of(cuda::widen(static_cast<float const*>(call_.x)[component]));
    case dtype::float16:
        return cuda::bits_of(cuda::element<dtype::float16>::of(static_cast<std::uint16_t const*>(call_.x)[component]));
    default:
        return cuda::bits_of(cuda::element<dtype::bfloat16>::of(static_cast<std::uint16_t const*>(call_.x)[component]));
    }
}

__device__ inline std::int64_t warp_store::read_integer(std::int64_t element) const {
    switch (call_.type) {
    case dtype::int8:
        return static_cast<std::int8_t const*>(call_.x)[element];
    case dtype::int16:
        return static_cast<std::int16_t const*>(call_.x)[element];
    case dtype::int32:
        return static_cast<std::int32_t const*>(call_.x)[element];
    case dtype::uint8:
        return static_cast<std::uint8_t const*>(call_.x)[element];
    case dtype::uint16:
        return static_cast<std::uint16_t const*>(call_.x)[element];
    case dtype::uint32:
        return static_cast<std::uint32_t const*>(call_.x)[element];
    default:
        return static_cast<std::int64_t const*>(call_.x)[element];
    }
}

__device__ inline void warp_store::add_floats(element_range const& range, lane_tally& tally) {
    bool const is_pair = is_complex(call_.type);
#pragma unroll 1
    for (std::int64_t i = lane_number(); i < range.count; i += 32) {
        std::int64_t const element = range.first + i * range.stride;
        std::uint64_t bits[2] = {read_float(is_pair ? 2 * element : element), 0};
        bits[1] = is_pair ? read_float(2 * element + 1) : bits[0];
        add_float(bits, range.index + i, tally);
    }
}

__device__ inline void warp_store::add_float(std::uint64_t const (&bits)[2], std::int64_t index, lane_tally& tally) {
    if (exact::is_nan_bits(bits[0]) || exact::is_nan_bits(bits[1])) {
        ++tally.nan;
        tally.extrema.offer_nan(index);
        return;
    }
    if (exact::is_infinite_bits(bits[0]) || exact::is_infinite_bits(bits[1])) ++tally.infinite;
    if (exact::is_zero_bits(bits[0]) && exact::is_zero_bits(bits[1])) ++tally.zero;
    tally.extrema.offer_min(exact::ordered_key(bits[0]), index);
    tally.extrema.offer_max(exact::ordered_key(bits[0]), index);
    store_shape const& shape = call_.shape;
#pragma unroll
    for (int c = 0; c < 2; ++c) {
        if (c == 1 && !is_complex(call_.type)) return;
        std::uint64_t const x = bits[c];
        if (x != exact::negative_zero_bits) tally.not_negative_zero[c] = true;
        if (exact::is_infinite_bits(x)) {
            ++(x >> 63 ? tally.negative_infinity[c] : tally.positive_infinity[c]);
            continue;
        }
        std::uint64_t const mask = shape.magnitudes ? exact::float64_magnitude_mask : ~std::uint64_t{0};
        if (shape.sum_limbs > 0)
            exact::deposit_value(sums(shape.magnitudes ? 0 : c), shape.sum_anchor, x & mask, cuda::shared_add{});
        if (shape.product_limbs > 0)
            exact::deposit_product(words_ + shape.products_at(), shape.product_anchor, x, x, cuda::shared_add{});
    }
}

__device__ inline void warp_store::add_integers(element_range const& range, lane_tally& tally) {
    store_shape const& shape = call_.shape;
    bool const is_signed = is_signed_integer(call_.type);
#pragma unroll 1
    for (std::int64_t i = lane_number(); i < range.count; i += 32) {
        std::int64_t const x = read_integer(range.first + i * range.stride);
        if (call_.has_missing && x == call_.missing) {
            ++tally.nan;
            tally.extrema.offer_nan(range.index + i);
            continue;
        }
        bool const negative = is_signed && x < 0;
        auto const magnitude = negative ? 0 - static_cast<std::uint64_t>(x) : static_cast<std::uint64_t>(x);
        std::int64_t const key =
            is_signed ? x : static_cast<std::int64_t>(static_cast<std::uint64_t>(x) ^ (std::uint64_t{1} << 63));
        tally.zero += x == 0;
        tally.not_negative_zero[0] = true;
        tally.extrema.offer_min(key, range.index + i);
        tally.extrema.offer_max(key, range.index + i);
        if (shape.sum_limbs > 0)
            exact::deposit(words_, 0, negative && !shape.magnitudes, magnitude, 0, cuda::shared_add{});
        if (shape.product_limbs > 0) {
            bits::product128 const square = bits::multiply(magnitude, magnitude);
            exact::deposit(words_ + shape.products_at(), 0, false, square.low, 0, cuda::shared_add{});
            exact::deposit(words_ + shape.products_at(), 0, false, square.high, 64, cuda::shared_add{});
        }
    }
}

__device__ inline void warp_store::collect(lane_tally& tally) {
    cuda::shared_count(&counts(0).nan, tally.nan);
    cuda::shared_count(&counts(0).infinite, tally.infinite);
    cuda::shared_count(&counts(0).zero, tally.zero);
#pragma unroll
    for (int c = 0; c < 2; ++c) {
        cuda::shared_count(&counts(c).positive_infinity, tally.positive_infinity[c]);
        cuda::shared_count(&counts(c).negative_infinity, tally.negative_infinity[c]);
        if (tally.not_negative_zero[c]) cuda::shared_mark(counts(c).not_negative_zero);
    }
#pragma unroll 1
    for (int offset = 16; offset > 0; offset /= 2) {
        exact::extrema_state other;
        other.min_key = __shfl_down_sync(whole_warp, tally.extrema.min_key, offset);
        other.min_index = __shfl_down_sync(whole_warp, tally.extrema.min_index, offset);
        other.max_key = __shfl_down_sync(whole_warp, tally.extrema.max_key, offset);
        other.max_index = __shfl_down_sync(whole_warp, tally.extrema.max_index, offset);
        other.first_nan = __shfl_down_sync(whole_warp, tally.extrema.first_nan, offset);
        tally.extrema.merge(other);
    }
    __syncwarp();
    if (lane_number() == 0) extrema().merge(tally.extrema);
    __syncwarp();
}

inline __device__ __noinline__ void warp_store::finish(std::int64_t output, std::int64_t elements) {
    store_shape const& shape = call_.shape;
    exact::digit_span spans[2] = {}, products;
#pragma unroll
    for (int c = 0; c < 2; ++c)
        if (shape.sum_limbs > 0 && c < shape.components)
            spans[c] = cuda::normalised_span(sums(c), shape.sum_limbs, shape.sum_anchor);
    if (shape.product_limbs > 0)
        products = cuda::normalised_span(words_ + shape.products_at(), shape.product_limbs, shape.product_anchor);
    if (lane_number() == 0) {
        reduce_detail::state_view& view = area().view;
        view = reduce_detail::state_view{};
        view.elements = elements;
        view.extrema = &extrema();
#pragma unroll
        for (int c = 0; c < 2; ++c) {
            view.component[c].counts = &counts(c);
            (shape.magnitudes ? view.component[c].magnitudes : view.component[c].sum) = spans[c];
        }
        view.component[0].products = products;
        result_value const result = reduce_detail::evaluate(call_.op, view, call_.finish, area().scratch);
        auto const* const bits = reinterpret_cast<std::uint64_t const*>(&result.bits);
        write_result(call_, output, bits[0], bits[1], result.status);
    }
    __syncwarp();
}

inline __device__ __noinline__ void warp_store::merge_into(std::uint64_t* record) const {
    store_shape const& shape = call_.shape;
    // One carry step in parallel keeps every addend below 2^33, so that 2^29 warps may add.
    auto const add_limbs = [&](int first, int count) {
        for (int i = lane_number(); i < count; i += 32) {
            std::uint64_t const* limb = words_ + first + i;
            std::uint64_t const carry =
                i == 0 ? 0 : static_cast<std::uint64_t>(static_cast<std::int64_t>(limb[-1]) >> 32);
            cuda::device_add(record + first + i, (i + 1 < count ? limb[0] & 0xffffffffu : limb[0]) + carry);
        }
    };
    for (int c = 0; c < shape.components; ++c) add_limbs(c * shape.sum_limbs, shape.sum_limbs);
    add_limbs(shape.products_at(), shape.product_limbs);
    for (int i = shape.limbs() + lane_number(); i < shape.extrema_at(); i += 32)
        cuda::device_add(record + i, words_[i]);
    if (lane_number() == 0) merge_extrema(call_, record, extrema());
    __syncwarp();
}

inline __device__ __noinline__ void warp_store::take(std::uint64_t* record) {
    exact::extrema_state const none;
    auto const* const empty = reinterpret_cast<std::uint64_t const*>(&none);
    int const extrema_at = call_.shape.extrema_at();
    for (int i = lane_number(); i < call_.shape.words(); i += 32) {
        std::uint64_t const word = __ldcg(record + i);
        words_[i] = i < extrema_at ? word : word ^ empty[i - extrema_at];
        __stcg(record + i, std::uint64_t{0});
    }
    __syncwarp();
}

} // namespace steadfold::inline v0::segmented
