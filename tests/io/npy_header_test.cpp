#include "io/npy_header.hpp"
#include "steadfold/error.hpp"

#include <gtest/gtest.h>

namespace {
using namespace steadfold;
using namespace steadfold::io_detail;
using extents_t = std::vector<std::int64_t>;

std::string error_of(std::string_view text) {
    try {
        (void)parse_npy_dictionary(text);
    } catch (io_error const& failure) {
        return failure.what();
    }
    return "";
}

TEST(npy_dictionary, as_numpy_writes_it) {
    auto const header = parse_npy_dictionary("{'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }      \n");
    EXPECT_EQ(header.type, dtype::float64);
    EXPECT_FALSE(header.big_endian);
    EXPECT_FALSE(header.fortran_order);
    EXPECT_EQ(header.extents, (extents_t{3, 4}));
}

TEST(npy_dictionary, any_order_quotes_space_and_commas) {
    auto const header =
        parse_npy_dictionary("  {\t\"shape\":(12345678901L ,),\n 'fortran_order' :True,\"descr\":\">c16\"}");
    EXPECT_EQ(header.type, dtype::complex128);
    EXPECT_TRUE(header.big_endian);
    EXPECT_TRUE(header.fortran_order);
    EXPECT_EQ(header.extents, (extents_t{12345678901}));
    EXPECT_EQ(parse_npy_dictionary("{'descr':'|i1','fortran_order':False,'shape':()}").extents, extents_t{});
    EXPECT_EQ(parse_npy_dictionary("{'descr':'|b1','fortran_order':False,'shape':(2,3,)}").type, dtype::int8);
    EXPECT_EQ(parse_npy_dictionary("{'descr':'=u2','fortran_order':False,'shape':(2)}").type, dtype::uint16);
}

TEST(npy_dictionary, element_types_that_cannot_be_read_are_named) {
    auto const of = [](std::string const& descr) {
        return error_of("{'descr': " + descr + ", 'fortran_order': False, 'shape': (3,), }");
    };
    EXPECT_NE(of("'|O'").find("Python objects"), std::string::npos);
    EXPECT_NE(of("'<U5'").find("strings"), std::string::npos);
    EXPECT_NE(of("'|S5'").find("byte strings"), std::string::npos);
    EXPECT_NE(of("'<M8[ns]'").find("dates"), std::string::npos);
    EXPECT_NE(of("[('a', '<f4'), ('b', '<i4')]").find("structured"), std::string::npos);
    EXPECT_NE(of("'|V2'").find("bf16"), std::string::npos);
    EXPECT_NE(of("'<f16'").find("'<f16'"), std::string::npos);
    EXPECT_NE(of("'<i3'").find("'<i3'"), std::string::npos);
    EXPECT_NE(of("''"), "");
    EXPECT_NE(of("'<'"), "");
    EXPECT_NE(of("'<int'"), "") << "only NumPy's codes count, not our names";
}

TEST(npy_dictionary, damage_is_an_error) {
    std::string const good = "{'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }";
    for (std::size_t length = 0; length < good.size(); ++length)
        EXPECT_NE(error_of(good.substr(0, length)), "") << good.substr(0, length);
    for (auto const* text : {"{'descr': '<f8', 'fortran_order': False, 'shape': (3, -4), }",
                             "{'descr': '<f8', 'fortran_order': False, 'shape': (99999999999999999999,), }",
                             "{'descr': '<f8', 'fortran_order': Maybe, 'shape': (3,), }",
                             "{'descr': '<f8', 'fortran_order': False, 'shape': (3 4), }",
                             "{'descr': '<f8', 'fortran_order': False, 'shape': (3,), 'more': 1}",
                             "{'descr': '<f8', 'fortran_order': False}", "{}"})
        EXPECT_NE(error_of(text), "") << text;
}

TEST(npy_preamble, versions_and_lengths) {
    auto const bytes = [](std::string_view text) { return std::as_bytes(std::span(text)); };
    using namespace std::string_view_literals;
    auto const first = parse_npy_preamble(bytes("\x93NUMPY\x01\x00\x76\x01__"sv));
    EXPECT_EQ(first.dictionary_at, 10);
    EXPECT_EQ(first.dictionary_bytes, 0x176);
    auto const second = parse_npy_preamble(bytes("\x93NUMPY\x02\x00\x76\x00\x01\xff"sv));
    EXPECT_EQ(second.dictionary_at, 12);
    EXPECT_EQ(second.dictionary_bytes, 0xff010076);
    EXPECT_THROW((void)parse_npy_preamble(bytes("\x93NUMPY\x04\x00\x76\x00\x01\xff"sv)), io_error);
    EXPECT_THROW((void)parse_npy_preamble(bytes("\x93NUMPY\x01\x00"sv)), io_error);
    EXPECT_THROW((void)parse_npy_preamble(bytes("\x93NUMPY\x02\x00\x76\x00\x01"sv)), io_error);
}
} // namespace
