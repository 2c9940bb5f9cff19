// What is reduced: Gaussian numbers with full significands, the same for any number of threads.
#pragma once

#include "steadfold/view.hpp"

#include <cstdint>
#include <memory>

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
    operator array_view() const noexcept { return {values_.get(), count_, dtype_of<T>}; } // NOLINT: implicit

  private:
    std::unique_ptr<T[]> values_;
    std::int64_t count_;
};

/// Element i is a function of `seed` and i alone (and of the machine's log and cos): mean 0, variance 1. Written by
/// `threads` threads in contiguous ranges, as steadfold and a static OpenMP schedule read them.
/// T is float or double.
template <class T>
[[nodiscard]] host_array<T> gaussian(std::int64_t count, std::uint64_t seed, int threads);

} // namespace steadfold::inline v0::app
