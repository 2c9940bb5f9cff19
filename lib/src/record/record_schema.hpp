/// The columns of the record's tables, and rows as bytes in that layout. Knows nothing of HDF5.
///
/// A row's bytes are its columns one after another without padding: numbers in the machine's order, texts padded with
/// NUL. New columns are added at the end of a table; a reader finds columns by name.
#pragma once

#include "record/fixed_text.hpp"
#include "steadfold/record.hpp"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <variant>
#include <vector>

namespace steadfold {
inline namespace v0 {
namespace detail {

template <class Row>
using member_of = std::variant<int Row::*, std::int64_t Row::*, double Row::*, std::string Row::*>;

template <class Row>
struct column {
    char const* name;
    member_of<Row> member;
    char const* units = ""; ///< empty for text
    std::size_t width = 0;  ///< bytes of a text
    keep part = keep::head; ///< of a text that is too long
};

/// The table's name in the file.
template <class Row>
[[nodiscard]] char const* table_name() noexcept;
template <>
char const* table_name<partition_row>() noexcept;
template <>
char const* table_name<operation_row>() noexcept;
template <>
char const* table_name<result_row>() noexcept;
template <>
char const* table_name<message_row>() noexcept;

template <class Row>
[[nodiscard]] std::span<column<Row> const> columns_of() noexcept;
template <>
std::span<column<partition_row> const> columns_of<partition_row>() noexcept;
template <>
std::span<column<operation_row> const> columns_of<operation_row>() noexcept;
template <>
std::span<column<result_row> const> columns_of<result_row>() noexcept;
template <>
std::span<column<message_row> const> columns_of<message_row>() noexcept;

/// A column without its C++ type, as the HDF5 side needs it.
enum class number_kind { text, int32, int64, float64 };
struct column_layout {
    std::string name;
    std::string units;
    number_kind kind;
    std::size_t offset;
    std::size_t size;
};

template <class Row>
[[nodiscard]] std::size_t size_of(column<Row> const& c) noexcept {
    static_assert(sizeof(int) == 4);
    return c.member.index() == 3 ? c.width : c.member.index() == 0 ? 4 : 8;
}

template <class Row>
[[nodiscard]] std::vector<column_layout> layout_of() {
    constexpr number_kind kinds[] = {number_kind::int32, number_kind::int64, number_kind::float64, number_kind::text};
    std::vector<column_layout> layout;
    std::size_t offset = 0;
    for (column<Row> const& c : columns_of<Row>()) {
        layout.push_back({c.name, c.units, kinds[c.member.index()], offset, size_of(c)});
        offset += size_of(c);
    }
    return layout;
}

template <class Row>
[[nodiscard]] std::size_t row_bytes() noexcept {
    std::size_t bytes = 0;
    for (column<Row> const& c : columns_of<Row>()) bytes += size_of(c);
    return bytes;
}

// One column of one row, to and from its bytes.
inline void encode(std::string const& text, std::byte* to, std::size_t width, keep part) {
    std::string const fitted = fit_text(text, width, part);
    std::memcpy(to, fitted.data(), fitted.size());
}
inline void decode(std::string& text, std::byte const* from, std::size_t width) {
    char const* const begin = reinterpret_cast<char const*>(from);
    text = valid_utf8({begin, strnlen(begin, width)});
}
template <class Number>
void encode(Number number, std::byte* to, std::size_t, keep) {
    std::memcpy(to, &number, sizeof number);
}
template <class Number>
void decode(Number& number, std::byte const* from, std::size_t) {
    std::memcpy(&number, from, sizeof number);
}

template <class Row>
[[nodiscard]] std::vector<std::byte> encode_rows(std::span<Row const> rows) {
    std::vector<std::byte> bytes(rows.size() * row_bytes<Row>());
    std::byte* to = bytes.data();
    for (Row const& row : rows) {
        for (column<Row> const& c : columns_of<Row>()) {
            std::visit([&](auto member) { encode(row.*member, to, c.width, c.part); }, c.member);
            to += size_of(c);
        }
    }
    return bytes;
}

/// `bytes` holds a whole number of rows.
template <class Row>
[[nodiscard]] std::vector<Row> decode_rows(std::span<std::byte const> bytes) {
    std::vector<Row> rows(bytes.size() / row_bytes<Row>());
    std::byte const* from = bytes.data();
    for (Row& row : rows) {
        for (column<Row> const& c : columns_of<Row>()) {
            std::visit([&](auto member) { decode(row.*member, from, c.width); }, c.member);
            from += size_of(c);
        }
    }
    return rows;
}

} // namespace detail
} // namespace v0
} // namespace steadfold
