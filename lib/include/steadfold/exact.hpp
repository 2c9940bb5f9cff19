/// Superaccumulators: exact sums that can be merged in any order, kept, sent and rounded once.
///
///     sf::superaccumulator<double> a, b;
///     a.add(1e100);
///     b.add(-1e100);
///     b.add(std::span{values});
///     a.merge(b);                                     // the same bits as any other way to add these values
///     double s = a.round();                           // correctly rounded, once
///     std::vector<std::byte> kept = a.serialise();    // equal sums of equally many values: equal bytes
///
/// Element types: double, float, half, bfloat16, integers of 8 to 64 bits, std::complex<float> and <double>.
///
/// Special values: NaN makes the result NaN; +Inf and -Inf together give NaN with status `invalid`; a sum of only -0 is
/// -0; nothing at all is +0 with status `empty`. Up to 2^63 - 1 values cannot overflow an accumulator.
///
/// Add ranges where you can: a value alone takes most of a microsecond, in a range one or two nanoseconds.
///
/// Host code. Move-only would be a nuisance for a value: copies are deep, about 5 KB. One thread at a time for each.
#pragma once

#include "steadfold/dtype.hpp"
#include "steadfold/results.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <type_traits>
#include <vector>

namespace steadfold {
inline namespace v0 {

namespace detail {

/// A superaccumulator of a type known at run time.
class any_superaccumulator {
  public:
    explicit any_superaccumulator(dtype type);
    any_superaccumulator(any_superaccumulator const& other);
    any_superaccumulator& operator=(any_superaccumulator const& other);
    any_superaccumulator(any_superaccumulator&&) noexcept;
    any_superaccumulator& operator=(any_superaccumulator&&) noexcept;
    ~any_superaccumulator();

    void add(void const* values, std::int64_t count);
    void merge(any_superaccumulator const& other);
    [[nodiscard]] result_value round(dtype component_result) const;
    [[nodiscard]] std::int64_t count() const noexcept;
    [[nodiscard]] std::vector<std::byte> serialise() const;
    [[nodiscard]] static any_superaccumulator deserialise(std::span<std::byte const> bytes, dtype expected);

  private:
    struct state;
    std::unique_ptr<state> state_;
};

} // namespace detail

/// See the top of this file.
template <class T>
class superaccumulator {
  public:
    using value_type = T;
    /// What round() gives: T, but float for half and bfloat16, and 64-bit integers for integers.
    using sum_type = typename detail::result_types<T>::sum;

    superaccumulator() : any_{dtype_of<T>} {}

    /// @throws argument_error for more than 2^63 - 1 values in all; nothing is added then. The same for merge().
    void add(T const& value) { any_.add(&value, 1); }
    void add(std::span<T const> values) { any_.add(values.data(), static_cast<std::int64_t>(values.size())); }
    void merge(superaccumulator const& other) { any_.merge(other.any_); }

    /// How many values were added, here and in what was merged.
    [[nodiscard]] std::int64_t count() const noexcept { return any_.count(); }

    /// The sum, rounded once to nearest-even. Integers saturate if the sum does not fit; see result().
    [[nodiscard]] sum_type round() const { return detail::value_as<sum_type>(result()); }

    /// The sum rounded straight to another real type (for complex sums: the type of the parts).
    template <class R>
    [[nodiscard]] auto round_to() const {
        using result_type = std::conditional_t<is_complex(dtype_of<T>), std::complex<R>, R>;
        return detail::value_as<result_type>(any_.round(dtype_of<R>));
    }

    /// The sum with its status, in the type of round().
    [[nodiscard]] result_value result() const { return any_.round(component_type(dtype_of<sum_type>)); }

    /// Versioned, little-endian, canonical.
    [[nodiscard]] std::vector<std::byte> serialise() const { return any_.serialise(); }

    /// @throws argument_error if the bytes are not a superaccumulator of T, saying what is wrong; never trusts them
    [[nodiscard]] static superaccumulator deserialise(std::span<std::byte const> bytes) {
        return superaccumulator{detail::any_superaccumulator::deserialise(bytes, dtype_of<T>)};
    }

  private:
    explicit superaccumulator(detail::any_superaccumulator any) : any_{std::move(any)} {}
    detail::any_superaccumulator any_;
};

} // namespace v0
} // namespace steadfold
