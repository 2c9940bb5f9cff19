#include "support/oracle.hpp"

#include "support/number_formats.hpp"
#include "support/oracle_round.hpp"

#include <cmath>

namespace oracle {

namespace {

using sf::operation;
using sf::status_flags;

/// Result types by the documentation of results.hpp.
sf::dtype integer_sum_type(sf::dtype input) {
    return sf::is_signed_integer(input) ? sf::dtype::int64 : sf::dtype::uint64;
}

sf::dtype floating_type(sf::dtype input) {
    sf::dtype const real = sf::component_type(input);
    return real == sf::dtype::float64 || sf::is_integer(real) ? sf::dtype::float64 : sf::dtype::float32;
}

class evaluator {
  public:
    evaluator(summary const& s, sf::reduce_options const& options)
        : s_{s}, options_{options}, taken_{options.nans == sf::nan_policy::ignore ? s.elements - s.nans : s.elements},
          poisoned_{options.nans == sf::nan_policy::propagate && s.nans > 0}, integers_{sf::is_integer(s.type)} {}

    sf::result_value run(operation op) const {
        switch (op) {
        case operation::count:
            return whole(taken_);
        case operation::nan_count:
            return whole(s_.nans);
        case operation::inf_count:
            return whole(s_.infinities);
        case operation::zero_count:
            return whole(s_.zeros);
        case operation::any:
            return truth(taken_ > s_.zeros);
        case operation::every:
            return truth(s_.zeros == 0);
        case operation::argmin:
            return index(s_.smallest_at);
        case operation::argmax:
            return index(s_.largest_at);
        case operation::sum:
            return of_parts(sum_type(), 1);
        case operation::mean:
            return of_parts(real_type(), taken_);
        default:
            break;
        }
        rounded const value = real_result(op);
        return {type_of(op), {value.bits, 0}, value.status};
    }

  private:
    sf::dtype sum_type() const {
        return options_.result.value_or(integers_ ? integer_sum_type(s_.type) : floating_type(s_.type));
    }
    sf::dtype real_type() const { return options_.result.value_or(floating_type(s_.type)); }
    sf::dtype magnitude_type() const {
        return options_.result.value_or(integers_ ? sf::dtype::uint64 : floating_type(s_.type));
    }

    sf::dtype type_of(operation op) const {
        switch (op) {
        case operation::sum_of_squares:
        case operation::l1:
        case operation::linf:
            return magnitude_type();
        case operation::l2:
        case operation::variance:
        case operation::stddev:
            return real_type();
        default:
            return sum_type();
        }
    }

    static sf::result_value whole(std::int64_t value) {
        return {sf::dtype::int64, {static_cast<std::uint64_t>(value), 0}, status_flags::none};
    }

    sf::result_value truth(bool value) const {
        sf::result_value result = whole(value ? 1 : 0);
        if (taken_ == 0) result.status = status_flags::empty;
        return result;
    }

    sf::result_value index(std::int64_t at) const {
        if (poisoned_) return whole(s_.first_nan);
        sf::result_value result = whole(taken_ == 0 ? -1 : at);
        if (taken_ == 0) result.status = status_flags::empty;
        return result;
    }

    sf::result_value of_parts(sf::dtype type, std::int64_t divisor) const {
        rounded const real = part_sum(s_.component[0], s_.component[0].sum, s_.unit, type, divisor);
        if (!sf::is_complex(s_.type)) return {type, {real.bits, 0}, real.status};
        rounded const imaginary = part_sum(s_.component[1], s_.component[1].sum, s_.unit, type, divisor);
        sf::dtype const pair = type == sf::dtype::float64 ? sf::dtype::complex128 : sf::dtype::complex64;
        return {pair, {real.bits, imaginary.bits}, real.status | imaginary.status};
    }

