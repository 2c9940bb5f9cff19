/// Results of reductions: bits, type and status of every operation, and a typed form of them.
///
///     sf::statistics<double> s = sf::reduce(world, view, sf::sum | sf::mean);
///     std::printf("%a %s\n", s.sum, to_string(s.status(sf::operation::sum)).c_str());
#pragma once

#include "steadfold/dtype.hpp"
#include "steadfold/operations.hpp"
#include "steadfold/options.hpp"
#include "steadfold/status.hpp"

#include <array>
#include <bit>
#include <complex>
#include <cstdint>
#include <string>
#include <type_traits>

namespace steadfold {
inline namespace v0 {

/// One result. `bits[0]` holds the value in its low size_bytes(component_type(type)) bytes, integers sign-extended to
/// 64 bits; `bits[1]` the imaginary part of complex results, else 0.
struct result_value {
    dtype type = dtype::float64;
    std::array<std::uint64_t, 2> bits{};
    status_flags status = status_flags::none;

    /// The (real part of the) value as a double; exact for every type but 64-bit integers beyond 2^53.
    [[nodiscard]] double as_double(int component = 0) const noexcept;
    /// The value of an integer result.
    [[nodiscard]] std::int64_t as_int64() const noexcept { return static_cast<std::int64_t>(bits[0]); }
    /// Shortest decimal text that reads back to the same bits; "(re,im)" for complex results.
    [[nodiscard]] std::string to_decimal() const;
    /// Hexadecimal text: "%a" form of floating-point values, "0x..." of the 64 bits of integers.
    [[nodiscard]] std::string to_hex() const;
    /// "0x" and the bits of the value in its own width.
    [[nodiscard]] std::string bit_pattern() const;

    [[nodiscard]] friend bool operator==(result_value const&, result_value const&) noexcept = default;
};

/// Results of one reduction, by operation.
class reduction_results {
  public:
    reduction_results() = default;
    [[nodiscard]] operation_set operations() const noexcept { return operations_; }
    /// @throws argument_error if `op` was not asked for
    [[nodiscard]] result_value const& operator[](operation op) const;
    void set(operation op, result_value value) noexcept;
    [[nodiscard]] friend bool operator==(reduction_results const&, reduction_results const&) noexcept = default;

  private:
    operation_set operations_;
    std::array<result_value, operation_count> values_{};
};

/// Default type of sums and extrema: the input's, but float for half and bfloat16, and 64-bit integers.
[[nodiscard]] STEADFOLD_HOST_DEVICE constexpr dtype default_result_type(dtype input) noexcept {
    if (is_complex(input)) return input;
    if (is_integer(input)) return is_signed_integer(input) ? dtype::int64 : dtype::uint64;
    return input == dtype::float64 ? dtype::float64 : dtype::float32;
}

/// Default type of means, variances and norms: that of sums, but float64 for integers and the real type for complex.
[[nodiscard]] STEADFOLD_HOST_DEVICE constexpr dtype default_real_type(dtype input) noexcept {
    if (is_integer(input)) return dtype::float64;
    return component_type(input) == dtype::float64 ? dtype::float64 : dtype::float32;
}

namespace detail {
template <class T>
struct result_types {
    using sum =
        std::conditional_t<std::is_integral_v<T>, std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>,
                           std::conditional_t<std::is_same_v<T, double>, double, float>>;
    using mean = std::conditional_t<std::is_integral_v<T> || std::is_same_v<T, double>, double, float>;
    using real = mean;
    using magnitude = std::conditional_t<std::is_integral_v<T>, std::uint64_t, mean>;
};
template <class R>
struct result_types<std::complex<R>> {
    using sum = std::complex<R>;
    using mean = std::complex<R>;
    using real = R;
    using magnitude = R;
};
} // namespace detail

/// The results of reduce() over elements of type T in their default types. Members that were not asked for are 0,
/// indices -1.
template <class T>
struct statistics {
    using types = detail::result_types<T>;
    typename types::sum sum{}, min{}, max{};
    typename types::mean mean{};
    typename types::magnitude l1{}, linf{}, sum_of_squares{};
    typename types::real l2{}, variance{}, stddev{};
    std::int64_t argmin = -1, argmax = -1; ///< -1 for an empty range
    std::int64_t count = 0, nan_count = 0, inf_count = 0, zero_count = 0;
    bool any = false, every = false;
    typename types::sum product{}, bit_and{}, bit_or{}, bit_xor{}; ///< bits of integers only
    reduction_results raw;                                         ///< the same with status and bits

    [[nodiscard]] status_flags status(operation op) const { return raw[op].status; }
};

namespace detail {
/// The bits of a result as its C++ type.
template <class R>
[[nodiscard]] R value_as(result_value const& value) noexcept {
    if constexpr (std::is_integral_v<R>)
        return static_cast<R>(value.bits[0]);
    else if constexpr (std::is_same_v<R, double>)
        return std::bit_cast<double>(value.bits[0]);
    else if constexpr (std::is_same_v<R, float>)
        return std::bit_cast<float>(static_cast<std::uint32_t>(value.bits[0]));
    else if constexpr (std::is_same_v<R, half> || std::is_same_v<R, bfloat16>)
        return R{static_cast<std::uint16_t>(value.bits[0])};
    else {
        using part = typename R::value_type;
        return {value_as<part>({dtype_of<part>, {value.bits[0], 0}, {}}),
                value_as<part>({dtype_of<part>, {value.bits[1], 0}, {}})};
    }
}

template <class T>
[[nodiscard]] statistics<T> typed(reduction_results const& results) {
    statistics<T> typed;
    auto const fill = [&results](operation op, auto& member) {
        if (results.operations().contains(op))
            member = value_as<std::remove_reference_t<decltype(member)>>(results[op]);
    };
    fill(operation::sum, typed.sum);
    fill(operation::mean, typed.mean);
    fill(operation::min, typed.min);
    fill(operation::max, typed.max);
    fill(operation::l1, typed.l1);
    fill(operation::l2, typed.l2);
    fill(operation::linf, typed.linf);
    fill(operation::sum_of_squares, typed.sum_of_squares);
    fill(operation::variance, typed.variance);
    fill(operation::stddev, typed.stddev);
    fill(operation::argmin, typed.argmin);
    fill(operation::argmax, typed.argmax);
    fill(operation::count, typed.count);
    fill(operation::nan_count, typed.nan_count);
    fill(operation::inf_count, typed.inf_count);
    fill(operation::zero_count, typed.zero_count);
    fill(operation::any, typed.any);
    fill(operation::every, typed.every);
    fill(operation::product, typed.product);
    fill(operation::bit_and, typed.bit_and);
    fill(operation::bit_or, typed.bit_or);
    fill(operation::bit_xor, typed.bit_xor);
    typed.raw = results;
    return typed;
}

/// @throws argument_error if `options.result` is set: the typed forms have fixed types
void require_default_result(reduce_options const& options);
} // namespace detail

} // namespace v0
} // namespace steadfold
