/// The header of a .npy file, versions 1.0 to 3.0.
#pragma once

#include "steadfold/dtype.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace steadfold::inline v0::io_detail {

struct npy_header {
    dtype type = dtype::float64;
    bool big_endian = false;
    bool fortran_order = false;
    std::vector<std::int64_t> extents;
    std::string descr; ///< as the file has it
};

/// Where the dictionary lies, from the first bytes of the file.
struct npy_preamble {
    std::int64_t dictionary_at = 0;
    std::int64_t dictionary_bytes = 0;
};

/// The longest preamble: magic, version, 4 bytes of length.
inline constexpr std::size_t npy_preamble_bytes = 12;

/// @throws io_error  (without the file's name) for a short preamble or an unknown version
[[nodiscard]] npy_preamble parse_npy_preamble(std::span<std::byte const> head);

/// Reads the Python dictionary `{'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }`.
/// @throws io_error  (without the file's name) for text that is no such dictionary, or an element type that cannot be
/// read
[[nodiscard]] npy_header parse_npy_dictionary(std::string_view text);

} // namespace steadfold::inline v0::io_detail
