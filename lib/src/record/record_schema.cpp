#include "record/record_schema.hpp"

#include <array>

namespace steadfold {
inline namespace v0 {
namespace detail {
namespace {

// A data set of a file with a path is long; the set of all operations is about 110 characters.
constexpr std::size_t input_width = 128, operations_width = 128, text_width = 384;
// Two parts of 8 bytes would be "0x" and 32 digits; "2026-01-31T23:59:59.123Z" is 24.
constexpr std::size_t bits_width = 40, time_width = 24, word_width = 16;

constexpr auto partition_columns = std::to_array<column<partition_row>>({
    {"shard", &partition_row::shard, "1"},
    {"rank", &partition_row::rank, "1"},
    {"device", &partition_row::device, "1"},
    {"domain", &partition_row::domain, "1"},
    {"first", &partition_row::first, "1"},
    {"count", &partition_row::count, "1"},
});

constexpr auto operation_columns = std::to_array<column<operation_row>>({
    {"input", &operation_row::input, "", input_width, keep::tail},
    {"rank", &operation_row::rank, "1"},
    {"device", &operation_row::device, "1"},
    {"domain", &operation_row::domain, "1"},
    {"operations", &operation_row::operations, "", operations_width},
    {"dtype", &operation_row::dtype, "", word_width},
    {"mode", &operation_row::mode, "", word_width},
    {"elements", &operation_row::elements, "1"},
    {"bytes", &operation_row::bytes, "B"},
    {"seconds_read", &operation_row::seconds_read, "s"},
    {"seconds_reduce", &operation_row::seconds_reduce, "s"},
    {"seconds_combine", &operation_row::seconds_combine, "s"},
    {"bandwidth", &operation_row::bandwidth, "GB/s"},
});

constexpr auto result_columns = std::to_array<column<result_row>>({
    {"input", &result_row::input, "", input_width, keep::tail},
    {"operation", &result_row::operation, "", operations_width},
    {"dtype", &result_row::dtype, "", word_width},
    {"value", &result_row::value, "1"},
    {"bits", &result_row::bits, "", bits_width},
    {"status", &result_row::status, "", input_width},
});

constexpr auto message_columns = std::to_array<column<message_row>>({
    {"time", &message_row::time, "", time_width},
    {"rank", &message_row::rank, "1"},
    {"level", &message_row::level, "", word_width},
    {"text", &message_row::text, "", text_width},
});

} // namespace

template <>
char const* table_name<partition_row>() noexcept {
    return "partition";
}
template <>
char const* table_name<operation_row>() noexcept {
    return "operations";
}
template <>
char const* table_name<result_row>() noexcept {
    return "results";
}
template <>
char const* table_name<message_row>() noexcept {
    return "messages";
}

template <>
std::span<column<partition_row> const> columns_of<partition_row>() noexcept {
    return partition_columns;
}
template <>
std::span<column<operation_row> const> columns_of<operation_row>() noexcept {
    return operation_columns;
}
template <>
std::span<column<result_row> const> columns_of<result_row>() noexcept {
    return result_columns;
}
template <>
std::span<column<message_row> const> columns_of<message_row>() noexcept {
    return message_columns;
}

} // namespace detail
} // namespace v0
} // namespace steadfold
