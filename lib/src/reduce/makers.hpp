// Elements that are made of others, one at a time: what GPUs run for distances, central moments, complex dots and
// weighted means before the kernels that reduce. Each operation is rounded once, in its own type.
//
//     difference_maker const of{x, y};                 // arrays of one length, strided or not
//     of.make(i, out, j);                              // writes what element i gives as element j
#pragma once

#include "exact/element.hpp"
#include "exact/widen.hpp"
#include "steadfold/bits.hpp"
#include "steadfold/dtype.hpp"
#include "steadfold/view.hpp"

#include <cstdint>

namespace steadfold::inline v0::reduce_detail {

[[nodiscard]] STEADFOLD_HOST_DEVICE inline double difference(double a, double b) noexcept {
#ifdef __CUDA_ARCH__
    return __dsub_rn(a, b);
#else
    return a - b;
#endif
}

[[nodiscard]] STEADFOLD_HOST_DEVICE inline double times(double a, double b) noexcept {
#ifdef __CUDA_ARCH__
    return __dmul_rn(a, b);
#else
    return a * b;
#endif
}

/// Keeps subnormals, whatever the compiler's flags: the intrinsic flushes them under -use_fast_math.
[[nodiscard]] STEADFOLD_HOST_DEVICE inline float rounded_to_float(double x) noexcept {
#ifdef __CUDA_ARCH__
    float rounded;
    asm("cvt.rn.f32.f64 %0, %1;" : "=f"(rounded) : "d"(x));
    return rounded;
#else
    return static_cast<float>(x);
#endif
}

/// Element i of a floating-point array.
[[nodiscard]] STEADFOLD_HOST_DEVICE inline double floating_element(void const* data, dtype real,
                                                                   std::int64_t i) noexcept {
    if (real == dtype::float64) return static_cast<double const*>(data)[i];
    std::uint64_t const narrow = real == dtype::float32
                                     ? __builtin_bit_cast(std::uint32_t, static_cast<float const*>(data)[i])
                                     : static_cast<std::uint16_t const*>(data)[i];
    return __builtin_bit_cast(double, exact::widened_bits(narrow, exact::format_of(real)));
}

/// Element i of an integer array; uint64 by its bits.
[[nodiscard]] STEADFOLD_HOST_DEVICE inline std::int64_t integer_element(void const* data, dtype type,
                                                                        std::int64_t i) noexcept {
    switch (type) {
    case dtype::int8:
        return static_cast<std::int8_t const*>(data)[i];
    case dtype::int16:
        return static_cast<std::int16_t const*>(data)[i];
    case dtype::int32:
        return static_cast<std::int32_t const*>(data)[i];
    case dtype::int64:
        return static_cast<std::int64_t const*>(data)[i];
    case dtype::uint8:
        return static_cast<std::uint8_t const*>(data)[i];
    case dtype::uint16:
        return static_cast<std::uint16_t const*>(data)[i];
    case dtype::uint32:
        return static_cast<std::uint32_t const*>(data)[i];
    default:
        return static_cast<std::int64_t>(static_cast<std::uint64_t const*>(data)[i]);
    }
}

/// Where number i of an array is, of which complex elements have two: counted in numbers from the first one.
[[nodiscard]] STEADFOLD_HOST_DEVICE inline std::int64_t place_of_number(array_view const& x, std::int64_t i) noexcept {
    return is_complex(x.type) ? i / 2 * 2 * x.stride + i % 2 : i * x.stride;
}

/// Elements of `x` less those of `y`, as distance() documents them; of complex ones number by number.
struct difference_maker {
    array_view x, y;

    STEADFOLD_HOST_DEVICE void make(std::int64_t from, void* out, std::int64_t to) const noexcept {
        dtype const type = component_type(x.type);
        std::int64_t const in_x = place_of_number(x, from), in_y = place_of_number(y, from);
        if (is_integer(type)) {
            std::int64_t const a = integer_element(x.data, type, in_x), b = integer_element(y.data, type, in_y);
            auto const high = static_cast<std::uint64_t>(a), low = static_cast<std::uint64_t>(b);
            bool const ordered = is_signed_integer(type) ? a >= b : high >= low;
            static_cast<std::uint64_t*>(out)[to] = ordered ? high - low : low - high;
            return;
        }
        double const d = difference(floating_element(x.data, type, in_x), floating_element(y.data, type, in_y));
        if (type == dtype::float64)
            static_cast<double*>(out)[to] = d;
        else // twice rounded, but double has more than twice the bits of float plus two: as good as once
            static_cast<float*>(out)[to] = rounded_to_float(d);
    }
};

/// Powers of the deviations from the mean, as central_moments() documents them, in float64. Missing elements become
/// NaN.
struct power_maker {
    array_view x;
    double mean;
    int power; // 2, 3 or 4
    bool has_missing;
    std::int64_t missing;

