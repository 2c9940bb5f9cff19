// From the merged state to one result: every result is rounded here, once. One thread runs it, on the host or on a
// device; several threads may evaluate several operations over one state at the same time.
//
//     result_value const mean = evaluate(operation::mean, view_of(state, options.type), options, scratch);
#pragma once

#include "exact/combination.hpp"
#include "exact/element.hpp"
#include "exact/leading.hpp"
#include "exact/quotient.hpp"
#include "exact/root.hpp"
#include "exact/round.hpp"
#include "reduce/products.hpp"
#include "reduce/state_view.hpp"
#include "steadfold/operations.hpp"
#include "steadfold/results.hpp"

#include <cstdint>

namespace steadfold::inline v0::reduce_detail {

/// Digits of intermediate values; each concurrent call needs its own. In shared memory on a device.
struct evaluation_scratch {
    std::uint64_t digits[exact::combination_capacity];
};

/// Narrow signed integers are kept sign-extended, so that as_int64() is right for every integer type.
[[nodiscard]] STEADFOLD_HOST_DEVICE inline std::uint64_t extended(std::uint64_t bits, dtype type) {
    if (!is_signed_integer(type)) return bits;
    int const shift = 64 - static_cast<int>(8 * size_bytes(type));
    return static_cast<std::uint64_t>(static_cast<std::int64_t>(bits << shift) >> shift);
}

class evaluator {
  public:
    STEADFOLD_HOST_DEVICE evaluator(operation op, state_view const& state, finish_options const& options,
                                    evaluation_scratch& scratch)
        : op_{op}, state_{state}, options_{options}, scratch_{scratch}, real_{component_type(options.type)} {
        elements_ = state.elements - (options.ignore_nans ? counts().nan : 0);
        nan_ = !options.ignore_nans && counts().nan > 0;
    }

    STEADFOLD_HOST_DEVICE result_value run() const {
        switch (op_) {
        case operation::count:
            return number(elements_);
        case operation::nan_count:
            return number(counts().nan);
        case operation::inf_count:
            return number(counts().infinite);
        case operation::zero_count:
            return number(counts().zero);
        case operation::any:
            return truth(elements_ > counts().zero);
        case operation::every:
            return truth(counts().zero == 0);
        case operation::bit_and:
        case operation::bit_or:
        case operation::bit_xor:
            return bitwise();
        case operation::product:
            return whole_product();
        case operation::argmin:
            return index(state_.extrema->min_index);
        case operation::argmax:
            return index(state_.extrema->max_index);
        default:
            return rounded_parts();
        }
    }

  private:
    template <class... Operations>
    STEADFOLD_HOST_DEVICE bool is(Operations... ops) const {
        return ((op_ == ops) || ...);
    }
    STEADFOLD_HOST_DEVICE bool is_spread() const { return is(operation::variance, operation::stddev); }
    STEADFOLD_HOST_DEVICE bool is_root() const { return is(operation::l2, operation::stddev); }
    STEADFOLD_HOST_DEVICE bool is_element() const { return is(operation::min, operation::max, operation::linf); }
    /// Sums whose terms have signs: they can be -0, and infinities can meet.
    STEADFOLD_HOST_DEVICE bool is_signed_sum() const { return is(operation::sum, operation::mean) || is_dot(); }
    STEADFOLD_HOST_DEVICE bool is_dot() const { return is(operation::dot, operation::dot_conjugated); }
    /// From the plain sums of `fast` mode; spreads and extrema are always exact.
    STEADFOLD_HOST_DEVICE bool is_fast() const {
        return options_.mode == reduction_mode::fast && !is_integer(real_) && !is_spread() && !is_element();
    }

    STEADFOLD_HOST_DEVICE exact::special_counts const& counts(int c = 0) const { return *state_.component[c].counts; }

    STEADFOLD_HOST_DEVICE static result_value number(std::int64_t value) {
        return {dtype::int64, {{static_cast<std::uint64_t>(value), 0}}, status_flags::none};
    }

    STEADFOLD_HOST_DEVICE result_value truth(bool value) const {
        return {dtype::int64, {{value, 0}}, elements_ == 0 ? status_flags::empty : status_flags::none};
    }

