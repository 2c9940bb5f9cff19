#include "progress.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <unistd.h>

namespace steadfold::inline v0::app {

namespace {
constexpr std::chrono::seconds patience{2};
constexpr std::chrono::milliseconds between_draws{100};
constexpr int width = 40;
constexpr std::size_t label_width = 28; // with the bar under 80 columns, so that a line never wraps

/// mpirun hands a rank's stderr on through a pipe: then its own stderr counts. (The launcher is the parent only of the
/// ranks on its host; elsewhere there is no bar.)
bool shown_on_terminal() {
    if (isatty(STDERR_FILENO) != 0) return true;
    if (std::getenv("OMPI_COMM_WORLD_SIZE") == nullptr) return false;
    std::string const streams = "/proc/" + std::to_string(getppid()) + "/fd/2";
    std::array<char, 64> target{};
    ssize_t const length = readlink(streams.c_str(), target.data(), target.size());
    std::string_view const name(target.data(), length > 0 ? static_cast<std::size_t>(length) : 0);
    return name.starts_with("/dev/pts/") || name.starts_with("/dev/tty");
}

std::string shortened(std::string const& label) {
    return label.size() <= label_width ? label : "..." + label.substr(label.size() - label_width + 3);
}
} // namespace

progress_bar::progress_bar(bool wanted, std::string const& label, std::int64_t total)
    : active_{wanted && shown_on_terminal()}, label_{shortened(label)}, total_{total} {}

progress_bar::~progress_bar() {
    if (drawn_) std::fputc('\n', stderr);
}

void progress_bar::advance(std::int64_t amount) {
    done_ += amount;
    if (!active_) return;
    auto const now = clock::now();
    if (now - start_ < patience || now - last_draw_ < between_draws) return;
    last_draw_ = now;
    draw();
}

void progress_bar::complete() {
    done_ = total_;
    if (drawn_) draw();
}

void progress_bar::draw() {
    drawn_ = true;
    double const part = total_ > 0 ? std::min(1.0, static_cast<double>(done_) / static_cast<double>(total_)) : 1.0;
    auto const filled = static_cast<int>(part * width);
    std::string const bar =
        std::string(static_cast<std::size_t>(filled), '#') + std::string(static_cast<std::size_t>(width - filled), '.');
    std::fprintf(stderr, "\r%s [%s] %3d %%", label_.c_str(), bar.c_str(), static_cast<int>(part * 100));
    std::fflush(stderr);
}

} // namespace steadfold::inline v0::app
