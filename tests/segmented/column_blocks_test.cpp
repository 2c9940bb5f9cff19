// How the host cuts reductions along an axis that is not the last: blocks of columns that cover every output once, and
// parts of long columns, as many as keep the threads busy and not one more.
#include "segmented/arguments.hpp"
#include "segmented/host/columns.hpp"
#include "support/generators.hpp"

#include <gtest/gtest.h>

namespace {

namespace sf = steadfold;
namespace seg = steadfold::segmented;
using oracle::random_source;

seg::column_blocks blocks_of(std::int64_t outer, std::int64_t length, std::int64_t inner, sf::dtype type) {
    seg::problem problem; // its data is not looked into
    problem.segments.length = length;
    problem.inner = inner;
    problem.outputs = outer * inner;
    problem.x.type = type;
    return seg::column_blocks{problem};
}

constexpr sf::dtype types[] = {sf::dtype::int8, sf::dtype::float16, sf::dtype::float32, sf::dtype::float64,
                               sf::dtype::complex128};

TEST(column_blocks, cover_every_output_once_and_in_order) {
    random_source random{1};
    for (int i = 0; i < 5000; ++i) {
        std::int64_t const outer = random.between(1, 6), inner = random.between(2, 3000);
        auto const blocks = blocks_of(outer, random.below(5000), inner, types[random.below(5)]);
        std::int64_t next = 0;
        for (std::int64_t b = 0; b < blocks.count(); ++b) {
            ASSERT_EQ(blocks.first_output(b), next);
            ASSERT_GT(blocks.width(b), 0);
            ASSERT_EQ(next / inner, (next + blocks.width(b) - 1) / inner) << "a block runs over an end of `inner`";
            next += blocks.width(b);
        }
        ASSERT_EQ(next, outer * inner);
    }
}

TEST(column_blocks, are_cut_into_as_many_parts_as_keep_all_threads_busy) {
    random_source random{2};
    for (int i = 0; i < 5000; ++i) {
        auto const blocks = blocks_of(random.between(1, 3), random.below(std::int64_t{1} << random.between(1, 22)),
                                      random.between(2, 2000), types[random.below(5)]);
        int const threads = static_cast<int>(random.between(1, 64)), parts = blocks.parts_for(threads);
        if (blocks.length() <= blocks.rows()) {
            ASSERT_EQ(parts, 1) << "columns that are turned whole";
            continue;
        }
        ASSERT_GE(blocks.count() * parts, threads);
        ASSERT_LT(blocks.count() * (parts - 1), threads) << "one part too many";
    }
}

} // namespace
