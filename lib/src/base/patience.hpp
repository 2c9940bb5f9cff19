// How a polling wait spends its time: spin, then yield, then sleep, always with an eye on the deadline.
#pragma once

#include <algorithm>
#include <chrono>
#include <thread>

namespace steadfold {
inline namespace v0 {
namespace detail {

/// Call `wait()` between two polls. Spins for 20 us (short messages arrive within microseconds), yields until 500 us
/// (more ranks than cores must not starve each other), then sleeps 20 us doubling to 1 ms. By time, not by polls: one
/// yield on a busy machine can take milliseconds.
class patience {
  public:
    explicit patience(std::chrono::nanoseconds deadline) noexcept : deadline_(deadline) {}

    [[nodiscard]] std::chrono::nanoseconds elapsed() const noexcept { return clock::now() - start_; }
    [[nodiscard]] bool sleeping() const noexcept { return elapsed() > yield_until; }

    /// False once the deadline has passed.
    bool wait() {
        auto const waited = elapsed(), left = deadline_ - waited;
        if (left <= std::chrono::nanoseconds::zero()) return false;
        if (waited > yield_until) {
            std::this_thread::sleep_for(std::min<std::chrono::nanoseconds>(nap_, left));
            nap_ = std::min<std::chrono::nanoseconds>(2 * nap_, std::chrono::milliseconds(1));
        } else if (waited > spin_until) {
            std::this_thread::yield();
        }
        return true;
    }

  private:
    using clock = std::chrono::steady_clock;
    static constexpr std::chrono::microseconds spin_until{20}, yield_until{500};

    clock::time_point start_ = clock::now();
    std::chrono::nanoseconds deadline_;
    std::chrono::nanoseconds nap_ = std::chrono::microseconds(20);
};

} // namespace detail
} // namespace v0
} // namespace steadfold
