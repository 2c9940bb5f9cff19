#include "agreement.hpp"

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

namespace steadfold::inline v0::app {

void agree(communicator const& world, std::string const& failure) {
    std::vector<std::size_t> lengths;
    std::vector<std::byte> texts;
    try {
        texts = world.all_gather_varying(std::as_bytes(std::span{failure}), lengths);
    } catch (timeout_error const& e) {
        if (failure.empty()) throw;
        throw timeout_error(failure + " (and then: " + e.what() + ")");
    }
    auto const first = std::find_if(lengths.begin(), lengths.end(), [](std::size_t length) { return length > 0; });
    if (first == lengths.end()) return;
    // All texts before the first one are empty, so it begins at the front.
    std::string text(reinterpret_cast<char const*>(texts.data()), *first);
    if (world.size() > 1) text = "rank " + std::to_string(first - lengths.begin()) + ": " + text;
    throw shared_error(text);
}

} // namespace steadfold::inline v0::app
