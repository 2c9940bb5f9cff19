#include "io/byte_order.hpp"

#include <cstring>

namespace steadfold::inline v0::io_detail {

namespace {
std::uint16_t reversed(std::uint16_t x) {
    return __builtin_bswap16(x);
}
std::uint32_t reversed(std::uint32_t x) {
    return __builtin_bswap32(x);
}
std::uint64_t reversed(std::uint64_t x) {
    return __builtin_bswap64(x);
}

template <class Word>
void swap_words(std::byte* data, std::int64_t words) {
    for (std::int64_t i = 0; i < words; ++i) {
        Word word;
        std::byte* const at = data + static_cast<std::size_t>(i) * sizeof(Word);
        std::memcpy(&word, at, sizeof word);
        word = reversed(word);
        std::memcpy(at, &word, sizeof word);
    }
}
} // namespace

void swap_bytes(dtype type, std::byte* data, std::int64_t count) noexcept {
    std::int64_t const words = count * component_count(type);
    switch (size_bytes(component_type(type))) {
    case 2:
        return swap_words<std::uint16_t>(data, words);
    case 4:
        return swap_words<std::uint32_t>(data, words);
    case 8:
        return swap_words<std::uint64_t>(data, words);
    default:
        return;
    }
}

} // namespace steadfold::inline v0::io_detail
