// What the rungs sum, and what the sums must be.
#pragma once

#include "base/cuda_handles.hpp"
#include "data.hpp"
#include "ladder/rung.hpp"

#include <cstdint>

namespace steadfold::inline v0::app::ladder {

struct input {
    void const* x; // device memory
    std::int64_t count;
    double sum; // to the last bit
};

/// -3 .. 3 without 0, by chance. No sum of a part comes near 2^24, whatever the parts are as long as they are not
/// chosen by the values: float32 then adds without rounding, and every order of additions gives the same sum. Each
/// element that is left out or taken twice changes it.
[[nodiscard]] int whole_number(std::int64_t i);

/// An array of T on the device.
template <class T>
[[nodiscard]] detail::device_buffer<T> on_device(T const* from, std::int64_t count);

/// Correctly rounded to T, of finite numbers.
template <class T>
[[nodiscard]] double exact_sum(T const* x, std::int64_t count, int threads);

/// Whole numbers for the rungs whose sums depend on the order, Gaussian ones with full significands for the exact
/// rungs. The float64 array has half as many elements: as many bytes.
class inputs {
  public:
    inputs(std::int64_t count, int threads);
    [[nodiscard]] input of(rung const& what) const;

  private:
    std::int64_t count_, count64_;
    detail::device_buffer<float> whole_, gaussian_;
    detail::device_buffer<std::int32_t> integers_;
    detail::device_buffer<double> gaussian64_;
    double whole_sum_ = 0, gaussian_sum_ = 0, gaussian64_sum_ = 0;
};

} // namespace steadfold::inline v0::app::ladder
