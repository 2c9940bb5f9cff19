// A progress bar on stderr: rank 0 only, on a terminal only, and only for work that takes more than two seconds.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace steadfold::inline v0::app {

class progress_bar {
  public:
    progress_bar(bool wanted, std::string const& label, std::int64_t total);
    ~progress_bar();
    progress_bar(progress_bar const&) = delete;
    progress_bar& operator=(progress_bar const&) = delete;

    void advance(std::int64_t amount);
    /// Draws 100 % if anything was drawn.
    void complete();

  private:
    void draw();
    using clock = std::chrono::steady_clock;

    bool active_;
    bool drawn_ = false;
    std::string label_;
    std::int64_t total_, done_ = 0;
    clock::time_point start_ = clock::now(), last_draw_ = start_;
};

} // namespace steadfold::inline v0::app
