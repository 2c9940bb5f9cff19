#include "steadfold/dataset.hpp"

#include <algorithm>
#include <glob.h>
#include <sys/stat.h>

namespace steadfold::inline v0 {

namespace {
bool exists(std::string const& file) {
    struct stat status {};
    return ::stat(file.c_str(), &status) == 0;
}

std::vector<std::string> matches(std::string const& pattern) {
    glob_t found{};
    int const code = ::glob(pattern.c_str(), GLOB_NOSORT, nullptr, &found);
    std::vector<std::string> names(found.gl_pathv, found.gl_pathv + found.gl_pathc);
    ::globfree(&found);
    if (code != 0 && code != GLOB_NOMATCH)
        throw io_error(pattern + ": cannot search for it: a directory is unreadable");
    std::ranges::sort(names);
    return names;
}
} // namespace

std::string_view name(file_format format) noexcept {
    return format == file_format::hdf5 ? "HDF5" : format == file_format::npy ? "npy" : "raw";
}

dataset_spec parse_dataset_spec(std::string_view text) {
    std::string const whole(text);
    if (whole.empty()) throw argument_error("an input is empty; give FILE or FILE:DATASET");
    if (exists(whole)) return {whole, {}};
    for (auto colon = whole.rfind(':'); colon != std::string::npos && colon > 0; colon = whole.rfind(':', colon - 1))
        if (exists(whole.substr(0, colon))) return {whole.substr(0, colon), whole.substr(colon + 1)};

    // No such file: split where the user most likely meant to, for the error message to come.
    auto colon = whole.find(":/");
    if (colon == std::string::npos) colon = whole.rfind(':');
    if (colon == 0) throw argument_error("the input \"" + whole + "\" names no file; give FILE or FILE:DATASET");
    if (colon == std::string::npos) return {whole, {}};
    return {whole.substr(0, colon), whole.substr(colon + 1)};
}

std::vector<std::string> expand_inputs(std::string_view pattern) {
    auto const literal = parse_dataset_spec(pattern);
    if (exists(literal.file)) return {std::string(pattern)};
    std::string const whole(pattern);
    for (auto end = whole.size(); end != std::string::npos && end > 0; end = whole.rfind(':', end - 1)) {
        auto names = matches(whole.substr(0, end));
        if (names.empty()) continue;
        for (auto& found : names) found += whole.substr(end);
        return names;
    }
    throw io_error(literal.file + ": no file matches; check the path, and quote patterns for the shell");
}

} // namespace steadfold::inline v0
