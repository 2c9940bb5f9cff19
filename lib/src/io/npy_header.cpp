#include "io/npy_header.hpp"

#include "io/hyperslab.hpp"
#include "steadfold/error.hpp"

#include <bit>
#include <charconv>

namespace steadfold::inline v0::io_detail {

namespace {
/// The few Python literals that such a header may hold.
class literal_parser {
  public:
    explicit literal_parser(std::string_view text) : text_(text) {}

    [[nodiscard]] char peek() {
        while (at_ < text_.size() && std::string_view(" \t\r\n\f\v").find(text_[at_]) != std::string_view::npos) ++at_;
        return at_ < text_.size() ? text_[at_] : '\0';
    }

    bool accept(char c) {
        if (peek() != c || c == '\0') return false;
        ++at_;
        return true;
    }

    void expect(char c) {
        if (!accept(c)) fail();
    }

    std::string_view string() {
        char const quote = peek();
        if (quote != '\'' && quote != '"') fail();
        auto const end = text_.find(quote, ++at_);
        if (end == std::string_view::npos) fail();
        auto const content = text_.substr(at_, end - at_);
        at_ = end + 1;
        return content;
    }

    bool boolean() {
        (void)peek();
        for (std::string_view word : {"True", "False"})
            if (text_.substr(at_).starts_with(word)) {
                at_ += word.size();
                return word == "True";
            }
        fail();
    }

    std::vector<std::int64_t> tuple() {
        std::vector<std::int64_t> values;
        expect('(');
        while (!accept(')')) {
            values.push_back(integer());
            if (!accept(',') && peek() != ')') fail();
        }
        return values;
    }

    [[noreturn]] void fail() const {
        throw io_error("the npy header is damaged at its byte " + std::to_string(at_) + "; write the file again");
    }

  private:
    std::int64_t integer() {
        (void)peek();
        std::int64_t value = 0;
        auto const rest = text_.substr(at_);
        auto const [end, code] = std::from_chars(rest.data(), rest.data() + rest.size(), value);
        if (code != std::errc{} || value < 0) fail();
        at_ += static_cast<std::size_t>(end - rest.data());
        accept('L'); // Python 2 wrote long integers so
        return value;
    }

    std::string_view text_;
    std::size_t at_ = 0;
};

std::string_view kind_in_words(char kind) {
    switch (kind) {
    case 'O':
        return "Python objects";
    case 'S':
    case 'a':
        return "byte strings";
    case 'U':
        return "strings";
    case 'M':
    case 'm':
        return "dates or times";
    case 'V':
        return "untyped or structured records";
    default:
        return "elements of a type steadfold does not reduce";
    }
}

[[noreturn]] void refuse(std::string_view descr, char kind) {
    std::string fix = "; convert it with numpy.ndarray.astype";
    if (kind == 'V') fix = "; save one field of it (bfloat16 from ml_dtypes: as raw, with --dtype bf16)";
    throw io_error("holds " + std::string(kind_in_words(kind)) + " (descr '" + std::string(descr) + "')" + fix);
}

void parse_descr(std::string_view descr, npy_header& header) {
    header.descr = descr;
    auto code = descr;
    header.big_endian = std::endian::native == std::endian::big;
    if (!code.empty() && std::string_view("<>=|").find(code[0]) != std::string_view::npos) {
        if (code[0] == '<') header.big_endian = false;
        if (code[0] == '>') header.big_endian = true;
        code.remove_prefix(1);
    }
    char const kind = code.empty() ? '\0' : code[0];
    if (code == "b1" || code == "?") code = "i1";
    if (std::string_view("fiuc").find(code.empty() ? '\0' : code[0]) == std::string_view::npos) refuse(descr, kind);
    if (code.find_first_not_of("0123456789", 1) != std::string_view::npos) refuse(descr, kind);
    try {
        header.type = parse_dtype(code);
    } catch (argument_error const&) {
        refuse(descr, kind);
    }
}
} // namespace

npy_preamble parse_npy_preamble(std::span<std::byte const> head) {
    auto const byte = [&](std::size_t i) { return std::to_integer<std::uint32_t>(head[i]); };
    if (head.size() < 10) throw io_error("is shorter than an npy header; write the file again");
    auto const version = byte(6);
    if (version == 1) return {10, byte(8) | byte(9) << 8};
    if (version != 2 && version != 3)
        throw io_error("is an npy file of version " + std::to_string(version) + "." + std::to_string(byte(7)) +
                       "; versions 1.0 to 3.0 can be read");
    if (head.size() < 12) throw io_error("is shorter than an npy header; write the file again");
    return {12, byte(8) | byte(9) << 8 | byte(10) << 16 | byte(11) << 24};
}

npy_header parse_npy_dictionary(std::string_view text) {
    npy_header header;
    literal_parser parse(text);
    bool descr = false, order = false, shape = false;
    parse.expect('{');
    while (!parse.accept('}')) {
        auto const key = parse.string();
        parse.expect(':');
        if (key == "descr") {
            if (parse.peek() == '[' || parse.peek() == '(') refuse("[...]", 'V');
            parse_descr(parse.string(), header);
            descr = true;
        } else if (key == "fortran_order") {
            header.fortran_order = parse.boolean();
            order = true;
        } else if (key == "shape") {
            header.extents = parse.tuple();
            shape = true;
        } else {
            parse.fail();
        }
        if (!parse.accept(',') && parse.peek() != '}') parse.fail();
    }
    if (!descr || !order || !shape)
        throw io_error("the npy header lacks descr, fortran_order or shape; write the file again");
    return header;
}

} // namespace steadfold::inline v0::io_detail
