#include "record/record_schema.hpp"
#include "steadfold/error.hpp"

#include <cstring>

namespace steadfold {
inline namespace v0 {
namespace {

struct block_header {
    char magic[8] = {'s', 'f', '-', 'r', 'o', 'w', 's', '1'};
    std::uint64_t row_bytes = detail::row_bytes<operation_row>();
    std::uint64_t rows = 0;
};

} // namespace

std::vector<std::byte> pack(std::span<operation_row const> rows) {
    block_header header;
    header.rows = rows.size();
    std::vector<std::byte> const body = detail::encode_rows(rows);
    std::vector<std::byte> block(sizeof header + body.size());
    std::memcpy(block.data(), &header, sizeof header);
    if (!body.empty()) std::memcpy(block.data() + sizeof header, body.data(), body.size());
    return block;
}

std::vector<operation_row> unpack(std::span<std::byte const> blocks) {
    std::vector<operation_row> rows;
    while (!blocks.empty()) {
        block_header const expected;
        block_header header;
        if (blocks.size() < sizeof header) throw argument_error("unpack: the last block of rows is cut off");
        std::memcpy(&header, blocks.data(), sizeof header);
        if (std::memcmp(header.magic, expected.magic, sizeof header.magic) != 0)
            throw argument_error("unpack: these bytes are not packed rows");
        if (header.row_bytes != expected.row_bytes)
            throw argument_error("unpack: rows of another version of steadfold; every rank must run the same one");
        blocks = blocks.subspan(sizeof header);
        if (header.rows > blocks.size() / header.row_bytes)
            throw argument_error("unpack: the last block of rows is cut off");
        std::size_t const bytes = header.rows * header.row_bytes;
        std::vector<operation_row> const more = detail::decode_rows<operation_row>(blocks.first(bytes));
        rows.insert(rows.end(), more.begin(), more.end());
        blocks = blocks.subspan(bytes);
    }
    return rows;
}

} // namespace v0
} // namespace steadfold
