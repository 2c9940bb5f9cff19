// Runs the library on a sample, on any processor, and compares every result with the oracle, bit for bit.
#pragma once

#include "steadfold/options.hpp"
#include "steadfold/reduce.hpp"
#include "support/generators.hpp"
#include "support/oracle.hpp"

namespace oracle {

// Sanitizers cost a factor of ten and more; tests then do less of the same.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool sanitized = true;
#else
inline constexpr bool sanitized = false;
#endif

/// How much is tried for one sample.
enum class effort {
    one_pass,        ///< all operations at once, one set of options drawn from the sample
    every_option,    ///< all operations at once under every NaN policy, ddof and a few result types
    every_operation, ///< and every operation alone, since that takes other kernels
};

/// Fails the current test for every result that differs from the oracle's.
void check_all_operations(sample const& s, sf::execution const& where, effort how = effort::every_operation);
void check_dot(sample_pair const& pair, sf::execution const& where);

/// Compares results with the oracle's.
void expect_results(sf::reduction_results const& got, summary const& s, sf::reduce_options const& options,
                    std::string const& label);
void expect_same(sf::result_value const& got, sf::result_value const& expected, sf::operation op,
                 std::string const& label);

/// "propagate ddof=1 result=float16": for failure messages.
[[nodiscard]] std::string describe(sf::reduce_options const& options);

/// Samples checked so far by check_all_operations() and check_dot().
[[nodiscard]] std::int64_t samples_checked();

} // namespace oracle
