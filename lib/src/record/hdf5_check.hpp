/// Every HDF5 call is wrapped in `check`, which throws HDF5's own innermost words.
///
///     quiet_hdf5 const quiet;                                    // once a public function
///     file_handle file{check(H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT), "opening the file")};
#pragma once

#include "steadfold/error.hpp"

#include <hdf5.h>
#include <source_location>
#include <string>
#include <string_view>

namespace steadfold {
inline namespace v0 {
namespace detail {

/// A failed HDF5 call.
class hdf5_error : public library_error {
  public:
    using library_error::library_error;
};

/// Throws hdf5_error with `doing`, the innermost text of HDF5's error stack and the place; clears the stack.
[[noreturn]] void throw_hdf5_error(std::string_view doing, std::source_location where);

/// `result`, unless it is negative, which is how every HDF5 function says that it failed.
template <class Result>
Result check(Result result, std::string_view doing, std::source_location where = std::source_location::current()) {
    if (result < 0) throw_hdf5_error(doing, where);
    return result;
}

/// While it lives HDF5 prints no error stacks from this thread; the user's setting comes back afterwards.
class quiet_hdf5 {
  public:
    quiet_hdf5() noexcept {
        saved_ = H5Eget_auto2(H5E_DEFAULT, &function_, &data_) >= 0;
        if (saved_) H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
    }
    ~quiet_hdf5() {
        if (saved_) H5Eset_auto2(H5E_DEFAULT, function_, data_);
    }
    quiet_hdf5(quiet_hdf5 const&) = delete;
    quiet_hdf5& operator=(quiet_hdf5 const&) = delete;

  private:
    H5E_auto2_t function_ = nullptr;
    void* data_ = nullptr;
    bool saved_ = false;
};

} // namespace detail
} // namespace v0
} // namespace steadfold
