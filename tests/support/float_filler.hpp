// Real numbers of one format by class: the working part of generate() and generate_pair().
#pragma once

#include "support/generators.hpp"
#include "support/number_formats.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <utility>

namespace oracle {

/// Fills a list of real numbers of one format.
class float_filler {
  public:
    float_filler(sf::dtype real, random_source& random) : type_{real}, shape_{shape_of(real)}, random_{random} {}

    void fill(data_class which, std::span<std::uint64_t> out) {
        switch (which) {
        case data_class::cancellation:
            cancellation(out);
            return;
        case data_class::halfway:
            halfway(out);
            return;
        case data_class::blocks:
            blocks(out);
            return;
        case data_class::constant:
            std::ranges::fill(out, finite_bits());
            return;
        case data_class::near_overflow:
            near_overflow(out);
            return;
        case data_class::fold_boundary:
            fold_boundary(out);
            return;
        case data_class::specials:
            specials(out);
            return;
        default:
            break;
        }
        for (std::uint64_t& bits : out) bits = one(which);
    }

    std::uint64_t finite_bits() {
        std::uint64_t const bits = any();
        return std::isfinite(decode(bits, type_)) ? bits : bits ^ (std::uint64_t{1} << shape_.precision);
    }

    std::uint64_t special() {
        std::uint64_t const infinity = encode(HUGE_VAL, type_), sign = encode(-0.0, type_);
        switch (random_.below(4)) {
        case 0:
            return infinity;
        case 1:
            return infinity | sign;
        case 2:
            return infinity | (random_.coin() ? sign : 0) | 1; // a signalling NaN
        default:
            return shape_.canonical_nan | (random_.coin() ? sign : 0) | static_cast<std::uint64_t>(random_.below(4));
        }
    }

    std::uint64_t of(double value) const { return encode(value, type_); }
    /// A random significand times 2^exponent.
    std::uint64_t with_exponent(int exponent) {
        return of(random_.sign() * std::ldexp(0.5 + 0.5 * random_.uniform(), exponent + 1));
    }
    [[nodiscard]] float_shape const& shape() const { return shape_; }

  private:
    std::uint64_t any() { return random_.bits() >> (64 - 8 * shape_.bytes); }

    std::uint64_t one(data_class which) {
        switch (which) {
        case data_class::log_normal: {
            double const sigma = shape_.max_exponent / 6.0;
            return with_exponent(static_cast<int>(std::clamp(sigma * random_.gaussian(), -1050.0, 1000.0)));
        }
        case data_class::any_finite_bits:
            return finite_bits();
        case data_class::any_bits:
            return random_.below(100) == 0 ? special() : any();
        case data_class::subnormals:
            return any() & (encode(-0.0, type_) | ((std::uint64_t{1} << (shape_.precision - 1)) - 1));
        case data_class::negative_zeros:
            return of(-0.0);
        case data_class::mixed_zeros:
            return of(random_.coin() ? -0.0 : 0.0);
        case data_class::zeros_and_nans:
            return random_.below(5) == 0 ? shape_.canonical_nan
                                         : of(random_.below(12) == 0 ? random_.gaussian() : -0.0);
        case data_class::outliers:
            return random_.below(50) == 0 ? finite_bits() : of(random_.gaussian());
        case data_class::small_squares:
            return with_exponent((shape_.min_exponent - shape_.precision) / 2 + random_.between(-40, 60));
        case data_class::large_squares:
            return with_exponent(std::min(shape_.max_exponent / 2 + random_.between(-5, 20), shape_.max_exponent));
        case data_class::sparse:
            return sparse();
        case data_class::coarse:
            return of(0.125 * random_.between(-20, 20));
        default:
            return of(random_.gaussian());
        }
    }

    std::uint64_t sparse() {
        int const high = random_.between(-20, 15), low = high - random_.between(0, shape_.precision - 1);
        return of(random_.sign() * std::ldexp(1.0, high) + random_.sign() * std::ldexp(1.0, low));
    }

    void cancellation(std::span<std::uint64_t> out) {
        std::uint64_t const sign = encode(-0.0, type_);
        std::size_t i = 0;
        for (; i + 2 < out.size(); i += 2) {
            out[i] = random_.below(4) == 0 ? finite_bits() : of(random_.gaussian());
            out[i + 1] = out[i] ^ sign;
        }
        for (; i < out.size(); ++i)
            out[i] = 1 + static_cast<std::uint64_t>(random_.below(3)) + (random_.coin() ? sign : 0);
        shuffle(out);
    }

