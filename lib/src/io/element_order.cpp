#include "io/element_order.hpp"

#include "io/hyperslab.hpp"

#include <algorithm>
#include <cstring>
#include <vector>

namespace steadfold::inline v0::io_detail {

namespace {
/// Columns of a plane: `rows` elements next to each other in the source, `columns` next to each other in the
/// destination.
struct plane {
    std::int64_t rows, columns;
    std::int64_t source_step; ///< from column to column in the source, in elements
    std::int64_t target_step; ///< from row to row in the destination
};

template <std::size_t Bytes>
void transpose(std::byte const* source, std::byte* target, plane const& p) {
    constexpr std::int64_t tile = 32; // a tile of 16-byte elements, twice, fits the L1 cache
    constexpr auto bytes = static_cast<std::int64_t>(Bytes);
    for (std::int64_t row0 = 0; row0 < p.rows; row0 += tile)
        for (std::int64_t column0 = 0; column0 < p.columns; column0 += tile) {
            auto const row1 = std::min(row0 + tile, p.rows), column1 = std::min(column0 + tile, p.columns);
            for (auto row = row0; row < row1; ++row)
                for (auto column = column0; column < column1; ++column)
                    std::memcpy(target + (row * p.target_step + column) * bytes,
                                source + (row + column * p.source_step) * bytes, Bytes);
        }
}

void transpose(std::byte const* source, std::byte* target, plane const& p, std::size_t element_bytes) {
    switch (element_bytes) {
    case 1:
        return transpose<1>(source, target, p);
    case 2:
        return transpose<2>(source, target, p);
    case 4:
        return transpose<4>(source, target, p);
    case 8:
        return transpose<8>(source, target, p);
    default:
        return transpose<16>(source, target, p);
    }
}

/// Walks the dimensions between the first and the last like an odometer; each position is one plane.
void copy_box(std::byte const* source, std::span<std::int64_t const> stride, box const& b, std::size_t element_bytes,
              std::byte* target) {
    auto const last = b.count.size() - 1;
    plane p{b.count[0], b.count[last], stride[last], b.elements / b.count[0]};
    if (last == 0) p.columns = 1;
    std::vector<std::int64_t> index(b.start);
    auto const bytes = static_cast<std::int64_t>(element_bytes);
    for (std::int64_t done = 0; done < p.target_step; done += p.columns) {
        std::int64_t offset = 0;
        for (std::size_t d = 0; d <= last; ++d) offset += index[d] * stride[d];
        transpose(source + offset * bytes, target + done * bytes, p, element_bytes);
        for (auto d = last; d-- > 1;) {
            if (++index[d] < b.start[d] + b.count[d]) break;
            index[d] = b.start[d];
        }
    }
}
} // namespace

void gather_fortran(std::byte const* source, std::span<std::int64_t const> extents, std::size_t element_bytes,
                    std::int64_t first, std::int64_t count, std::byte* destination) {
    std::vector<std::int64_t> stride(std::max<std::size_t>(extents.size(), 1), 1);
    for (std::size_t d = 1; d < extents.size(); ++d) stride[d] = stride[d - 1] * extents[d - 1];
    for (auto const& b : split_range(extents, first, count)) {
        if (b.count.empty())
            std::memcpy(destination, source, element_bytes);
        else
            copy_box(source, stride, b, element_bytes, destination);
        destination += static_cast<std::size_t>(b.elements) * element_bytes;
    }
}

} // namespace steadfold::inline v0::io_detail
