#include "record/record_table.hpp"

#include "record/hdf5_attributes.hpp"

#include <algorithm>
#include <string>

namespace steadfold {
inline namespace v0 {
namespace detail {
namespace {

// A kill while a node of the chunk index is split can lose rows of earlier flushes: chunks of this size put the first
// split behind 64 chunks, some 24,000 rows of operations. A small record holds one chunk a table.
constexpr std::size_t chunk_bytes = 128 * 1024;

std::size_t size_of_row(std::span<column_layout const> layout) {
    return layout.back().offset + layout.back().size;
}

hsize_t rows_per_chunk(std::size_t row_bytes) {
    return std::max<hsize_t>(1, chunk_bytes / row_bytes);
}

datatype_handle column_type(column_layout const& column, bool in_file) {
    switch (column.kind) {
    case number_kind::int32:
        return datatype_handle{H5Tcopy(in_file ? H5T_STD_I32LE : H5T_NATIVE_INT32)};
    case number_kind::int64:
        return datatype_handle{H5Tcopy(in_file ? H5T_STD_I64LE : H5T_NATIVE_INT64)};
    case number_kind::float64:
        return datatype_handle{H5Tcopy(in_file ? H5T_IEEE_F64LE : H5T_NATIVE_DOUBLE)};
    case number_kind::text:
        break;
    }
    datatype_handle type{check(H5Tcopy(H5T_C_S1), "copying a text type")};
    check(H5Tset_size(type.get(), column.size), "sizing a text type");
    check(H5Tset_strpad(type.get(), H5T_STR_NULLPAD), "padding a text type");
    check(H5Tset_cset(type.get(), H5T_CSET_UTF8), "setting UTF-8");
    return type;
}

datatype_handle row_type(std::span<column_layout const> layout, bool in_file) {
    datatype_handle type{check(H5Tcreate(H5T_COMPOUND, size_of_row(layout)), "creating a row type")};
    for (column_layout const& column : layout) {
        auto const member = column_type(column, in_file);
        check(H5Tinsert(type.get(), column.name.c_str(), column.offset, member.get()), column.name);
    }
    return type;
}

dataspace_handle select_rows(hid_t table, hsize_t first, hsize_t count) {
    dataspace_handle space{check(H5Dget_space(table), "reading a table's extent")};
    check(H5Sselect_hyperslab(space.get(), H5S_SELECT_SET, &first, nullptr, &count, nullptr), "selecting rows");
    return space;
}

hsize_t row_count(hid_t table) {
    dataspace_handle const space{check(H5Dget_space(table), "reading a table's extent")};
    if (H5Sget_simple_extent_ndims(space.get()) != 1) throw io_error("not a list of rows");
    hsize_t rows = 0;
    check(H5Sget_simple_extent_dims(space.get(), &rows, nullptr), "reading a table's extent");
    return rows;
}

H5T_class_t class_of(number_kind kind) {
    return kind == number_kind::text ? H5T_STRING : kind == number_kind::float64 ? H5T_FLOAT : H5T_INTEGER;
}

/// HDF5 1.10 converts members that lie outside of their row, in damaged files, without a look: it reads foreign memory.
void check_members(hid_t file_type) {
    if (H5Tget_class(file_type) != H5T_COMPOUND) throw io_error("not a table with columns");
    std::size_t const row_bytes = H5Tget_size(file_type);
    unsigned const members = static_cast<unsigned>(check(H5Tget_nmembers(file_type), "counting columns"));
    for (unsigned i = 0; i < members; ++i) {
        datatype_handle const member{check(H5Tget_member_type(file_type, i), "reading a column's type")};
        std::size_t const offset = H5Tget_member_offset(file_type, i), size = H5Tget_size(member.get());
        if (size > row_bytes || offset > row_bytes - size) throw io_error("a column lies outside of its row");
    }
}

/// Checks each known column against the file before HDF5 converts anything.
void check_columns(hid_t file_type, std::span<column_layout const> layout) {
    check_members(file_type);
    for (column_layout const& column : layout) {
        int const index = H5Tget_member_index(file_type, column.name.c_str());
        if (index < 0) continue;
        datatype_handle const member{
            check(H5Tget_member_type(file_type, static_cast<unsigned>(index)), "reading a column's type")};
        if (H5Tget_class(member.get()) != class_of(column.kind) ||
            (column.kind == number_kind::text && H5Tis_variable_str(member.get()) > 0))
            throw io_error("column " + column.name + " has another type");
    }
}

/// A damaged extent must not make us allocate without bound: rows need storage, compressed at most 1032:1 (deflate).
void check_extent(hid_t table, hid_t file_type, hsize_t rows) {
    properties_handle const properties{check(H5Dget_create_plist(table), "reading a table's layout")};
    hsize_t const most_per_byte = check(H5Pget_nfilters(properties.get()), "reading filters") > 0 ? 1032 : 1;
    file_handle const file{check(H5Iget_file_id(table), "finding the table's file")};
    hsize_t file_bytes = 0;
    check(H5Fget_filesize(file.get(), &file_bytes), "reading the file's size");
    hsize_t const stored = std::min(H5Dget_storage_size(table), file_bytes);
    hsize_t const row_bytes = std::max<hsize_t>(1, H5Tget_size(file_type));
    // A killed writer may have added the rows of one flush before their storage.
    if (rows > stored * most_per_byte / row_bytes + rows_per_flush)
        throw io_error("claims more rows than its file can hold");
}

/// Reads rows into `bytes`, chunk by chunk, and returns how many could be read. A writer killed in the middle of a
/// flush may leave chunks in the index that lie beyond the end of the file as the superblock knows it: the rows of
/// earlier flushes come before them, and those after the first unreadable chunk were never flushed.
hsize_t read_rows(hid_t table, hid_t type, hsize_t rows, std::span<std::byte> bytes) {
    std::size_t const row_bytes = H5Tget_size(type);
    hsize_t const step = rows_per_chunk(row_bytes);
    for (hsize_t first = 0; first < rows; first += step) {
        hsize_t const count = std::min(step, rows - first);
        auto const where = select_rows(table, first, count);
        dataspace_handle const memory{check(H5Screate_simple(1, &count, nullptr), "describing rows")};
        try {
            check(H5Dread(table, type, memory.get(), where.get(), H5P_DEFAULT, bytes.data() + first * row_bytes),
                  "reading rows");
        } catch (error const&) {
            if (first == 0) throw; // nothing at all can be read: damage, not a cut
            return first;
        }
    }
    return rows;
}

bool all_zero(std::span<std::byte const> bytes) {
    return std::all_of(bytes.begin(), bytes.end(), [](std::byte byte) { return byte == std::byte{0}; });
}

} // namespace

std::int64_t growth_bytes(std::size_t rows, std::size_t row_bytes) noexcept {
    std::size_t const chunks = rows / rows_per_chunk(row_bytes) + 2;
    // Besides its data, each chunk takes a key in the chunk index (B-tree nodes are 2 to 3 KiB for 32 chunks or more).
    constexpr std::size_t index_bytes = 256, slack = 16 * 1024;
    return static_cast<std::int64_t>(chunks * (chunk_bytes + index_bytes) + slack);
}

dataset_handle create_table(hid_t parent, char const* name, std::span<column_layout const> layout) {
    auto const type = row_type(layout, true);
    hsize_t const none = 0, unlimited = H5S_UNLIMITED, chunk = rows_per_chunk(size_of_row(layout));
    dataspace_handle const space{check(H5Screate_simple(1, &none, &unlimited), name)};
    properties_handle const properties{check(H5Pcreate(H5P_DATASET_CREATE), name)};
    check(H5Pset_chunk(properties.get(), 1, &chunk), name);
    dataset_handle table{
        check(H5Dcreate2(parent, name, type.get(), space.get(), H5P_DEFAULT, properties.get(), H5P_DEFAULT), name)};
    for (column_layout const& column : layout)
        if (!column.units.empty()) write_attribute(table.get(), (column.name + "_units").c_str(), column.units);
    return table;
}

void append_bytes(hid_t table, std::span<column_layout const> layout, std::span<std::byte const> rows) {
    hsize_t const count = rows.size() / size_of_row(layout);
    hsize_t const before = row_count(table);
    hsize_t const after = before + count;
    check(H5Dset_extent(table, &after), "extending a table");
    auto const type = row_type(layout, false);
    auto const where = select_rows(table, before, count);
    dataspace_handle const memory{check(H5Screate_simple(1, &count, nullptr), "describing rows")};
    check(H5Dwrite(table, type.get(), memory.get(), where.get(), H5P_DEFAULT, rows.data()), "writing rows");
}

std::vector<std::byte> read_bytes(hid_t parent, char const* name, std::span<column_layout const> layout) try {
    if (check(H5Lexists(parent, name, H5P_DEFAULT), name) == 0) return {};
    dataset_handle const table{check(H5Dopen2(parent, name, H5P_DEFAULT), name)};
    datatype_handle const file_type{check(H5Dget_type(table.get()), name)};
    check_columns(file_type.get(), layout);
    hsize_t const rows = row_count(table.get());
    check_extent(table.get(), file_type.get(), rows);
    std::size_t const row_bytes = size_of_row(layout);
    std::vector<std::byte> bytes(rows * row_bytes);
    if (rows > 0) {
        std::vector<column_layout> present;
        for (column_layout const& column : layout)
            if (H5Tget_member_index(file_type.get(), column.name.c_str()) >= 0) present.push_back(column);
        if (present.empty()) throw io_error("has none of the known columns");
        datatype_handle const type{check(H5Tcreate(H5T_COMPOUND, row_bytes), name)};
        for (column_layout const& column : present)
            check(H5Tinsert(type.get(), column.name.c_str(), column.offset, column_type(column, false).get()), name);
        bytes.resize(read_rows(table.get(), type.get(), rows, bytes) * row_bytes);
    }
    // A row with texts is never all zero; without texts the first one may be: the only shard of an empty array.
    bool const has_text =
        std::any_of(layout.begin(), layout.end(), [](auto& c) { return c.kind == number_kind::text; });
    std::size_t const kept = has_text ? 0 : row_bytes;
    while (bytes.size() > kept && all_zero(std::span(bytes).last(row_bytes))) bytes.resize(bytes.size() - row_bytes);
    return bytes;
} catch (error const& e) {
    throw io_error("table " + std::string(name) + ": " + e.what());
}

} // namespace detail
} // namespace v0
} // namespace steadfold
