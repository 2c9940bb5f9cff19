#include "option_values.hpp"

#include <charconv>
#include <map>

namespace steadfold::inline v0::app {

std::size_t parse_bytes(std::string const& option, std::string const& text) {
    std::size_t value = 0;
    char const* const last = text.data() + text.size();
    auto const [end, failure] = std::from_chars(text.data(), last, value);
    std::string const unit(end, last);
    static std::map<std::string, int> const shifts = {{"", 0},     {"B", 0},  {"K", 10},   {"KiB", 10}, {"M", 20},
                                                      {"MiB", 20}, {"G", 30}, {"GiB", 30}, {"T", 40},   {"TiB", 40}};
    auto const shift = shifts.find(unit);
    if (failure != std::errc{} || shift == shifts.end() || value == 0 ||
        (value << shift->second) >> shift->second != value)
        throw argument_error(option + " \"" + text +
                             "\" is no size; give bytes, or a number with K, M, G or T, e.g. 512M");
    return value << shift->second;
}

std::int64_t whole_number(std::string const& option, std::string const& text, std::int64_t least, std::int64_t most) {
    std::int64_t value = 0;
    char const* const last = text.data() + text.size();
    auto const [end, failure] = std::from_chars(text.data(), last, value);
    if (failure != std::errc{} || end != last || value < least || value > most)
        throw argument_error(option + " \"" + text + "\": give a whole number from " + std::to_string(least) + " to " +
                             std::to_string(most));
    return value;
}

std::chrono::nanoseconds seconds(std::string const& option, std::string const& text) {
    constexpr double most = 1e9;
    double value = 0;
    char const* const last = text.data() + text.size();
    auto const [end, failure] = std::from_chars(text.data(), last, value);
    if (failure != std::errc{} || end != last || !(value >= 1e-9 && value <= most)) // a NaN fails here as well
        throw argument_error(option + " \"" + text + "\": give seconds, above 0 and at most 1000000000");
    return std::chrono::nanoseconds{static_cast<std::int64_t>(value * 1e9)};
}

} // namespace steadfold::inline v0::app
