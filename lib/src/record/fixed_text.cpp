#include "record/fixed_text.hpp"

namespace steadfold {
inline namespace v0 {
namespace detail {
namespace {

constexpr std::string_view replacement = "\xEF\xBF\xBD"; // U+FFFD
constexpr std::string_view ellipsis = "\xE2\x80\xA6";    // U+2026

bool is_continuation(char byte) {
    return (static_cast<unsigned char>(byte) & 0xC0U) == 0x80U;
}

/// Bytes of the valid sequence at the start of `text`, 0 if there is none (Unicode 15, table 3-7).
std::size_t sequence_length(std::string_view text) {
    auto const byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    unsigned const lead = byte(0);
    if (lead == 0) return 0;
    if (lead < 0x80) return 1;
    std::size_t const length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
    if (lead < 0xC2 || lead > 0xF4 || text.size() < length) return 0;
    for (std::size_t i = 1; i < length; ++i)
        if (!is_continuation(text[i])) return 0;
    unsigned const second = byte(1);
    bool const overlong = (lead == 0xE0 && second < 0xA0) || (lead == 0xF0 && second < 0x90);
    bool const surrogate_or_beyond = (lead == 0xED && second > 0x9F) || (lead == 0xF4 && second > 0x8F);
    return overlong || surrogate_or_beyond ? 0 : length;
}

} // namespace

std::string valid_utf8(std::string_view text) {
    std::string valid;
    valid.reserve(text.size());
    while (!text.empty()) {
        std::size_t const length = sequence_length(text);
        valid += length > 0 ? text.substr(0, length) : replacement;
        text.remove_prefix(length > 0 ? length : 1);
    }
    return valid;
}

std::string fit_text(std::string_view text, std::size_t width, keep part) {
    std::string valid = valid_utf8(text);
    if (valid.size() <= width) return valid;
    std::size_t const room = width - ellipsis.size();
    if (part == keep::head) {
        std::size_t end = room;
        while (end > 0 && is_continuation(valid[end])) --end;
        return valid.substr(0, end).append(ellipsis);
    }
    std::size_t begin = valid.size() - room;
    while (begin < valid.size() && is_continuation(valid[begin])) ++begin;
    return std::string(ellipsis).append(valid, begin);
}

} // namespace detail
} // namespace v0
} // namespace steadfold
