/// Owners of HDF5 identifiers, one type a kind; move-only, closed on destruction.
#pragma once

#include <hdf5.h>
#include <utility>

namespace steadfold {
inline namespace v0 {
namespace detail {

template <herr_t (*Close)(hid_t)>
class hdf5_handle {
  public:
    hdf5_handle() noexcept = default;
    explicit hdf5_handle(hid_t id) noexcept : id_(id) {}
    hdf5_handle(hdf5_handle&& other) noexcept : id_(std::exchange(other.id_, H5I_INVALID_HID)) {}
    hdf5_handle& operator=(hdf5_handle&& other) noexcept {
        if (this != &other) {
            reset();
            id_ = std::exchange(other.id_, H5I_INVALID_HID);
        }
        return *this;
    }
    ~hdf5_handle() { reset(); }

    [[nodiscard]] hid_t get() const noexcept { return id_; }
    [[nodiscard]] explicit operator bool() const noexcept { return id_ >= 0; }
    /// Gives the identifier up, for a close whose result matters.
    [[nodiscard]] hid_t release() noexcept { return std::exchange(id_, H5I_INVALID_HID); }
    void reset() noexcept {
        if (hid_t const id = release(); id >= 0) Close(id);
    }

  private:
    hid_t id_ = H5I_INVALID_HID;
};

using file_handle = hdf5_handle<H5Fclose>;
using group_handle = hdf5_handle<H5Gclose>;
using dataset_handle = hdf5_handle<H5Dclose>;
using dataspace_handle = hdf5_handle<H5Sclose>;
using datatype_handle = hdf5_handle<H5Tclose>;
using attribute_handle = hdf5_handle<H5Aclose>;
using properties_handle = hdf5_handle<H5Pclose>;
using object_handle = hdf5_handle<H5Oclose>;

} // namespace detail
} // namespace v0
} // namespace steadfold