    [[nodiscard]] STEADFOLD_HOST_DEVICE double value(std::int64_t i) const noexcept {
        if (!is_integer(x.type)) return floating_element(x.data, x.type, i * x.stride);
        std::int64_t const number = integer_element(x.data, x.type, i * x.stride);
        if (has_missing && number == missing)
            return __builtin_bit_cast(double, exact::format_of(dtype::float64).canonical_nan);
        if (is_signed_integer(x.type)) return static_cast<double>(number);
        return static_cast<double>(static_cast<std::uint64_t>(number));
    }

    STEADFOLD_HOST_DEVICE void make(std::int64_t from, void* out, std::int64_t to) const noexcept {
        double const d = difference(value(from), mean), d2 = times(d, d);
        static_cast<double*>(out)[to] = power == 2 ? d2 : times(d2, power == 3 ? d : d2);
    }
};

template <class Word>
inline constexpr Word sign_of_word = static_cast<Word>(Word{1} << (8 * sizeof(Word) - 1));

/// NaN, or not, by the bits of a number of the `real` type, which is as wide as `Word`.
template <class Word>
[[nodiscard]] STEADFOLD_HOST_DEVICE bool is_nan_word(Word word, dtype real) noexcept {
    exact::float_format const format = exact::format_of(real);
    std::uint64_t const magnitude = word & (sign_of_word<Word> - 1u);
    std::uint64_t const exponents = (std::uint64_t{1} << (format.width - format.precision)) - 1;
    return magnitude > exponents << (format.precision - 1);
}

/// The real pairs of complex products: two for the real part of an element's product, two for the imaginary one, with
/// the same first factors. A pair of elements with a NaN gives one pair with a NaN, of the real part, and else pairs of
/// -0 and 0, which leave no trace in sums: it counts once, as the element it is.
struct pair_maker {
    array_view x, y;
    bool conjugated;

    struct outputs {
        void *x, *real, *imaginary;
    };

    STEADFOLD_HOST_DEVICE void make(std::int64_t from, outputs const& out, std::int64_t to) const noexcept {
        if (x.type == dtype::complex128)
            make_words<std::uint64_t>(from, out, to);
        else
            make_words<std::uint32_t>(from, out, to);
    }

  private:
    template <class Word>
    STEADFOLD_HOST_DEVICE void make_words(std::int64_t from, outputs const& out, std::int64_t to) const noexcept {
        constexpr Word sign = sign_of_word<Word>;
        dtype const real = component_type(x.type);
        auto const* const first = static_cast<Word const*>(x.data) + 2 * from * x.stride;
        auto const* const second = static_cast<Word const*>(y.data) + 2 * from * y.stride;
        Word const a = first[0], b = first[1], c = second[0], d = second[1];
        bool const nan = is_nan_word(a, real) || is_nan_word(b, real) || is_nan_word(c, real) || is_nan_word(d, real);
        write(out.x, to, nan ? sign : a, nan ? sign : b);
        if (nan) {
            write<Word>(out.real, to, static_cast<Word>(exact::format_of(real).canonical_nan), 0);
            write<Word>(out.imaginary, to, 0, 0);
            return;
        }
        write<Word>(out.real, to, c, conjugated ? d : d ^ sign);
        write<Word>(out.imaginary, to, d, conjugated ? c ^ sign : c);
    }

    template <class Word>
    STEADFOLD_HOST_DEVICE static void write(void* out, std::int64_t to, Word first, Word second) noexcept {
        static_cast<Word*>(out)[2 * to] = first;
        static_cast<Word*>(out)[2 * to + 1] = second;
    }
};

/// The weights of pairs without a NaN; of others -0, which leaves no trace in sums. Floating-point types only.
struct weight_maker {
    array_view w, x;

    STEADFOLD_HOST_DEVICE void make(std::int64_t from, void* out, std::int64_t to) const noexcept {
        switch (size_bytes(w.type)) {
        case 8:
            return make_word<std::uint64_t>(from, out, to);
        case 4:
            return make_word<std::uint32_t>(from, out, to);
        default:
            return make_word<std::uint16_t>(from, out, to);
        }
    }

  private:
    template <class Word>
    STEADFOLD_HOST_DEVICE void make_word(std::int64_t from, void* out, std::int64_t to) const noexcept {
        Word const weight = static_cast<Word const*>(w.data)[from * w.stride];
        Word const value = static_cast<Word const*>(x.data)[from * x.stride];
        bool const nan = is_nan_word(weight, w.type) || is_nan_word(value, w.type);
        static_cast<Word*>(out)[to] = nan ? sign_of_word<Word> : weight;
    }
};

} // namespace steadfold::inline v0::reduce_detail
