// Folds of a batch's values, of their magnitudes, or of both, under one window.
//
// Values with a 24- or 53-bit significand are folded until something is left or not. Of the 16-bit types it is cheaper
// to look at the smallest magnitude of a batch: no value with so few bits leaves anything unless it is small, and
// adding it takes one instruction instead of three.
#pragma once

#include "reduce/cuda/float_block.cuh"
#include "reduce/cuda/peak.cuh"

#include <utility>

namespace steadfold::inline v0::cuda {

/// Windows of a component type. One fold keeps every bit of usual data of 32 bits and fewer, two those of float64 data.
/// A run holds a vector at least.
template <dtype Real>
struct fold_choice {
    static constexpr bool adds_whole = size_bytes(Real) == 2;
    using window =
        std::conditional_t<Real == dtype::float64, float64_window<2, 48>, float64_window<1, adds_whole ? 49 : 50>>;
    static constexpr int highest_top = Real == dtype::float64   ? exact::highest_window_top
                                       : Real == dtype::float16 ? 16 // holds them all
                                                                : 128;
};

template <class Shape>
class value_folds {
  public:
    using window_type = typename fold_choice<Shape::real>::window;
    static constexpr int floor = exact::lowest_bit(Shape::real);

    __device__ void aim(int top) {
        top_ = top;
        window_.aim(top, floor);
        if constexpr (adds_whole) least_whole_ = least_whole_at(window_type::exponent(top, floor, 0));
    }

    /// A few values that follow each other.
    struct run {
        using folds = digit_run<window_type>;

        __device__ explicit run(value_folds const& of)
            : run{of.window_, std::make_integer_sequence<int, Shape::components>{}} {}

        /// Component j of a vector; non-zero if a rest is left, where values are not added whole.
        __device__ std::uint32_t add(vector16 const& x, int j) {
            int const c = j & (Shape::components - 1);
            double const value = element<Shape::real>::at(x, j);
            if constexpr (!adds_whole) return rest_bits(turned_rest(value, c));
            if constexpr (adds_whole && Shape::has_sum) values[c].add_whole(value);
            if constexpr (adds_whole && Shape::has_magnitudes) magnitudes[c].add_whole(fabs(value));
            return 0;
        }

        /// The same arithmetic, for what add() left of a value of component c, with the value's sign.
        __device__ double rest(double value, int c) {
            double const left = -turned_rest(value, c);
            return Shape::has_sum ? left : with_sign_of(left, value);
        }

        std::conditional_t<Shape::has_sum, folds, not_gathered> values[Shape::components];
        std::conditional_t<Shape::has_magnitudes, folds, not_gathered> magnitudes[Shape::components];

      private:
        template <int... C>
        __device__ run(window_type const& window, std::integer_sequence<int, C...>)
            : values{(static_cast<void>(C), first<Shape::has_sum>(window))...},
              magnitudes{(static_cast<void>(C), first<Shape::has_magnitudes>(window))...} {}

        template <bool Exists>
        __device__ static auto first(window_type const& window) {
            if constexpr (Exists)
                return folds{window};
            else
                return not_gathered{};
        }

        /// Where values are added whole, the magnitudes have a run of their own: it rounds the same way, as M is even
        /// and so both sums are even at the same time.
        __device__ double turned_rest(double value, int c) {
            if constexpr (!Shape::has_magnitudes)
                return values[c].add(value);
            else if constexpr (Shape::has_sum)
                return values[c].add_both(value, magnitudes[c]);
            else
                return magnitudes[c].add(fabs(value));
        }
    };

    __device__ void take(run const& done) {
#pragma unroll
        for (int c = 0; c < Shape::components; ++c) {
            if constexpr (Shape::has_sum) values_[c].take(done.values[c]);
            if constexpr (Shape::has_magnitudes) magnitudes_[c].take(done.magnitudes[c]);
        }
    }

    /// True if a value of a batch with this least magnitude may leave a rest although none was told of.
    [[nodiscard]] __device__ bool may_leave_rest(least_magnitude least) const {
        if constexpr (adds_whole && Shape::real != dtype::float16)
            return least.is_below(least_whole_);
        else
            return false;
    }

    template <class Block>
    __device__ void flush(std::uint32_t runs, Block& block) {
#pragma unroll
        for (int c = 0; c < Shape::components; ++c) {
            if constexpr (Shape::has_sum) values_[c].flush(window_, top_, floor, runs, block.sum[c]);
            if constexpr (Shape::has_magnitudes) magnitudes_[c].flush(window_, top_, floor, runs, block.magnitudes[c]);
        }
    }
    /// f(piece of this lane, quantity, component) for all lanes together, whose windows are the same.
    template <class Function>
    __device__ void for_each_piece(std::uint32_t runs, Function const& f) const {
#pragma unroll
        for (int c = 0; c < Shape::components; ++c) {
            if constexpr (Shape::has_sum) f(values_[c].piece(window_, runs), quantity::sum, c);
            if constexpr (Shape::has_magnitudes) f(magnitudes_[c].piece(window_, runs), quantity::magnitudes, c);
        }
    }

  private:
    using digits_type = thread_digits<window_type>;
    static constexpr bool adds_whole = fold_choice<Shape::real>::adds_whole;

    /// Smallest bfloat16 whose last bit is not below 2^unit: 2^(unit + 7). Above the floor it is a normal number.
    __device__ static least_magnitude least_whole_at(int unit) {
        using format = peak_format<dtype::bfloat16>;
        if (unit <= floor) return least_magnitude::of_bits(1); // the last bit of all of them
        return least_magnitude::of_bits((unit + format::fraction + format::bias) << format::fraction);
    }

    window_type window_;
    std::conditional_t<Shape::has_sum, digits_type, not_gathered> values_[Shape::components];
    std::conditional_t<Shape::has_magnitudes, digits_type, not_gathered> magnitudes_[Shape::components];
    std::conditional_t<adds_whole, least_magnitude, not_gathered> least_whole_;
    int top_ = 0;
};

} // namespace steadfold::inline v0::cuda