    STEADFOLD_HOST_DEVICE result_value index(std::int64_t at) const {
        if (nan_) return number(state_.extrema->first_nan);
        if (elements_ == 0) return {dtype::int64, {{~std::uint64_t{0}, 0}}, status_flags::empty};
        return number(at);
    }

    /// Type of the result, or of its two parts.
    STEADFOLD_HOST_DEVICE dtype result_type() const {
        if (options_.has_result) return options_.result;
        if (is(operation::mean, operation::l2) || is_spread()) return default_real_type(options_.type);
        if (is(operation::l1, operation::linf, operation::sum_of_squares))
            return is_integer(real_) ? dtype::uint64 : default_real_type(options_.type);
        return component_type(default_result_type(options_.type));
    }

    STEADFOLD_HOST_DEVICE result_value single(exact::rounded const& value) const {
        return {result_type(), {{extended(value.bits, result_type()), 0}}, value.status};
    }

    STEADFOLD_HOST_DEVICE result_value bitwise() const {
        exact::bit_state const& all = *state_.bits;
        std::uint64_t const word = op_ == operation::bit_and ? all.all : op_ == operation::bit_or ? all.any : all.odd;
        return single(round_bits(word, options_.type, result_type(), elements_ == 0));
    }

    STEADFOLD_HOST_DEVICE result_value whole_product() const {
        product_facts const facts{elements_, counts().zero, counts().infinite, nan_};
        return single(round_product(*state_.product, facts, result_type()));
    }

    STEADFOLD_HOST_DEVICE result_value rounded_parts() const {
        dtype const type = result_type();
        bool const is_pair = is_complex(options_.type) && is_signed_sum();
        std::uint64_t real = 0, imaginary = 0;
        status_flags status = status_flags::none;
#ifdef __CUDA_ARCH__
#pragma unroll 1
#endif
        for (int c = 0; c < (is_pair ? 2 : 1); ++c) {
            exact::rounded const part = rounded_part(c, type);
            (c == 0 ? real : imaginary) = extended(part.bits, type);
            status = status | part.status;
        }
        dtype const whole = !is_pair ? type : type == dtype::float64 ? dtype::complex128 : dtype::complex64;
        return {whole, {{real, imaginary}}, status};
    }

    /// Every operation takes the same way, so that threads of a warp with different ones stay together.
    STEADFOLD_HOST_DEVICE exact::rounded rounded_part(int c, dtype type) const {
        if (nan_) return exact::make_nan(type, status_flags::none);
        if (elements_ == 0) return of_nothing(type);
        if (!is_element() && any_infinite(c)) return of_infinities(c, type);
        std::uint64_t const word = is_element() ? element() : is_fast() ? fast_sum(c) : 0;
        if (!is_integer(real_) && !exact::is_finite_bits(word)) return of_infinite_word(word, type);
        exact::leading_bits value = is_element() || is_fast()
                                        ? exact::leading_of_element(word, is_integer(real_) ? real_ : dtype::float64)
                                        : exact::leading_of(exact::magnitude_of(digits(c)));
        if (is(operation::linf)) value.negative = false;
        if (is_signed_sum() && value.is_zero()) value.negative = counts(c).not_negative_zero == 0 && !is_integer(real_);
        if (is(operation::mean) || is_spread()) exact::divide(value, static_cast<std::uint64_t>(elements_));
        if (is_spread()) exact::divide(value, static_cast<std::uint64_t>(elements_ - options_.ddof));
        exact::normalise(value);
        if (is_root()) exact::take_root(value);
        return exact::round_to(value, type);
    }

    STEADFOLD_HOST_DEVICE exact::rounded of_nothing(dtype type) const {
        if (is(operation::mean, operation::min, operation::max) || is_spread())
            return exact::make_nan(type, status_flags::empty);
        return {0, status_flags::empty};
    }

    /// Infinities, products Inf * 0, or too few elements: all that makes the result infinite or NaN.
    STEADFOLD_HOST_DEVICE bool any_infinite(int c) const {
        if (is_spread()) return counts().infinite > 0 || elements_ <= options_.ddof;
        if (!is_signed_sum()) return counts().infinite > 0;
        return counts(c).invalid > 0 || counts(c).positive_infinity > 0 || counts(c).negative_infinity > 0;
    }