    /// A signed sum over `divisor`; a divisor of 0 is the mean of nothing.
    rounded part_sum(component_summary const& part, mpz_class const& sum, long exponent, sf::dtype type,
                     std::int64_t divisor) const {
        if (poisoned_) return nan(type, status_flags::none);
        if (taken_ == 0) return divisor == 0 ? nan(type, status_flags::empty) : rounded{0, status_flags::empty};
        bool const up = part.positive_infinities > 0, down = part.negative_infinities > 0;
        if ((up && down) || s_.invalid_products > 0) return nan(type, status_flags::invalid);
        if (up || down) return infinity(down, type);
        return round_nearest({sum, mpz_class{static_cast<long>(divisor)}, exponent, part.only_negative_zeros}, type);
    }

    rounded real_result(operation op) const {
        sf::dtype const type = type_of(op);
        bool const spread = op == operation::variance || op == operation::stddev;
        bool const extremum = op == operation::min || op == operation::max;
        if (op == operation::dot) return part_sum(s_.component[0], s_.component[0].products, 2 * s_.unit, type, 1);
        if (poisoned_) return nan(type, status_flags::none);
        if (taken_ == 0) return spread || extremum ? nan(type, status_flags::empty) : rounded{0, status_flags::empty};
        if (extremum) return element(op == operation::min ? *s_.smallest : *s_.largest, type);
        if (op == operation::linf) return largest_magnitude(type);
        if (spread) return variance(type, op == operation::stddev);
        if (s_.infinities > 0) return infinity(false, type);
        if (op == operation::l1)
            return round_nearest({s_.component[0].magnitudes + s_.component[1].magnitudes, 1, s_.unit, false}, type);
        rational const squares{s_.component[0].products + s_.component[1].products, 1, 2L * s_.unit, false};
        return op == operation::l2 ? round_root(squares, type) : round_nearest(squares, type);
    }

    rounded variance(sf::dtype type, bool root) const {
        if (s_.infinities > 0 || taken_ <= options_.ddof) return nan(type, status_flags::invalid);
        mpz_class const n = static_cast<long>(taken_);
        mpz_class numerator;
        for (component_summary const& part : s_.component) numerator += n * part.products - part.sum * part.sum;
        rational const value{numerator, n * (n - options_.ddof), 2L * s_.unit, false};
        return root ? round_root(value, type) : round_nearest(value, type);
    }

    rounded element(ordered_value const& value, sf::dtype type) const {
        if (!integers_ && std::isinf(value.real)) return infinity(value.real < 0, type);
        rational exact;
        if (integers_) {
            bool const negative = value.integer < 0;
            exact.numerator = static_cast<unsigned long>(negative ? -value.integer : value.integer);
            if (negative) exact.numerator = -exact.numerator;
        } else {
            int exponent = 0;
            double const fraction = std::frexp(value.real, &exponent);
            exact.numerator = std::ldexp(fraction, 53);
            exact.exponent = exponent - 53;
            exact.negative_zero = std::signbit(value.real);
        }
        return round_nearest(exact, type);
    }

    rounded largest_magnitude(sf::dtype type) const {
        ordered_value const low{std::fabs(s_.smallest->real),
                                s_.smallest->integer < 0 ? -s_.smallest->integer : s_.smallest->integer};
        ordered_value const high{std::fabs(s_.largest->real),
                                 s_.largest->integer < 0 ? -s_.largest->integer : s_.largest->integer};
        bool const use_low = low.integer > high.integer || low.real > high.real;
        return element(use_low ? low : high, type);
    }

    summary const& s_;
    sf::reduce_options const& options_;
    std::int64_t taken_;
    bool poisoned_, integers_;
};

} // namespace

sf::result_value evaluate(summary const& s, operation op, sf::reduce_options const& options) {
    return evaluator{s, options}.run(op);
}

sf::operation_set operations_of(sf::dtype type) {
    sf::operation_set set = sf::sum | sf::mean | sf::sum_of_squares | sf::l1 | sf::l2 | sf::variance | sf::stddev |
                            sf::count | sf::nan_count | sf::inf_count | sf::zero_count;
    return sf::is_complex(type) ? set : set | sf::linf | sf::extrema;
}

} // namespace oracle
