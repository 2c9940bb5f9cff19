// One thread's pass over host memory: tiles through the vector kernels, what they cannot take element by element.
#pragma once

#include "exact/state.hpp"
#include "exact/window.hpp"
#include "reduce/host/tile_kernels.hpp"
#include "reduce/plan.hpp"
#include "steadfold/view.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace steadfold::inline v0::host {

/// What a fold is for: the sum of elements, of their magnitudes or both, as the plan says; or products.
enum class quantity { sum, products };

/// Not thread-safe: one per thread. Runs in the default floating-point environment, which the caller sets.
class host_pass {
  public:
    host_pass(reduce_detail::plan const& plan, tile_kernels const& kernels);

    /// Elements of the plan's type, from `first_index` of the array on.
    void add(array_view const& x, std::int64_t first_index);
    /// The same of contiguous ones; `data` needs the alignment of one component.
    void add(void const* data, std::int64_t count, std::int64_t first_index) {
        add({data, count, plan_.type}, first_index);
    }
    /// Pairs of elements, for dot.
    void add_pairs(array_view const& x, array_view const& y);

    [[nodiscard]] exact::reduction_state& state() noexcept { return state_; }

  private:
    struct tile { // n real numbers, the first one belonging to element `index`
        double const* x;
        int n;
        std::int64_t index;
    };

    void process(tile const& t);
    void fast(tile const& t, bool special);
    void count_specials(tile const& t);
    void add_real_pairs(double const* x, double const* y, int n);
    void add_complex_pairs(double const* x, double const* y, int elements);
    void take_parts();
    void add_weights(double const* w, double const* x, int n, bool special);
    void count_pair_specials(double const* x, double const* y, int n);
    void extrema(tile const& t, bool special);
    void count_zeros(tile const& t);
    void multiply(tile const& t);
    void multiply_integers(std::int64_t const* x, int n);
    void combine_bits(std::int64_t const* x, int n);
    void note_signs(tile const& t);
    void note_pair_signs(double const* x, double const* y, int n);
    void fast_pairs(double const* x, double const* y, int n);
    [[nodiscard]] bool any_special(tile const& t) const;

    // Folds; true if a non-finite value was met. x == y for squares; y is unused for sums.
    bool fold(double const* x, double const* y, int n, quantity target);
    bool fold_block(double const* x, double const* y, int padded, int n, quantity target);
    void run_kernel(double const* x, double const* y, int n, quantity target, fold_sums& sums) const;
    [[nodiscard]] int needed_top(double const* x, double const* y, int n, quantity target) const;
    void deposit_folds(fold_sums const& sums, quantity target);
    void deposit_rests(double const* x, double const* y, int n, quantity target);
    bool deposit_one_by_one(double const* x, double const* y, int n, quantity target);
    void deposit_to(quantity target, int component, std::uint64_t bits, bool negative);
    void count_deposits(std::int64_t elements);

    void process_integers(std::int64_t const* x, int n, std::int64_t index);
    void deposit_integers(std::int64_t const* x, std::int64_t const* y, int n);
    void integer_extrema(std::int64_t const* x, int n, std::int64_t index);
    [[nodiscard]] int drop_missing(std::int64_t const* x, int n, std::int64_t index, std::int64_t* kept);

    [[nodiscard]] void const* contiguous_tile(array_view const& x, std::int64_t first, int elements, int which);
    [[nodiscard]] double const* widened(void const* data, int n, double* scratch) const;
    [[nodiscard]] std::int64_t const* widened_integers(void const* data, int n, std::int64_t* scratch) const;
    [[nodiscard]] double* float_scratch(int which) const;
    [[nodiscard]] std::int64_t* integer_scratch(int which) const;

    reduce_detail::plan plan_;
    tile_kernels const& kernels_;
    dtype real_;
    int components_;
    exact::digit_layout sum_digits_, product_digits_;
    exact::fold_window sum_window_, product_window_;
    exact::reduction_state state_;
    std::unique_ptr<std::byte[]> gathered_;            // two tiles, once there was strided data
    std::unique_ptr<double[]> widened_floats_;         // two tiles
    std::unique_ptr<std::int64_t[]> widened_integers_; // two tiles
    std::vector<host_pass> parts_;                     // of complex products, real and imaginary
    std::unique_ptr<double[]> split_;                  // parts of a tile, or weights without NaN
};

} // namespace steadfold::inline v0::host
