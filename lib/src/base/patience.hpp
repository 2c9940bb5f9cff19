// How a polling wait spends its time: spin, then yield, then sleep, always with an eye on the deadline.
#pragma once

#include <algorithm>
#include <chrono>
#include <thread>

namespace steadfold {
inline namespace v0 {
namespace detail {

/// Call `wait()` between two polls. Spins first (short messages arrive within microseconds), then yields (more ranks
/// than cores must not starve each other), then sleeps 20 us doubling to 1 ms.
class patience {
  public:
    explicit patience(std::chrono::nanoseconds deadline) noexcept : deadline_(deadline) {}

    [[nodiscard]] std::chrono::nanoseconds elapsed() const noexcept { return clock::now() - start_; }
    [[nodiscard]] bool sleeping() const noexcept { return polls_ > yields; }

    /// False once the deadline has passed.
    bool wait() {
        auto const left = deadline_ - elapsed();
        if (left <= std::chrono::nanoseconds::zero()) return false;
        if (++polls_ > yields) {
            std::this_thread::sleep_for(std::min<std::chrono::nanoseconds>(nap_, left));
            nap_ = std::min<std::chrono::nanoseconds>(2 * nap_, std::chrono::milliseconds(1));
        } else if (polls_ > spins) {
            std::this_thread::yield();
        }
        return true;
    }

  private:
    using clock = std::chrono::steady_clock;
    static constexpr int spins = 200, yields = 2000;

    clock::time_point start_ = clock::now();
    std::chrono::nanoseconds deadline_;
    std::chrono::nanoseconds nap_ = std::chrono::microseconds(20);
    int polls_ = 0;
};

} // namespace detail
} // namespace v0
} // namespace steadfold
