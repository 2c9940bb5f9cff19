// The arrays that are reduced on a GPU, and what the results must be.
#pragma once

#include "base/cuda_handles.hpp"
#include "data.hpp"
#include "reference.hpp"

#include <cstdint>
#include <map>
#include <memory>

namespace steadfold::inline v0::app {

/// One array, or two of the same kind for products, on the host and on the current device.
template <class T>
class device_data {
  public:
    device_data(data_kind kind, std::int64_t elements, bool pairs, int threads);

    [[nodiscard]] data_kind kind() const noexcept { return kind_; }
    [[nodiscard]] std::int64_t elements() const noexcept { return x_.size(); }
    [[nodiscard]] bool has_pairs() const noexcept { return y_.size() > 0; }
    [[nodiscard]] host_array<T> const& host() const noexcept { return x_; }
    [[nodiscard]] T const* x() const noexcept { return device_x_.get(); }
    [[nodiscard]] T const* y() const noexcept { return device_y_.get(); }

    /// Of the first `count` elements; found once.
    [[nodiscard]] reference<T> const& expected(std::int64_t count) const;

  private:
    data_kind kind_;
    int threads_;
    host_array<T> x_, y_;
    detail::device_buffer<T> device_x_, device_y_;
    mutable std::map<std::int64_t, reference<T>> expected_;
};

/// Data of that kind with at least so many elements: the last ones, if they will do, since making 2^28 takes seconds.
template <class T>
[[nodiscard]] std::shared_ptr<device_data<T> const> data_on_device(data_kind kind, std::int64_t elements, bool pairs,
                                                                   int threads);

/// Of the 32-bit words in the first `bytes` bytes, as far as they fill 16 bytes.
[[nodiscard]] std::uint32_t exclusive_or_of_words(void const* data, std::int64_t bytes, int threads);

} // namespace steadfold::inline v0::app
