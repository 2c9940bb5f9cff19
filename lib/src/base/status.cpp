#include "steadfold/status.hpp"

namespace steadfold {
inline namespace v0 {

std::string to_string(status_flags set) {
    std::string text;
    auto const append = [&](status_flags flag, char const* word) {
        if (has(set, flag)) text.append(text.empty() ? "" : "|").append(word);
    };
    append(status_flags::inexact, "inexact");
    append(status_flags::overflow, "overflow");
    append(status_flags::invalid, "invalid");
    append(status_flags::empty, "empty");
    return text.empty() ? "none" : text;
}

} // namespace v0
} // namespace steadfold
