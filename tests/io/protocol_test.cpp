#include "io/protocol.hpp"

#include <gtest/gtest.h>

namespace {
using namespace steadfold;
using namespace steadfold::io_detail;

std::vector<dataset_info> samples() {
    std::vector<dataset_info> infos(2);
    auto& first = infos[0];
    first.file = "f.h5";
    first.path = "/a";
    first.format = file_format::hdf5;
    first.type = dtype::int16;
    first.stored_type = "big-endian int16";
    first.unsupported = "no";
    first.extents = {3, 5};
    first.elements = 15;
    first.layout = "compact";
    first.units = "K";
    first.declares_missing = true;
    first.missing = -7;
    return infos;
}

TEST(protocol, descriptions_survive_the_way) {
    auto const sent = samples();
    auto const received = decode_infos(encode(sent));
    ASSERT_EQ(received.size(), 2U);
    EXPECT_EQ(received[0].file, "f.h5");
    EXPECT_EQ(received[0].path, "/a");
    EXPECT_EQ(received[0].format, file_format::hdf5);
    EXPECT_EQ(received[0].type, dtype::int16);
    EXPECT_EQ(received[0].stored_type, "big-endian int16");
    EXPECT_EQ(received[0].unsupported, "no");
    EXPECT_EQ(received[0].extents, (std::vector<std::int64_t>{3, 5}));
    EXPECT_EQ(received[0].elements, 15);
    EXPECT_EQ(received[0].layout, "compact");
    EXPECT_EQ(received[0].units, "K");
    EXPECT_TRUE(received[0].declares_missing);
    EXPECT_EQ(received[0].missing, -7);
    EXPECT_FALSE(received[1].missing);
}

TEST(protocol, damaged_bytes_are_an_error_or_other_descriptions_but_never_worse) {
    auto const infos = samples();
    auto const good = encode(std::span(infos).first(1));
    for (std::size_t length = 1; length < good.size(); ++length)
        EXPECT_THROW((void)decode_infos(std::span(good).first(length)), io_error) << length;
    for (std::size_t at = 0; at < good.size(); ++at)
        for (auto bit : {1, 0x80, 0xff}) {
            auto damaged = good;
            damaged[at] ^= static_cast<std::byte>(bit);
            try {
                (void)decode_infos(damaged);
            } catch (io_error const&) {
            }
        }
}
} // namespace
