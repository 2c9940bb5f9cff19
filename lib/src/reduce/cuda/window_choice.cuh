// Which window a thread's folds have: chosen from the peaks of batches, raised when a larger one arrives, lowered when
// rests come all the time.
#pragma once

#include "reduce/cuda/float_block.cuh"
#include "reduce/cuda/peak.cuh"
#include "reduce/cuda/value_folds.cuh"

namespace steadfold::inline v0::cuda {

inline constexpr int window_slack = 2;           // bits a window is raised above what is needed
inline constexpr int float32_slack = 1;          // rests are twice as frequent for every one
inline constexpr int window_quantum = 4;         // so that most warps and blocks choose the same one
inline constexpr int float32_quantum = 1;        // one fold holds 24 bits above what leaves a rest: none to waste
inline constexpr int rests_before_lowering = 32; // batches in a row with rests
inline constexpr int worth_lowering = 16;        // bits a window must gain to be lowered

template <class Shape>
class window_choice {
  public:
    static constexpr bool folds_anything = Shape::has_values || Shape::has_products;

    /// The first window, which a warp's lanes share: `proposed` if it is neither too low nor much too high for the
    /// peak.
    __device__ void choose(std::uint32_t peak, bool integer_only, int proposed = no_wish) {
        int const needed = top_of(peak), spare = proposed - needed;
        bool const will_do = may_be_shared(proposed) && (peak == 0 || (spare >= 0 && spare <= most_spare));
        first_top_ = will_do ? proposed : raised(needed);
        set(first_top_, integer_only);
    }
    /// True for windows whose folds have units one spacing apart.
    [[nodiscard]] __device__ static bool may_be_shared(int top) { return top >= lowest_shared && top <= highest_top; }

    __device__ void set(int top, bool integer_only) {
        top_ = top;
        limit_ = limit_of(top);
        if (Shape::has_squares && Shape::is_float64 && top < lowest_top_of_squares) limit_ = 0;
        if (integer_only) limit_ = 0;
    }
    /// Peaks below it are inside a window; none before one is chosen.
    [[nodiscard]] __device__ static std::uint32_t limit_of(int top) {
        if constexpr (!folds_anything || (Shape::has_pairs && Shape::real == dtype::float16))
            return limit_of_infinity<peak_type>;
        else
            return limit_of_top<peak_type>(top);
    }

    [[nodiscard]] __device__ int top() const { return top_; }
    [[nodiscard]] __device__ bool is_chosen() const { return first_top_ != no_wish; }
    [[nodiscard]] __device__ bool is_first() const { return top_ == first_top_; }
    /// Squares double the exponent of a window of values.
    [[nodiscard]] __device__ int product_top() const { return Shape::has_squares ? 2 * top_ : top_; }
    [[nodiscard]] __device__ bool holds(std::uint32_t peak) const { return peak < limit_; }

    /// The top that the next batch, of this peak, should have, for set(); takes the wish for a lower one back.
    [[nodiscard]] __device__ int next_top(std::uint32_t peak) {
        int const needed = top_of(peak);
        int top = top_;
        if (wanted_top_ < top) top = wanted_top_;
        if (!holds(peak) && needed <= highest_top && needed > top) top = raised(needed);
        wanted_top_ = no_wish;
        return top;
    }

    /// Asks for a lower window if rests come all the time and it would help.
    __device__ void note_rests(std::uint32_t peak) {
        highest_rested_ = batches_with_rests_ == 0 ? peak : ::max(highest_rested_, peak);
        if (++batches_with_rests_ < rests_before_lowering) return;
        batches_with_rests_ = 0;
        int const lower = raised(top_of(highest_rested_));
        if (lower + worth_lowering > top_) return;
        wanted_top_ = lower;
        limit_ = 0; // so that the next batch attends to it
    }
    __device__ void note_no_rests() {
        if (batches_with_rests_ != 0) batches_with_rests_ = 0;
    }

  private:
    static constexpr dtype real = Shape::real;
    // With squares the window of x decides both, and x * x must stay below 2^1012.
    static constexpr int highest_top =
        !Shape::has_pairs
            ? Shape::has_squares && Shape::is_float64 ? exact::highest_window_top / 2 : fold_choice<real>::highest_top
        : real == dtype::float16 ? 32 // holds all products
                                 : exact::highest_window_top;
    static constexpr int lowest = !Shape::has_pairs        ? lowest_top<real>
                                  : real == dtype::float16 ? highest_top
                                                           : lowest_top<dtype::float64>;
    static constexpr dtype peak_type = Shape::has_pairs && real != dtype::float16 ? dtype::float64 : real;
    // Squares of values below 2^-484 are tiny: the rest of the value itself shows that it is one, if the window is high
    // enough.
    static constexpr int lowest_top_of_squares = -400;
    static constexpr int no_wish = 1 << 20;

    static constexpr int lowest_shared =
        real == dtype::float16 ? lowest
                               : (Shape::has_products ? exact::lowest_product_bit(real) : exact::lowest_bit(real)) +
                                     (1 + Shape::is_float64 + Shape::has_products) * 49;
    /// Bits that a shared window may have to spare: one fold has few above the 24 of float32.
    static constexpr int most_spare = real == dtype::float16                           ? 1000
                                      : real == dtype::float32 && !Shape::has_products ? 5
                                                                                       : 16;

    __device__ static int top_of(std::uint32_t peak) { return top_of_peak<peak_type>(peak); }

    __device__ static int raised(int needed) {
        // Squares double the window's exponent, and what it has to spare.
        constexpr bool is_tight = real == dtype::float32 && !Shape::has_pairs;
        constexpr int quantum = is_tight ? float32_quantum : window_quantum;
        constexpr int slack = is_tight && !Shape::has_squares ? float32_slack : window_slack;
        int const wanted = Shape::has_squares ? needed + slack / 2 : (needed + slack + quantum - 1) & -quantum;
        return wanted < lowest ? lowest : wanted < highest_top ? wanted : highest_top;
    }

    int top_ = 0, first_top_ = no_wish;
    int wanted_top_ = no_wish;
    std::uint32_t limit_ = 0, highest_rested_ = 0;
    int batches_with_rests_ = 0;
};

} // namespace steadfold::inline v0::cuda
