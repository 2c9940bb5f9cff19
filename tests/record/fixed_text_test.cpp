#include "record/fixed_text.hpp"

#include <gtest/gtest.h>
#include <string>

using steadfold::detail::fit_text;
using steadfold::detail::keep;
using steadfold::detail::valid_utf8;

TEST(fixed_text, text_that_fits_is_unchanged) {
    EXPECT_EQ(fit_text("größe", 7), "größe");
    EXPECT_EQ(fit_text("", 7), "");
}

TEST(fixed_text, head_is_kept_and_marked) {
    EXPECT_EQ(fit_text("abcdefghij", 8), "abcde…");
}

TEST(fixed_text, tail_is_kept_and_marked) {
    EXPECT_EQ(fit_text("abcdefghij", 8, keep::tail), "…fghij");
}

TEST(fixed_text, a_character_is_never_cut_in_two) {
    std::string text;
    for (int i = 0; i < 20; ++i) text += i % 3 == 0 ? "a" : i % 3 == 1 ? "ü" : "𝄞";
    for (std::size_t width = 3; width < text.size(); ++width) {
        for (keep const part : {keep::head, keep::tail}) {
            std::string const fitted = fit_text(text, width, part);
            EXPECT_LE(fitted.size(), width);
            EXPECT_EQ(valid_utf8(fitted), fitted) << width;
            EXPECT_NE(fitted.find("…"), std::string::npos) << width;
        }
    }
}

TEST(fixed_text, bytes_that_are_no_utf8_become_replacement_characters) {
    EXPECT_EQ(valid_utf8("a\xFF"
                         "b"),
              "a\uFFFDb");
    EXPECT_EQ(valid_utf8("\xC3"), "\uFFFD");
    EXPECT_EQ(valid_utf8("\xC0\xAF"), "\uFFFD\uFFFD");                     // overlong '/'
    EXPECT_EQ(valid_utf8("\xE0\x80\xAF"), "\uFFFD\uFFFD\uFFFD");           // overlong '/'
    EXPECT_EQ(valid_utf8("\xED\xA0\x80"), "\uFFFD\uFFFD\uFFFD");           // a surrogate
    EXPECT_EQ(valid_utf8("\xF4\x90\x80\x80"), "\uFFFD\uFFFD\uFFFD\uFFFD"); // beyond U+10FFFF
    EXPECT_EQ(valid_utf8(std::string_view("a\0b", 3)), "a\uFFFDb");
    EXPECT_EQ(valid_utf8("\U0010FFFF\uD7FF\uE000"), "\U0010FFFF\uD7FF\uE000");
}
