/// Extendible compound tables in an HDF5 file, described by column_layout.
#pragma once

#include "record/hdf5_handle.hpp"
#include "record/record_schema.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace steadfold {
inline namespace v0 {
namespace detail {

/// The writer flushes at least this often.
inline constexpr std::size_t rows_per_flush = 4096;

/// Bytes of file that `rows` more rows can take at most, the table's index included.
[[nodiscard]] std::int64_t growth_bytes(std::size_t rows, std::size_t row_bytes) noexcept;

/// An empty table with one attribute `COLUMN_units` for each column that has units.
[[nodiscard]] dataset_handle create_table(hid_t parent, char const* name, std::span<column_layout const> layout);

/// Adds rows in the bytes of encode_rows. Not flushed.
void append_bytes(hid_t table, std::span<column_layout const> layout, std::span<std::byte const> rows);

/// All rows, in the bytes of decode_rows. Columns are found by name; one that the file lacks is zero. Rows of zeros
/// at the end are dropped: space that was added, but never filled before the writer died.
/// Throws io_error if the table is of another shape or type, or bigger than the file.
[[nodiscard]] std::vector<std::byte> read_bytes(hid_t parent, char const* name, std::span<column_layout const> layout);

template <class Row>
[[nodiscard]] std::vector<Row> read_table(hid_t parent) {
    return decode_rows<Row>(read_bytes(parent, table_name<Row>(), layout_of<Row>()));
}

} // namespace detail
} // namespace v0
} // namespace steadfold
