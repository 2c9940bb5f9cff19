/// Does this build compute right on this machine? Torture vectors with known answers.
///
///     for (auto const& result : sf::self_test_everywhere()) std::puts(result.summary().c_str());
#pragma once

#include "steadfold/options.hpp"

#include <string>
#include <vector>

namespace steadfold {
inline namespace v0 {

/// What one processor made of the torture vectors.
struct self_test_result {
    std::string processor; ///< "host, level v4" or "cuda 0"
    int checks = 0;
    std::vector<std::string> failures; ///< case, operation, bits expected and found
    [[nodiscard]] bool passed() const noexcept { return checks > 0 && failures.empty(); }
    [[nodiscard]] std::string summary() const;
};

/// Reduces vectors that expose flushed subnormals, contraction, other rounding modes, lost remainders, swallowed
/// infinities and broken atomics, and compares every bit with answers computed by exact rationals. Milliseconds on the
/// host; on a GPU it makes a context.
[[nodiscard]] self_test_result self_test(execution const& where);

/// The host and every GPU of this process.
[[nodiscard]] std::vector<self_test_result> self_test_everywhere();

} // namespace v0
} // namespace steadfold
