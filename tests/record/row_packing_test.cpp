#include "record/sample.hpp"
#include "steadfold/error.hpp"

#include <gtest/gtest.h>

using namespace record_tests;

TEST(row_packing, rows_come_back) {
    auto const rows = sample_operations(0, 100);
    EXPECT_EQ(sf::unpack(sf::pack(rows)), rows);
}

TEST(row_packing, blocks_laid_end_to_end_come_back_in_order) {
    std::vector<std::byte> all;
    for (auto const& [first, count] : {std::pair{0, 3}, {3, 0}, {3, 5}}) {
        auto const block = sf::pack(sample_operations(first, count));
        all.insert(all.end(), block.begin(), block.end());
    }
    EXPECT_EQ(sf::unpack(all), sample_operations(0, 8));
    EXPECT_TRUE(sf::unpack({}).empty());
}

TEST(row_packing, a_cut_block_is_refused_at_every_length) {
    auto const block = sf::pack(sample_operations(0, 2));
    for (std::size_t length = 1; length < block.size(); ++length)
        EXPECT_THROW(static_cast<void>(sf::unpack(std::span(block).first(length))), sf::argument_error) << length;
}

TEST(row_packing, a_damaged_header_is_refused) {
    auto const good = sf::pack(sample_operations(0, 2));
    for (std::size_t at = 0; at < 24; ++at) {
        auto damaged = good;
        damaged[at] ^= std::byte{0x80};
        EXPECT_THROW(static_cast<void>(sf::unpack(damaged)), sf::argument_error) << at;
    }
}

TEST(row_packing, long_inputs_keep_their_end) {
    sf::operation_row row;
    row.input = std::string(500, 'x') + ".h5:/pressure";
    auto const back = sf::unpack(sf::pack(std::vector{row})).at(0);
    EXPECT_TRUE(back.input.starts_with("…"));
    EXPECT_TRUE(back.input.ends_with(".h5:/pressure"));
    EXPECT_LE(back.input.size(), 128U);
}
