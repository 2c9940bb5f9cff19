#include "base/kernel_files.hpp"

#include <charconv>
#include <fstream>

namespace steadfold::inline v0::base {

namespace {

constexpr std::string_view blanks = " \t\r\n";

std::string_view trimmed(std::string_view text) {
    std::size_t const first = text.find_first_not_of(blanks);
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

/// Takes a number off the front of `text`; false if there is none.
bool take_number(std::string_view& text, int& number) {
    auto const [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (failure != std::errc() || number < 0) return false;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    return true;
}

constexpr int most_cpus = 1 << 20; // a corrupt list must not fill the memory

} // namespace

std::string first_line(std::filesystem::path const& file) {
    std::ifstream in(file);
    std::string line;
    std::getline(in, line);
    return std::string(trimmed(line));
}

std::int64_t leading_number(std::string_view text, std::int64_t otherwise) {
    text = trimmed(text);
    std::int64_t number = 0;
    auto const [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
    return failure == std::errc() ? number : otherwise;
}

std::string value_after(std::filesystem::path const& file, std::string_view key) {
    std::ifstream in(file);
    for (std::string line; std::getline(in, line);) {
        std::size_t const at = line.find(key), colon = line.find(':');
        if (at == std::string::npos || colon == std::string::npos || at > colon) continue;
        return std::string(trimmed(std::string_view(line).substr(colon + 1)));
    }
    return {};
}

std::vector<int> parse_cpu_list(std::string_view text) {
    std::vector<int> cpus;
    text = trimmed(text);
    for (int first = 0; take_number(text, first);) {
        int last = first;
        if (text.starts_with('-')) {
            text.remove_prefix(1);
            if (!take_number(text, last)) break;
        }
        for (int cpu = first; cpu <= last && cpu < most_cpus; ++cpu) cpus.push_back(cpu);
        if (!text.starts_with(',')) break;
        text.remove_prefix(1);
    }
    return cpus;
}

} // namespace steadfold::inline v0::base