    STEADFOLD_HOST_DEVICE exact::rounded of_infinities(int c, dtype type) const {
        exact::special_counts const& special = counts(c);
        bool const invalid = is_signed_sum() &&
                             (special.invalid > 0 || (special.positive_infinity > 0 && special.negative_infinity > 0));
        if (is_spread() || invalid) return exact::make_nan(type, status_flags::invalid);
        return exact::make_infinity(is_signed_sum() && special.negative_infinity > 0, type);
    }

    /// An infinite element, or a `fast` sum of finite elements that left the range of double.
    STEADFOLD_HOST_DEVICE exact::rounded of_infinite_word(std::uint64_t word, dtype type) const {
        if (exact::is_nan_bits(word)) return exact::make_nan(type, status_flags::invalid);
        exact::rounded infinity = exact::make_infinity(word >> 63 != 0 && !is(operation::linf), type);
        if (!is_element()) infinity.status = status_flags::overflow | status_flags::inexact;
        return infinity;
    }

    STEADFOLD_HOST_DEVICE static std::uint64_t bits_of(double value) {
        return __builtin_bit_cast(std::uint64_t, value);
    }

    STEADFOLD_HOST_DEVICE std::uint64_t fast_sum(int c) const {
        component_view const& part = state_.component[c];
        component_view const& other = state_.component[1]; // zeros, for real data
        if (is(operation::l1)) return bits_of(part.fast_magnitudes + other.fast_magnitudes);
        if (is_dot()) return bits_of(part.fast_products);
        if (is(operation::sum, operation::mean)) return bits_of(part.fast_sum);
        return bits_of(part.fast_products + other.fast_products);
    }

    /// The digits that are rounded, or divided and rounded; sums over both components are made in the scratch.
    STEADFOLD_HOST_DEVICE exact::digit_span digits(int c) const {
        if (is(operation::sum, operation::mean)) return state_.component[c].sum;
        if (is_dot()) return state_.component[c].products;
        bool const of_magnitudes = is(operation::l1);
        exact::digit_span const& first = of_magnitudes ? state_.component[0].magnitudes : state_.component[0].products;
        if (!is_spread() && !is_complex(options_.type)) return first;
        exact::digit_span const& second = of_magnitudes ? state_.component[1].magnitudes : state_.component[1].products;
        exact::combination terms;
        terms.added[0] = exact::magnitude_of(first);
        terms.added[1] = exact::magnitude_of(second);
        if (is_spread()) {
            terms.factor = static_cast<std::uint64_t>(elements_);
            terms.squared[0] = exact::magnitude_of(state_.component[0].sum);
            terms.squared[1] = exact::magnitude_of(state_.component[1].sum);
        }
        return exact::combine(terms, scratch_.digits);
    }

    /// Bits of an element from its ordered key: float64 bits, or the integer itself.
    STEADFOLD_HOST_DEVICE std::uint64_t element_of(std::int64_t key) const {
        if (!is_integer(real_)) return exact::bits_of_key(key);
        // Unsigned integers of every width are ordered with the top bit flipped.
        return static_cast<std::uint64_t>(key) ^ (is_signed_integer(real_) ? 0 : std::uint64_t{1} << 63);
    }

    STEADFOLD_HOST_DEVICE std::uint64_t element() const {
        std::uint64_t const low = element_of(state_.extrema->min_key), high = element_of(state_.extrema->max_key);
        if (is(operation::linf)) return magnitude_of_element(low) > magnitude_of_element(high) ? low : high;
        return is(operation::min) ? low : high;
    }

    STEADFOLD_HOST_DEVICE std::uint64_t magnitude_of_element(std::uint64_t bits) const {
        if (!is_integer(real_)) return bits & exact::float64_magnitude_mask;
        return is_signed_integer(real_) && bits >> 63 != 0 ? 0 - bits : bits;
    }

    operation op_;
    state_view const& state_;
    finish_options const& options_;
    evaluation_scratch& scratch_;
    dtype real_;
    std::int64_t elements_ = 0;
    bool nan_ = false;
};

/// `state` must be normalised.
[[nodiscard]] STEADFOLD_HOST_DEVICE inline result_value
evaluate(operation op, state_view const& state, finish_options const& options, evaluation_scratch& scratch) {
    return evaluator{op, state, options, scratch}.run();
}

} // namespace steadfold::inline v0::reduce_detail
