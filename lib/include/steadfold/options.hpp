/// Choices of a reduction that change its result, and choices of how it is run that do not.
#pragma once

#include "steadfold/dtype.hpp"

#include <chrono>
#include <cstdint>
#include <optional>

namespace steadfold {
inline namespace v0 {

enum class reduction_mode : std::uint8_t {
    exact, ///< correctly rounded, the same bits everywhere
    fast,  ///< floating-point adds in a fixed order: sum, mean, L1, L2 and dot may wander with threads, grid and ranks;
           ///< every other result is the exact one, and so is all of float16, bfloat16 and integers
};

enum class nan_policy : std::uint8_t {
    propagate, ///< any NaN makes the result NaN; argmin and argmax give the first NaN
    ignore,    ///< NaN (and missing) elements are left out, also of the count
};

/// What is computed. Ranks must agree on all of it.
struct reduce_options {
    reduction_mode mode = reduction_mode::exact;
    nan_policy nans = nan_policy::propagate;
    int ddof = 0;                     ///< variance and standard deviation divide by n - ddof; 0 or 1
    std::optional<dtype> result = {}; ///< type of sums, means, norms and extrema; default_result_type() unless set
    /// Integer data: elements of this value (uint64: of these bits) are left out, under either policy, and counted as
    /// NaN. A value that the type does not have leaves out nothing.
    std::optional<std::int64_t> missing = {};
};

enum class processor_kind : std::uint8_t { host, cuda };

/// Where and how a pass runs. 0 means: chosen by the library. In `exact` mode nothing here changes a bit.
struct execution {
    processor_kind kind = processor_kind::host;
    int device = 0;            ///< CUDA ordinal
    int threads = 0;           ///< host: worker threads; all allowed CPUs unless set
    int blocks = 0;            ///< cuda: blocks of the grid
    int threads_per_block = 0; ///< cuda: a multiple of 32, at most 256
    /// cuda: exact sums without float64 arithmetic, as GPUs with few float64 units do anyway.
    bool integer_arithmetic = false;
    std::chrono::nanoseconds deadline = std::chrono::minutes(5); ///< longest wait for a device
};

} // namespace v0
} // namespace steadfold
