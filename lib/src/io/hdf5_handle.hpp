/// HDF5 identifiers that close themselves, and checks that keep the library's own words. Only used in the child.
#pragma once

#include "steadfold/error.hpp"

#include <hdf5.h>
#include <string>
#include <utility>

namespace steadfold::inline v0::io_detail {

/// The innermost text of HDF5's current error stack, which is emptied.
/// @throws std::bad_alloc  if HDF5 ran out of memory
[[nodiscard]] std::string hdf5_error_text();

/// @throws io_error  "cannot WHAT: HDF5's text" for a negative result
template <class Result>
Result check(Result result, char const* what) {
    if (result < 0) throw io_error(std::string("cannot ") + what + ": " + hdf5_error_text());
    return result;
}

class hdf5_handle {
  public:
    using closer = herr_t (*)(hid_t);

    hdf5_handle() = default;
    /// Owns `id`.
    /// @throws io_error  if `id` is negative, as `check` does
    hdf5_handle(hid_t id, closer close, char const* what) : id_(check(id, what)), close_(close) {}
    hdf5_handle(hdf5_handle&& other) noexcept : id_(std::exchange(other.id_, -1)), close_(other.close_) {}
    hdf5_handle& operator=(hdf5_handle&& other) noexcept {
        std::swap(id_, other.id_);
        std::swap(close_, other.close_);
        return *this;
    }
    ~hdf5_handle() { reset(); }

    [[nodiscard]] hid_t get() const noexcept { return id_; }
    [[nodiscard]] explicit operator bool() const noexcept { return id_ >= 0; }
    void reset() noexcept {
        if (id_ >= 0) (void)close_(std::exchange(id_, -1)); // opened for reading: nothing can be lost
    }

  private:
    hid_t id_ = -1;
    closer close_ = nullptr;
};

} // namespace steadfold::inline v0::io_detail