    /// 2^k + half a unit of the result's last place, and perhaps something that breaks the tie; or neighbours, whose
    /// mean lies halfway.
    void halfway(std::span<std::uint64_t> out) {
        int const result_precision = std::max(shape_.precision, 24); // half and bfloat16 sum to float32
        int const k = type_ == sf::dtype::float16 ? 15 : random_.between(0, shape_.max_exponent - 8);
        int const mode = random_.between(0, 3);
        double const sign = random_.sign();
        std::uint64_t const base =
            of(sign * std::ldexp(1.0 + std::ldexp(random_.between(0, 3), 1 - shape_.precision), k));
        std::ranges::fill(out, of(0));
        if (mode == 3) {
            for (std::uint64_t& bits : out) bits = base + (random_.coin() ? 1 : 0);
            return;
        }
        std::array<std::uint64_t, 3> const terms = {
            base, of(sign * std::ldexp(1.0, k - result_precision)),
            mode == 0 ? of(0) : std::uint64_t{1} | (mode == 1 ? 0 : encode(-0.0, type_))};
        std::copy_n(terms.begin(), std::min(terms.size(), out.size()), out.begin());
        for (std::size_t i = 3; i + 1 < out.size(); i += 2) {
            out[i] = of(random_.gaussian());
            out[i + 1] = out[i] ^ encode(-0.0, type_);
        }
        shuffle(out);
    }

    void blocks(std::span<std::uint64_t> out) {
        std::size_t i = 0;
        while (i < out.size()) {
            int const exponent = random_.between(shape_.min_exponent - shape_.precision, shape_.max_exponent - 1);
            std::size_t const end = std::min(out.size(), i + 1 + static_cast<std::size_t>(random_.below(6000)));
            for (; i < end; ++i) out[i] = with_exponent(exponent - random_.between(0, 3));
        }
    }

    void near_overflow(std::span<std::uint64_t> out) {
        std::uint64_t const largest = encode(HUGE_VAL, type_) - 1, sign = encode(-0.0, type_);
        int const mode = random_.between(0, 3);
        for (std::uint64_t& bits : out) {
            bits = mode < 2
                       ? largest
                       : largest - static_cast<std::uint64_t>(random_.below(std::int64_t{3} << (shape_.precision - 1)));
            if (mode == 1 || (mode == 3 && random_.coin())) bits |= sign;
        }
    }

    void fold_boundary(std::span<std::uint64_t> out) {
        int const k = random_.between(shape_.min_exponent + 2, shape_.max_exponent);
        bool const one_sign = random_.coin(), equal = random_.coin();
        auto const exponents = std::array{k, k - 1, k - 50, k - 51, k - 52, k - 101, k - 102};
        std::uint64_t const neighbour = static_cast<std::uint64_t>(random_.below(3));
        for (std::uint64_t& bits : out) {
            int const e = equal ? k : exponents[static_cast<std::size_t>(random_.below(7))];
            bits = of(std::ldexp(1.0, std::max(e, shape_.min_exponent + 1))) - 1 +
                   (equal ? neighbour : static_cast<std::uint64_t>(random_.below(3)));
            if (!one_sign && random_.coin()) bits |= encode(-0.0, type_);
        }
    }

    void specials(std::span<std::uint64_t> out) {
        int const kinds = random_.between(1, 3), every = random_.between(1, 40);
        for (std::uint64_t& bits : out) {
            bits = of(random_.gaussian());
            if (random_.below(every) != 0) continue;
            std::uint64_t const chosen = special();
            if (std::isnan(decode(chosen, type_)) ? (kinds & 1) : (kinds & 2)) bits = chosen;
        }
    }

    void shuffle(std::span<std::uint64_t> out) {
        for (std::size_t i = out.size(); i > 1; --i)
            std::swap(out[i - 1], out[static_cast<std::size_t>(random_.below(static_cast<std::int64_t>(i)))]);
    }

    sf::dtype type_;
    float_shape shape_;
    random_source& random_;
};

/// "class dtype n=... seed=...".
[[nodiscard]] std::string label_of(std::string_view kind, sf::dtype type, std::int64_t n, std::uint64_t seed);
/// A sample of these components, each in the bits of its format.
[[nodiscard]] sample pack(sf::dtype type, std::span<std::uint64_t const> components, std::string label);

} // namespace oracle
