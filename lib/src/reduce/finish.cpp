#include "reduce/finish.hpp"

#include "base/floating_environment.hpp"
#include "exact/round.hpp"

#include <algorithm>
#include <bit>

namespace steadfold::inline v0::reduce_detail {

namespace {

using exact::component_state;
using exact::exact_value;
using exact::natural;
using exact::rounded;

class finisher {
  public:
    finisher(exact::reduction_state const& state, plan const& plan, reduce_options const& options)
        : state_{state}, plan_{plan}, options_{options}, real_{component_type(plan.type)}, components_{component_count(
                                                                                               plan.type)},
          counts_{state.component[0].counts}, ignore_{options.nans == nan_policy::ignore || plan.missing.has_value()},
          elements_{state.elements - (ignore_ ? counts_.nan : 0)}, nan_{!ignore_ && counts_.nan > 0} {}

    reduction_results run() const {
        reduction_results results;
        for (int i = 0; i < operation_count; ++i) {
            auto const op = static_cast<operation>(i);
            if (plan_.operations.contains(op)) results.set(op, evaluate(op));
        }
        return results;
    }

  private:
    result_value evaluate(operation op) const {
        switch (op) {
        case operation::sum:
            return per_component(sum_type(), [this](int c) { return sum_of(c, natural{1}, sum_type()); });
        case operation::mean:
            return mean();
        case operation::sum_of_squares:
            return one(magnitude_type(), sum_of_squares(magnitude_type(), false));
        case operation::l2:
            return one(real_type(), sum_of_squares(real_type(), true));
        case operation::l1:
            return one(magnitude_type(), l1());
        case operation::linf:
            return one(magnitude_type(), linf());
        case operation::variance:
            return one(real_type(), variance(false));
        case operation::stddev:
            return one(real_type(), variance(true));
        case operation::min:
            return one(sum_type(), extremum(true));
        case operation::max:
            return one(sum_type(), extremum(false));
        case operation::argmin:
            return index(true);
        case operation::argmax:
            return index(false);
        case operation::count:
            return number(elements_);
        case operation::nan_count:
            return number(counts_.nan);
        case operation::inf_count:
            return number(counts_.infinite);
        case operation::zero_count:
            return number(counts_.zero);
        case operation::dot:
            return one(sum_type(), dot());
        }
        return {};
    }

    dtype sum_type() const { return options_.result.value_or(component_type(default_result_type(plan_.type))); }
    dtype real_type() const { return options_.result.value_or(default_real_type(plan_.type)); }
    dtype magnitude_type() const {
        if (options_.result) return *options_.result;
        return is_integer(real_) ? dtype::uint64 : default_real_type(plan_.type);
    }

    static result_value number(std::int64_t value) {
        return {dtype::int64, {static_cast<std::uint64_t>(value), 0}, status_flags::none};
    }

    // Narrow signed integers are kept sign-extended, so that as_int64() is right for every integer type.
    static std::uint64_t extended(std::uint64_t bits, dtype type) {
        if (!is_signed_integer(type)) return bits;
        int const shift = 64 - static_cast<int>(8 * size_bytes(type));
        return static_cast<std::uint64_t>(static_cast<std::int64_t>(bits << shift) >> shift);
    }

    static result_value one(dtype type, rounded const& value) {
        return {type, {extended(value.bits, type), 0}, value.status};
    }

    template <class Function>
    result_value per_component(dtype type, Function&& function) const {
        rounded const real = function(0);
        if (components_ == 1) return one(type, real);
        rounded const imaginary = function(1);
        dtype const whole = type == dtype::float64 ? dtype::complex128 : dtype::complex64;
        return {whole, {real.bits, imaginary.bits}, real.status | imaginary.status};
    }

    result_value mean() const {
        dtype const type = real_type();
        if (elements_ == 0) return per_component(type, [&](int) { return make_nan(type, status_flags::empty); });
        natural const n{static_cast<std::uint64_t>(elements_)};
        return per_component(type, [&](int c) { return sum_of(c, n, type); });
    }

