// What is reduced: made up on the host, the same for any number of threads.
#pragma once

#include "steadfold/dtype.hpp"
#include "steadfold/view.hpp"

#include <cstdint>
#include <memory>
#include <string>

namespace steadfold::inline v0::app {

template <class T>
class host_array {
  public:
    /// Not initialised, so that the first touch, and with it the NUMA node, is the writing thread's.
    explicit host_array(std::int64_t count)
        : values_{std::make_unique_for_overwrite<T[]>(static_cast<std::size_t>(count))}, count_{count} {}
    [[nodiscard]] T* data() const noexcept { return values_.get(); }
    [[nodiscard]] std::int64_t size() const noexcept { return count_; }
    [[nodiscard]] std::int64_t bytes() const noexcept { return count_ * static_cast<std::int64_t>(sizeof(T)); }
    /// The first `count` elements. The array must outlive them.
    [[nodiscard]] array_view first(std::int64_t count) const noexcept { return {values_.get(), count, dtype_of<T>}; }
    operator array_view() const noexcept { return first(count_); } // NOLINT: implicit

  private:
    std::unique_ptr<T[]> values_;
    std::int64_t count_;
};

/// Full significands everywhere: numbers on a coarse grid would spare an exact sum its work.
enum class distribution {
    gaussian,         ///< mean 0, variance 1
    lognormal,        ///< the exponential of such a number
    uniform,          ///< over (0, 1]; integers of both signs
    random_exponents, ///< both signs, every binary exponent equally likely
};

/// @param binades  of random_exponents: how many, around 1; 0: from the subnormals up to where a sum of 2^30 of the
///                 largest numbers is still finite (float64: 2^993, float32 and bfloat16: 2^97, float16: all)
struct data_kind {
    distribution shape = distribution::gaussian;
    int binades = 0;
    [[nodiscard]] friend bool operator==(data_kind const&, data_kind const&) noexcept = default;
};

/// "gaussian", "lognormal", "uniform", "random-exponents", or "random-exponents:64" for 64 binades.
[[nodiscard]] data_kind parse_data_kind(std::string const& text);
[[nodiscard]] std::string name(data_kind kind);

/// Element i is a function of kind, `seed` and i alone (and of the machine's log, exp and cos), so that a shorter array
/// is the beginning of a longer one. Written by `threads` threads in contiguous ranges, as steadfold and a static
/// OpenMP schedule read them. Integers are scaled so that 2^30 of them do not overflow 64 bits.
/// T is double, float, half, bfloat16, or a signed integer.
template <class T>
[[nodiscard]] host_array<T> generate(data_kind kind, std::int64_t count, std::uint64_t seed, int threads);

} // namespace steadfold::inline v0::app
