#include "segmented/host/segment_worker.hpp"

#include "exact/element.hpp"
#include "reduce/finish.hpp"
#include "reduce/strided.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <type_traits>
#include <utility>

namespace steadfold::inline v0::segmented {

namespace {

template <class T>
std::int64_t const* widen(std::byte const* x, int n, std::int64_t* out) {
    for (int i = 0; i < n; ++i) {
        T value;
        std::memcpy(&value, x + static_cast<std::size_t>(i) * sizeof(T), sizeof(T));
        out[i] = static_cast<std::int64_t>(value);
    }
    return out;
}

bool is_nan(double x) {
    return exact::is_nan_bits(std::bit_cast<std::uint64_t>(x));
}

} // namespace

void result_writer::put(std::int64_t output, result_value const& value) const {
    auto const parts = static_cast<std::size_t>(component_count(out_.type));
    auto* at = static_cast<std::byte*>(out_.data) + static_cast<std::size_t>(output) * parts * part_bytes_;
    for (std::size_t c = 0; c < parts; ++c, at += part_bytes_) {
        if constexpr (std::endian::native == std::endian::little) {
            std::memcpy(at, &value.bits[c], part_bytes_);
        } else {
            auto const* low_end = reinterpret_cast<std::byte const*>(&value.bits[c]) + 8 - part_bytes_;
            std::memcpy(at, low_end, part_bytes_);
        }
    }
    if (out_.status != nullptr) out_.status[output] = value.status;
}

segment_worker::segment_worker(settings const& settings, host::tile_kernels const& kernels)
    : settings_{settings}, kernels_{kernels}, real_{component_type(settings.what.type)}, components_{component_count(
                                                                                             settings.what.type)},
      element_bytes_{static_cast<std::int64_t>(size_bytes(settings.what.type))}, indexed_{settings.op ==
                                                                                              operation::argmin ||
                                                                                          settings.op ==
                                                                                              operation::argmax},
      floats_{settings, kernels}, integers_{settings}, pass_{settings.what, kernels} {
    exact::reduction_state none, one_nan;
    empty_ = finish(none);
    one_nan.elements = one_nan.component[0].counts.nan = 1;
    nan_ = finish(one_nan);
    if (is_integer(real_))
        integer_tiles_ = std::make_unique_for_overwrite<std::int64_t[]>(2 * host::tile_elements);
    else
        float_tiles_ = std::make_unique_for_overwrite<double[]>(2 * host::tile_elements);
}

void segment_worker::reduce(array_view const& x, boundaries const& segments, std::int64_t first, std::int64_t last,
                            std::int64_t output, result_writer const& out) {
    for (std::int64_t s = first; s < last;) {
        // As many segments as fit a tile are widened together.
        std::int64_t const begin = segments.at(s);
        std::int64_t end = s;
        while (end < last && segments.at(end + 1) - begin <= tile()) ++end;
        if (end == s) {
            out.put(output, reduce_any(reduce_detail::part_of(x, begin, segments.at(s + 1) - begin)));
            end = s + 1;
        } else {
            std::byte const* const start = together(x, begin, segments.at(end) - begin);
            auto const reals = static_cast<int>((segments.at(end) - begin) * components_);
            if (is_integer(real_))
                reduce_tile(widened_integers(start, reals), start, segments, s, end, output, out);
            else
                reduce_tile(widened_floats(start, reals), start, segments, s, end, output, out);
        }
        output += end - s;
        s = end;
    }
}

/// Elements [first, first + count) of at most a tile, one after another.
std::byte const* segment_worker::together(array_view const& x, std::int64_t first, std::int64_t count) {
    if (!x.contiguous() && !gathered_)
        gathered_ = std::make_unique_for_overwrite<std::byte[]>(static_cast<std::size_t>(tile() * element_bytes_));
    return static_cast<std::byte const*>(reduce_detail::contiguous_part(x, first, count, gathered_.get()));
}

template <class Word>
void segment_worker::reduce_tile(Word const* values, std::byte const* x, boundaries const& segments, std::int64_t first,
                                 std::int64_t last, std::int64_t output, result_writer const& out) {
    std::int64_t const begin = segments.at(first);
    for (std::int64_t s = first; s < last; ++s) {
        std::int64_t const from = segments.at(s) - begin, count = segments.at(s + 1) - begin - from;
        out.put(output + s - first, reduce_short(values + from * components_, x + from * element_bytes_, count));
    }
}

template <class Word>
result_value segment_worker::reduce_short(Word const* values, std::byte const* x, std::int64_t count) {
    if (count == 0) return empty_;
    auto const reals = static_cast<int>(count * components_);
    bool const leaves_out = settings_.options.nans == nan_policy::ignore || settings_.options.missing;
    if (!settings_.options.missing)
        if (auto const result = try_short(values, reals)) return *result;
    if (leaves_out && !indexed_ && settings_.op != operation::nan_count)
        if (auto const result = without_nans(values, reals)) return *result;
    if constexpr (std::is_same_v<Word, double>)
        if (!leaves_out && !indexed_ && std::any_of(values, values + reals, is_nan)) return nan_;
    return reduce_any({x, count, settings_.what.type});
}

/// Leaves out the elements that count as NaN; the places of the others change.
template <class Word>
std::optional<result_value> segment_worker::without_nans(Word const* values, int reals) {
    Word* kept = nullptr;
    if constexpr (std::is_same_v<Word, double>)
        kept = float_tiles_.get() + host::tile_elements;
    else
        kept = integer_tiles_.get() + host::tile_elements;
    int count = 0;
    for (int i = 0; i < reals; i += components_) {
        bool left_out = false;
        if constexpr (std::is_same_v<Word, double>)
            left_out = is_nan(values[i]) || is_nan(values[i + components_ - 1]);
        else
            left_out = settings_.options.missing && values[i] == *settings_.options.missing;
        for (int c = 0; c < components_ && !left_out; ++c) kept[count++] = values[i + c];
    }
    bool const counts = settings_.op == operation::count || settings_.op == operation::zero_count;
    if (count == 0 && !counts) return empty_;
    return try_short(kept, count);
}

std::optional<result_value> segment_worker::try_short(double const* values, int reals) {
    return floats_.reduce(values, reals);
}

std::optional<result_value> segment_worker::try_short(std::int64_t const* values, int reals) {
    return integers_.reduce(values, reals);
}

result_value segment_worker::reduce_any(array_view const& x) {
    exact::reduction_state state;
    add(state, x, 0);
    return finish(state);
}

void segment_worker::add(exact::reduction_state& state, array_view const& x, std::int64_t index) {
    std::swap(pass_.state(), state);
    pass_.add(x, index);
    std::swap(pass_.state(), state);
}

result_value segment_worker::finish(exact::reduction_state& state) const {
    exact::normalise(state, settings_.what.type);
    return reduce_detail::finish(state, settings_.what, settings_.options)[settings_.op];
}

double const* segment_worker::widened_floats(std::byte const* x, int reals) {
    double* const wide = float_tiles_.get();
    switch (real_) {
    case dtype::float32:
        kernels_.widen_float(x, reals, wide);
        return wide;
    case dtype::float16:
        kernels_.widen_half(x, reals, wide);
        return wide;
    case dtype::bfloat16:
        kernels_.widen_bfloat16(x, reals, wide);
        return wide;
    default:
        return reinterpret_cast<double const*>(x);
    }
}

std::int64_t const* segment_worker::widened_integers(std::byte const* x, int reals) {
    std::int64_t* const wide = integer_tiles_.get();
    switch (real_) {
    case dtype::int8:
        return widen<std::int8_t>(x, reals, wide);
    case dtype::int16:
        return widen<std::int16_t>(x, reals, wide);
    case dtype::int32:
        return widen<std::int32_t>(x, reals, wide);
    case dtype::uint8:
        return widen<std::uint8_t>(x, reals, wide);
    case dtype::uint16:
        return widen<std::uint16_t>(x, reals, wide);
    case dtype::uint32:
        return widen<std::uint32_t>(x, reals, wide);
    default:
        return reinterpret_cast<std::int64_t const*>(x);
    }
}

} // namespace steadfold::inline v0::segmented
