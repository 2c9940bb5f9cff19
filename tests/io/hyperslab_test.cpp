#include "io/hyperslab.hpp"
#include "steadfold/error.hpp"

#include <gtest/gtest.h>
#include <numeric>

namespace {
using namespace steadfold::io_detail;
using extents_t = std::vector<std::int64_t>;

/// Linear numbers of a box's elements, one by one.
std::vector<std::int64_t> elements_of(box const& b, extents_t const& extents) {
    std::vector<std::int64_t> numbers;
    auto index = b.start;
    for (std::int64_t n = 0; n < b.elements; ++n) {
        std::int64_t number = 0;
        for (std::size_t d = 0; d < extents.size(); ++d) number = number * extents[d] + index[d];
        numbers.push_back(number);
        for (auto d = extents.size(); d-- > 0;) {
            if (++index[d] < b.start[d] + b.count[d]) break;
            index[d] = b.start[d];
        }
    }
    return numbers;
}

TEST(split_range, every_range_of_small_arrays_is_covered_in_order_by_few_boxes) {
    for (extents_t const& extents :
         {extents_t{7}, extents_t{1}, extents_t{4, 5}, extents_t{1, 6}, extents_t{6, 1}, extents_t{3, 4, 5},
          extents_t{2, 1, 3}, extents_t{2, 3, 2, 3}, extents_t{2, 2, 2, 2, 2}}) {
        std::int64_t const total = checked_product(extents);
        for (std::int64_t first = 0; first <= total; ++first)
            for (std::int64_t count = 0; first + count <= total; ++count) {
                auto const boxes = split_range(extents, first, count);
                ASSERT_LE(boxes.size(), 2 * extents.size() - 1);
                std::vector<std::int64_t> found;
                for (auto const& b : boxes) {
                    for (std::size_t d = 0; d < extents.size(); ++d) ASSERT_LE(b.start[d] + b.count[d], extents[d]);
                    auto const part = elements_of(b, extents);
                    found.insert(found.end(), part.begin(), part.end());
                }
                std::vector<std::int64_t> wanted(static_cast<std::size_t>(count));
                std::iota(wanted.begin(), wanted.end(), first);
                ASSERT_EQ(found, wanted) << "first " << first << " count " << count;
            }
    }
}

TEST(split_range, a_scalar_is_one_box_without_dimensions) {
    auto const boxes = split_range({}, 0, 1);
    ASSERT_EQ(boxes.size(), 1U);
    EXPECT_EQ(boxes[0].elements, 1);
    EXPECT_TRUE(boxes[0].count.empty());
    EXPECT_TRUE(split_range({}, 0, 0).empty());
}

TEST(split_range, numbers_above_32_bits) {
    extents_t const extents{1 << 20, 1 << 20, 3};
    auto const boxes = split_range(extents, (std::int64_t{1} << 41) + 2, 3);
    ASSERT_EQ(boxes.size(), 2U);
    auto number = [&](box const& b) { return (b.start[0] * extents[1] + b.start[1]) * 3 + b.start[2]; };
    EXPECT_EQ(number(boxes[0]), (std::int64_t{1} << 41) + 2);
    EXPECT_EQ(boxes[0].elements + boxes[1].elements, 3);
}

TEST(checked_product, refuses_what_does_not_fit_63_bits) {
    EXPECT_EQ(checked_product({}), 1);
    EXPECT_EQ(checked_product(extents_t{std::int64_t{1} << 40, 1 << 22}), std::int64_t{1} << 62);
    EXPECT_THROW((void)checked_product(extents_t{std::int64_t{1} << 40, 1 << 23}), steadfold::io_error);
    EXPECT_THROW((void)checked_product(extents_t{-1}), steadfold::io_error);
    EXPECT_EQ(checked_product(extents_t{std::int64_t{1} << 40, 1 << 30, 0}), 0);
}
} // namespace