    /// Sum of component c divided by n, rounded once.
    rounded sum_of(int c, natural const& n, dtype type) const {
        component_state const& part = state_.component[c];
        if (nan_) return make_nan(type, status_flags::none);
        if (elements_ == 0) return {0, status_flags::empty};
        if (part.counts.positive_infinity > 0 && part.counts.negative_infinity > 0)
            return make_nan(type, status_flags::invalid);
        if (part.counts.positive_infinity + part.counts.negative_infinity > 0)
            return exact::make_infinity(part.counts.negative_infinity > 0, type);
        if (fast() && !finite(part.fast_sum)) return overflowed(part.fast_sum, type);
        exact_value value =
            fast() ? value_of_double(part.fast_sum) : exact::value_of_digits(part.sum, exact::sum_layout(real_));
        if (value.magnitude.is_zero()) value.negative = part.counts.not_negative_zero == 0 && !is_integer(real_);
        return round_to(divide(value, n), type);
    }

    bool fast() const { return plan_.mode == reduction_mode::fast && !is_integer(real_); }

    static exact_value value_of_double(double value) {
        return exact::value_of_element(std::bit_cast<std::uint64_t>(value), dtype::float64);
    }

    static bool finite(double value) {
        return (std::bit_cast<std::uint64_t>(value) & exact::float64_magnitude_mask) < exact::float64_infinity_bits;
    }

    /// A `fast` sum of finite elements that left the range of double.
    static rounded overflowed(double value, dtype type) {
        auto const bits = std::bit_cast<std::uint64_t>(value);
        if ((bits & exact::float64_magnitude_mask) > exact::float64_infinity_bits)
            return exact::make_nan(type, status_flags::invalid);
        rounded infinity = exact::make_infinity(bits >> 63 != 0, type);
        infinity.status = status_flags::overflow | status_flags::inexact;
        return infinity;
    }

    static rounded round_fast(double value, dtype type, bool root = false) {
        if (!finite(value)) return overflowed(value, type);
        return round_to(root ? root_of_quotient(value_of_double(value), natural{1}) : value_of_double(value), type);
    }

    bool any_infinite() const { return counts_.infinite > 0; }

    rounded l1() const {
        dtype const type = magnitude_type();
        if (nan_) return make_nan(type, status_flags::none);
        if (elements_ == 0) return {0, status_flags::empty};
        if (any_infinite()) return exact::make_infinity(false, type);
        if (fast()) return round_fast(state_.component[0].fast_magnitudes + state_.component[1].fast_magnitudes, type);
        exact::digit_layout const layout = exact::sum_layout(real_);
        std::uint64_t limbs[exact::sum_capacity] = {};
        for (int c = 0; c < components_; ++c)
            for (int i = 0; i < layout.limbs; ++i)
                limbs[i] += state_.component[c].magnitudes[i];
        exact::normalise(limbs, layout.limbs);
        return round_to(exact::value_of_digits(limbs, layout), type);
    }

    exact_value products_value(int c) const {
        return exact::value_of_digits(state_.component[c].products, exact::product_layout(real_));
    }

    rounded sum_of_squares(dtype type, bool root) const {
        if (nan_) return make_nan(type, status_flags::none);
        if (elements_ == 0) return {0, status_flags::empty};
        if (any_infinite()) return exact::make_infinity(false, type);
        if (fast())
            return round_fast(state_.component[0].fast_products + state_.component[1].fast_products, type, root);
        exact_value total = products_value(0);
        if (components_ == 2) total.magnitude = total.magnitude.plus(products_value(1).magnitude);
        return round_to(root ? root_of_quotient(total, natural{1}) : total, type);
    }

    rounded variance(bool root) const {
        dtype const type = real_type();
        if (nan_) return make_nan(type, status_flags::none);
        if (elements_ == 0) return make_nan(type, status_flags::empty);
        if (any_infinite() || elements_ <= options_.ddof) return make_nan(type, status_flags::invalid);
        natural const n{static_cast<std::uint64_t>(elements_)};
        natural const divisor = n.times(natural{static_cast<std::uint64_t>(elements_ - options_.ddof)});
        exact_value numerator;
        numerator.exponent = exact::product_layout(real_).anchor;
        for (int c = 0; c < components_; ++c) {
            natural const s1 = exact::value_of_digits(state_.component[c].sum, exact::sum_layout(real_)).magnitude;
            natural const part = n.times(products_value(c).magnitude).minus(s1.times(s1));
            numerator.magnitude = numerator.magnitude.plus(part);
        }
        return round_to(root ? root_of_quotient(numerator, divisor) : divide(numerator, divisor), type);
    }

