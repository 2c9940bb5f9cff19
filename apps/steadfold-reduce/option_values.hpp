// Values of command line options. Mistakes become one line that names the option and what it takes.
#pragma once

#include "steadfold/error.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <utility>

namespace steadfold::inline v0::app {

/// "512M", "2G", "1000000": binary multiples. @throws argument_error
[[nodiscard]] std::size_t parse_bytes(std::string const& option, std::string const& text);

/// @throws argument_error unless `text` is a whole number from `least` to `most`
[[nodiscard]] std::int64_t whole_number(std::string const& option, std::string const& text, std::int64_t least,
                                        std::int64_t most);

/// A number of seconds above 0 and at most 10^9. @throws argument_error
[[nodiscard]] std::chrono::nanoseconds seconds(std::string const& option, std::string const& text);

/// The value that goes by the name `text`. @throws argument_error naming the names there are
template <class Value>
[[nodiscard]] Value one_of(std::string const& option, std::string const& text,
                           std::initializer_list<std::pair<char const*, Value>> values) {
    std::string known;
    for (auto const& [name, value] : values) {
        if (text == name) return value;
        known += (known.empty() ? "" : ", ") + std::string(name);
    }
    throw argument_error(option + " \"" + text + "\": use one of " + known);
}

} // namespace steadfold::inline v0::app
