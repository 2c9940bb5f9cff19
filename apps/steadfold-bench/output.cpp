#include "output.hpp"

#include "steadfold/error.hpp"

#include <cerrno>
#include <cstdio>
#include <cstring>

namespace steadfold::inline v0::app {

void print(std::string const& text) {
    if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0)
        throw io_error("cannot write to standard output");
}

void write(std::string const& path, std::string const& text) {
    if (path == "-") return print(text);
    std::FILE* const file = std::fopen(path.c_str(), "w");
    bool const written = file != nullptr && std::fwrite(text.data(), 1, text.size(), file) == text.size();
    bool const closed = file != nullptr && std::fclose(file) == 0;
    if (!written || !closed) throw io_error("cannot write " + path + ": " + std::strerror(errno));
}

void require_writable(std::string const& path) {
    if (path.empty() || path == "-") return;
    std::FILE* const file = std::fopen(path.c_str(), "a");
    if (file == nullptr) throw io_error("cannot write " + path + ": " + std::strerror(errno));
    std::fclose(file);
}

} // namespace steadfold::inline v0::app
