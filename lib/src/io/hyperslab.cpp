#include "io/hyperslab.hpp"

#include "steadfold/error.hpp"

#include <algorithm>

namespace steadfold::inline v0::io_detail {

std::int64_t checked_product(std::span<std::int64_t const> extents) {
    std::int64_t product = 1;
    bool overflow = false;
    for (auto extent : extents) {
        if (extent < 0) throw io_error("an extent is negative");
        if (extent == 0) return 0;
        overflow = overflow || __builtin_mul_overflow(product, extent, &product);
    }
    if (overflow) throw io_error("the extents multiply to more than 2^63 elements");
    return product;
}

std::vector<box> split_range(std::span<std::int64_t const> extents, std::int64_t first, std::int64_t count) {
    std::vector<box> boxes;
    if (count == 0) return boxes;
    auto const rank = extents.size();
    if (rank == 0) return {box{}};

    std::vector<std::int64_t> stride(rank, 1);
    for (auto d = rank - 1; d > 0; --d) stride[d - 1] = stride[d] * extents[d];

    // The largest box that begins here spans the outermost dimension whose slices are aligned and fit. Its length grows
    // while the range climbs to whole slices and shrinks afterwards: each dimension is used at most twice.
    while (count > 0) {
        std::size_t d = 0;
        while (first % stride[d] != 0 || count < stride[d]) ++d;
        box next{std::vector<std::int64_t>(rank), std::vector<std::int64_t>(rank, 1)};
        for (std::size_t i = 0; i < rank; ++i) next.start[i] = first / stride[i] % extents[i];
        next.count[d] = std::min(count / stride[d], extents[d] - next.start[d]);
        for (auto i = d + 1; i < rank; ++i) next.count[i] = extents[i];
        next.elements = next.count[d] * stride[d];
        first += next.elements;
        count -= next.elements;
        boxes.push_back(std::move(next));
    }
    return boxes;
}

} // namespace steadfold::inline v0::io_detail
