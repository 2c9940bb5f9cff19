#include "output.hpp"

#include <cerrno>
#include <cstdio>
#include <cstring>

namespace steadfold::inline v0::app {

bool print(std::string const& text) {
    static bool failed = false;
    if (failed) return false;
    failed = std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0;
    if (failed)
        complain("cannot write to standard output: " + std::string(std::strerror(errno)) +
                 "; what was printed is incomplete");
    return !failed;
}

void complain(std::string text) {
    for (char& c : text)
        if (static_cast<unsigned char>(c) < 0x20) c = '?';
    std::fprintf(stderr, "steadfold-reduce: %s\n", text.c_str());
}

} // namespace steadfold::inline v0::app
