#include "io/element_order.hpp"
#include "io/hyperslab.hpp"

#include <cstring>
#include <gtest/gtest.h>
#include <vector>

namespace {
using namespace steadfold::io_detail;
using extents_t = std::vector<std::int64_t>;

/// Position of row-major element `number` in Fortran order.
std::int64_t fortran_position(extents_t const& extents, std::int64_t number) {
    std::int64_t position = 0, row_stride = checked_product(extents), column_stride = 1;
    for (auto extent : extents) {
        row_stride /= extent;
        position += number / row_stride % extent * column_stride;
        column_stride *= extent;
    }
    return position;
}

class gather : public testing::TestWithParam<std::size_t> {};

TEST_P(gather, ranges_come_in_row_major_order) {
    auto const bytes = GetParam();
    for (extents_t const& extents : {extents_t{9}, extents_t{5, 7}, extents_t{70, 40}, extents_t{1, 8}, extents_t{8, 1},
                                     extents_t{3, 4, 5}, extents_t{40, 3, 37}, extents_t{2, 3, 4, 5}, extents_t{}}) {
        auto const total = checked_product(extents);
        std::vector<std::byte> source(static_cast<std::size_t>(total) * bytes);
        for (std::size_t i = 0; i < source.size(); ++i) source[i] = static_cast<std::byte>((i * 2654435761U) >> 13);
        for (auto [first, count] : {std::pair{std::int64_t{0}, total},
                                    {total / 3, total / 2},
                                    {total - 1, std::int64_t{1}},
                                    {total / 2, std::int64_t{0}},
                                    {std::int64_t{1}, total - 1}}) {
            std::vector<std::byte> found(static_cast<std::size_t>(count) * bytes);
            gather_fortran(source.data(), extents, bytes, first, count, found.data());
            for (std::int64_t i = 0; i < count; ++i)
                ASSERT_EQ(
                    std::memcmp(found.data() + static_cast<std::size_t>(i) * bytes,
                                source.data() + static_cast<std::size_t>(fortran_position(extents, first + i)) * bytes,
                                bytes),
                    0)
                    << "element " << first + i;
        }
    }
}

INSTANTIATE_TEST_SUITE_P(element_bytes, gather, testing::Values(1, 2, 4, 8, 16));
} // namespace
