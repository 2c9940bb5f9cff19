#include "progress.hpp"

#include <algorithm>
#include <cstdio>
#include <unistd.h>
#include <utility>

namespace steadfold::inline v0::app {

namespace {
constexpr std::chrono::seconds patience{2};
constexpr std::chrono::milliseconds between_draws{100};
constexpr int width = 40;
} // namespace

progress_bar::progress_bar(bool wanted, std::string label, std::int64_t total)
    : active_{wanted && isatty(STDERR_FILENO) != 0}, label_{std::move(label)}, total_{total} {}

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
