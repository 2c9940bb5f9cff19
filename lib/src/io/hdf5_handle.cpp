#include "io/hdf5_handle.hpp"

#include <new>

namespace steadfold::inline v0::io_detail {

namespace {
extern "C" herr_t steadfold_keep_innermost(unsigned depth, H5E_error2_t const* entry, void* text) {
    if (depth == 0 && entry->desc != nullptr) *static_cast<std::string*>(text) = entry->desc;
    return 0;
}
} // namespace

std::string hdf5_error_text() {
    std::string text;
    (void)H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, steadfold_keep_innermost, &text);
    (void)H5Eclear2(H5E_DEFAULT);
    if (text.find("allocation failed") != std::string::npos) throw std::bad_alloc();
    return text.empty() ? "HDF5 gives no reason" : text;
}

} // namespace steadfold::inline v0::io_detail