    rounded dot() const {
        dtype const type = sum_type();
        component_state const& part = state_.component[0];
        if (nan_) return make_nan(type, status_flags::none);
        if (elements_ == 0) return {0, status_flags::empty};
        if (counts_.invalid > 0 || (counts_.positive_infinity > 0 && counts_.negative_infinity > 0))
            return make_nan(type, status_flags::invalid);
        if (counts_.positive_infinity + counts_.negative_infinity > 0)
            return exact::make_infinity(counts_.negative_infinity > 0, type);
        if (fast() && !finite(part.fast_products)) return overflowed(part.fast_products, type);
        exact_value value = fast() ? value_of_double(part.fast_products) : products_value(0);
        if (value.magnitude.is_zero()) value.negative = counts_.not_negative_zero == 0 && !is_integer(real_);
        return round_to(value, type);
    }

    /// Bits of an element from its ordered key: float64 bits, or the integer itself.
    std::uint64_t element_bits(std::int64_t key) const {
        if (!is_integer(real_)) return exact::bits_of_key(key);
        // Unsigned integers of every width are ordered with the top bit flipped.
        return static_cast<std::uint64_t>(key) ^ (is_signed_integer(real_) ? 0 : std::uint64_t{1} << 63);
    }

    rounded round_element(std::uint64_t bits, bool magnitude, dtype type) const {
        if (is_integer(real_)) {
            exact_value value = exact::value_of_element(bits, real_);
            value.negative = value.negative && !magnitude;
            return round_to(value, type);
        }
        if (magnitude) bits &= exact::float64_magnitude_mask;
        exact::decomposed const parts = exact::decompose_float64(bits);
        if (parts.kind == exact::float_class::infinite) return exact::make_infinity(parts.negative, type);
        return round_to(exact::value_of_element(bits, dtype::float64), type);
    }

    rounded extremum(bool smallest) const {
        dtype const type = sum_type();
        if (nan_) return make_nan(type, status_flags::none);
        if (elements_ == 0) return make_nan(type, status_flags::empty);
        exact::extrema_state const& extrema = state_.component[0].extrema;
        return round_element(element_bits(smallest ? extrema.min_key : extrema.max_key), false, type);
    }

    result_value index(bool smallest) const {
        exact::extrema_state const& extrema = state_.component[0].extrema;
        if (nan_) return number(extrema.first_nan);
        if (elements_ == 0) return {dtype::int64, {~std::uint64_t{0}, 0}, status_flags::empty};
        return number(smallest ? extrema.min_index : extrema.max_index);
    }

    rounded linf() const {
        dtype const type = magnitude_type();
        if (nan_) return make_nan(type, status_flags::none);
        if (elements_ == 0) return {0, status_flags::empty};
        exact::extrema_state const& extrema = state_.component[0].extrema;
        std::uint64_t const low = element_bits(extrema.min_key), high = element_bits(extrema.max_key);
        return round_element(magnitude_of(low) > magnitude_of(high) ? low : high, true, type);
    }

    std::uint64_t magnitude_of(std::uint64_t bits) const {
        if (!is_integer(real_)) return bits & exact::float64_magnitude_mask;
        return is_signed_integer(real_) && static_cast<std::int64_t>(bits) < 0 ? 0 - bits : bits;
    }

    static rounded make_nan(dtype type, status_flags status) { return exact::make_nan(type, status); }

    exact::reduction_state const& state_;
    plan const& plan_;
    reduce_options const& options_;
    dtype real_;
    int components_;
    exact::special_counts const& counts_;
    bool ignore_;
    std::int64_t elements_;
    bool nan_;
};

} // namespace

reduction_results finish(exact::reduction_state const& state, plan const& plan, reduce_options const& options) {
    base::default_floating_environment const environment; // `fast` mode adds the parts of complex sums here
    return finisher{state, plan, options}.run();
}

} // namespace steadfold::inline v0::reduce_detail
