#include "data.hpp"

#include "parallel.hpp"
#include "steadfold/error.hpp"
#include "values.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <numbers>
#include <string_view>

namespace steadfold::inline v0::app {

namespace {

constexpr std::array<std::string_view, 4> names{"gaussian", "lognormal", "uniform", "random-exponents"};

/// splitmix64 (Steele, Lea, Flood 2014), used as a function of a counter.
std::uint64_t scrambled(std::uint64_t counter) {
    std::uint64_t z = counter * 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

/// In (0, 1], a multiple of 2^-53.
double uniform(std::uint64_t counter) {
    return static_cast<double>((scrambled(counter) >> 11) + 1) * 0x1p-53;
}

double normal(std::uint64_t counter) { // Box and Muller 1958
    return std::sqrt(-2 * std::log(uniform(counter))) * std::cos(2 * std::numbers::pi * uniform(counter + 1));
}

/// Scales of integers: 2^30 of them stay within 64 bits.
template <class T>
struct integer_scale {
    static constexpr int bits = 8 * sizeof(T);
    static constexpr double gaussian = // at most 9 of them from the mean
        bits == 64   ? 0x1p28
        : bits == 32 ? 0x1p24
        : bits == 16 ? 0x1p11
                     : 0x1p4;
    static constexpr double lognormal = bits == 64 ? 0x1p20 : bits == 32 ? 0x1p16 : 0x1p2;
    static constexpr int uniform_shift = bits == 64 ? 31 : 64 - bits;
};

/// The bit layout of a floating-point type, and the largest exponent field of random_exponents.
template <class T>
struct layout;
template <>
struct layout<double> {
    using bits = std::uint64_t;
    static constexpr int significand = 52, bias = 1023, top = 1023 + 993;
};
template <>
struct layout<float> {
    using bits = std::uint32_t;
    static constexpr int significand = 23, bias = 127, top = 127 + 97;
};
template <>
struct layout<half> {
    using bits = std::uint16_t;
    static constexpr int significand = 10, bias = 15, top = 30;
};
template <>
struct layout<bfloat16> {
    using bits = std::uint16_t;
    static constexpr int significand = 7, bias = 127, top = 127 + 97;
};

template <class T>
T random_exponent(int binades, std::uint64_t counter) {
    std::uint64_t const random = scrambled(counter), choice = scrambled(counter + 1);
    if constexpr (is_floating_element<T>) {
        using format = layout<T>;
        int const first = binades == 0 ? 0 : std::max(0, format::bias - binades / 2);
        int const last = binades == 0 ? format::top : std::min(format::top, first + binades - 1);
        std::uint64_t const field =
            static_cast<std::uint64_t>(first) + choice % static_cast<unsigned>(last - first + 1);
        std::uint64_t const fraction = random & ((std::uint64_t{1} << format::significand) - 1);
        std::uint64_t const sign = random >> 63 << (8 * sizeof(T) - 1);
        return std::bit_cast<T>(static_cast<typename format::bits>(sign | field << format::significand | fraction));
    } else {
        constexpr unsigned widths = std::min(32, integer_scale<T>::bits);
        return static_cast<T>(static_cast<std::int64_t>(random) >> integer_scale<T>::uniform_shift >> choice % widths);
    }
}

template <class T>
T element(data_kind kind, std::uint64_t counter) {
    using scale = integer_scale<T>;
    switch (kind.shape) {
    case distribution::gaussian:
        return from_double<T>(normal(counter) * (is_floating_element<T> ? 1.0 : scale::gaussian));
    case distribution::lognormal:
        return from_double<T>(std::exp(normal(counter)) * (is_floating_element<T> ? 1.0 : scale::lognormal));
    case distribution::uniform:
        if constexpr (is_floating_element<T>)
            return from_double<T>(uniform(counter));
        else
            return static_cast<T>(static_cast<std::int64_t>(scrambled(counter)) >> scale::uniform_shift);
    case distribution::random_exponents:
        break;
    }
    return random_exponent<T>(kind.binades, counter);
}

} // namespace

data_kind parse_data_kind(std::string const& text) {
    std::string_view const shape = std::string_view(text).substr(0, text.find(':'));
    for (std::size_t i = 0; i < names.size(); ++i) {
        if (shape != names[i]) continue;
        data_kind kind{static_cast<distribution>(i), 0};
        if (shape.size() == text.size()) return kind;
        char const* const last = text.data() + text.size();
        auto const [end, failure] = std::from_chars(text.data() + shape.size() + 1, last, kind.binades);
        if (kind.shape == distribution::random_exponents && failure == std::errc{} && end == last &&
            kind.binades >= 1 && kind.binades <= 2046)
            return kind;
    }
    throw argument_error("--data " + text +
                         ": give gaussian, lognormal, uniform, random-exponents, or random-exponents:W with 1 to 2046 "
                         "binades W");
}

std::string name(data_kind kind) {
    std::string const shape{names[static_cast<std::size_t>(kind.shape)]};
    return kind.binades == 0 ? shape : shape + ":" + std::to_string(kind.binades);
}

template <class T>
host_array<T> generate(data_kind kind, std::int64_t count, std::uint64_t seed, int threads) {
    host_array<T> x{count};
    for_ranges(count, threads, [&](int, index_range range) {
        for (std::int64_t i = range.first; i < range.last(); ++i)
            x.data()[i] = element<T>(kind, (seed << 48) + 2 * static_cast<std::uint64_t>(i) + 1);
    });
    return x;
}

template host_array<double> generate<double>(data_kind, std::int64_t, std::uint64_t, int);
template host_array<float> generate<float>(data_kind, std::int64_t, std::uint64_t, int);
template host_array<half> generate<half>(data_kind, std::int64_t, std::uint64_t, int);
template host_array<bfloat16> generate<bfloat16>(data_kind, std::int64_t, std::uint64_t, int);
template host_array<std::int8_t> generate<std::int8_t>(data_kind, std::int64_t, std::uint64_t, int);
template host_array<std::int16_t> generate<std::int16_t>(data_kind, std::int64_t, std::uint64_t, int);
template host_array<std::int32_t> generate<std::int32_t>(data_kind, std::int64_t, std::uint64_t, int);
template host_array<std::int64_t> generate<std::int64_t>(data_kind, std::int64_t, std::uint64_t, int);

} // namespace steadfold::inline v0::app
