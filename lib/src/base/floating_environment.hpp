// The floating-point environment the folds need: round to nearest, no flush-to-zero, no denormals-are-zero.
#pragma once

#if defined(__x86_64__)
#include <xmmintrin.h>
#else
#include <cfenv>
#endif

namespace steadfold::inline v0::base {

/// Sets the default environment for the calling thread and gives the caller's back on destruction. On x86-64 SSE state
/// is all that matters; elsewhere <cfenv> restores rounding and flush modes together.
class default_floating_environment {
  public:
#if defined(__x86_64__)
    default_floating_environment() noexcept : saved_{_mm_getcsr()} {
        _mm_setcsr(0x1f80);
    }
    ~default_floating_environment() {
        _mm_setcsr(saved_);
    }
#else
    default_floating_environment() noexcept {
        std::fegetenv(&saved_);
        std::fesetenv(FE_DFL_ENV);
    }
    ~default_floating_environment() {
        std::fesetenv(&saved_);
    }
#endif
    default_floating_environment(default_floating_environment const&) = delete;
    default_floating_environment& operator=(default_floating_environment const&) = delete;

  private:
#if defined(__x86_64__)
    unsigned saved_;
#else
    std::fenv_t saved_;
#endif
};

} // namespace steadfold::inline v0::base
