#include "record/hdf5_check.hpp"

namespace steadfold {
inline namespace v0 {
namespace detail {
namespace {

/// H5E_WALK_UPWARD visits the innermost frame first; the first text is kept.
herr_t keep_first(unsigned, H5E_error2_t const* frame, void* text) {
    auto& kept = *static_cast<std::string*>(text);
    if (kept.empty() && frame->desc) kept = frame->desc;
    return 0;
}

/// File drivers wrap the system's words in a long line: keep the words.
std::string shortened(std::string const& text) {
    constexpr std::string_view begin = "error message = '";
    auto const at = text.find(begin);
    if (at == std::string::npos) return text;
    auto const end = text.find('\'', at + begin.size());
    return text.substr(at + begin.size(), end - at - begin.size());
}

} // namespace

void throw_hdf5_error(std::string_view doing, std::source_location where) {
    std::string innermost;
    H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, keep_first, &innermost);
    H5Eclear2(H5E_DEFAULT);
    std::string_view file = where.file_name();
    file.remove_prefix(file.rfind('/') + 1); // npos + 1 is 0
    throw hdf5_error(std::string(doing) + ": " + (innermost.empty() ? "HDF5 gives no reason" : shortened(innermost)) +
                     " [" + std::string(file) + ":" + std::to_string(where.line()) + "]");
}

} // namespace detail
} // namespace v0
} // namespace steadfold
