// Small readers of the kernel's text files. The roots can be replaced in tests; a missing file is no error.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace steadfold::inline v0::base {

/// Where the kernel shows itself.
struct system_roots {
    std::filesystem::path sys = "/sys";
    std::filesystem::path proc = "/proc";
};

/// The first line without its line end and trailing blanks; empty if the file cannot be read.
[[nodiscard]] std::string first_line(std::filesystem::path const& file);

/// The decimal number a text starts with, after blanks; `otherwise` if there is none.
[[nodiscard]] std::int64_t leading_number(std::string_view text, std::int64_t otherwise);

/// What follows "KEY ... :" in a file of such lines (/proc/cpuinfo, meminfo): the first match, trimmed.
[[nodiscard]] std::string value_after(std::filesystem::path const& file, std::string_view key);

/// "0-3,8,10-11" as numbers; stops at what it does not understand.
[[nodiscard]] std::vector<int> parse_cpu_list(std::string_view text);

} // namespace steadfold::inline v0::base
