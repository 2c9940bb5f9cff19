// A rung of the ladder: a small kernel, how it is launched, and what it changes.
#pragma once

#include "steadfold/dtype.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace steadfold::inline v0::app::ladder {

/// What becomes of the blocks' results.
enum class merging {
    levels,      // the same kernel sums them, and its own results, until one is left
    second_pass, // one block of the same kernel sums them
    atomics,     // every block adds its own to a result that was zeroed before
    digits,      // every block adds integer digits to such words; a thread rounds them in the end
    none         // there are none: memory is only read
};

/// Kernels are (T const* x, std::int64_t n, R* results) with n > 0 and x aligned to sizeof(T). R is T, but
/// unsigned long long for digits, whose second kernel is (unsigned long long const* words, T* result).
struct rung {
    std::string name, change;
    void const* kernel = nullptr;
    merging merge = merging::levels;
    int threads = 256; // of a block
    int elements_per_block = 256;
    bool resident = false; // as many blocks as run at once stride over the data; else one for every elements_per_block
    dtype type = dtype::float32;          // or int32, float64
    int cluster = 1;                      // blocks
    int compute_capability = 0;           // major number that it needs
    std::int64_t elements_per_thread = 0; // at most; 0: any number
    void const* rounding = nullptr;       // of digits
};

/// The exact rungs take |x| <= 2^exact_top with no bits below 2^exact_floor; the result is NaN if an element does not
/// fit. Wide enough for Gaussian numbers.
inline constexpr int exact_top = 4, exact_floor = exact_top - 95;
inline constexpr int digit_words = 5;

/// Plain readers: the best of them is the peak that all rungs are compared with.
[[nodiscard]] std::vector<rung> read_rungs();
/// From the textbook's first kernel to many elements a thread: what a block does in shared memory.
[[nodiscard]] std::vector<rung> tree_rungs();
/// Warps, vectors, atomics, clusters, bulk copies.
[[nodiscard]] std::vector<rung> hardware_rungs();
/// Sums that do not depend on the order.
[[nodiscard]] std::vector<rung> exact_rungs();

} // namespace steadfold::inline v0::app::ladder
