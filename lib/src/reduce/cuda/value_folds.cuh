// Folds of a batch's values, of their magnitudes, or of both, under one window.
//
// Values with a 24- or 53-bit significand are folded until something is left or not. Of the 16-bit types it is cheaper
// to look at the smallest magnitude of a batch: no value with so few bits leaves anything unless it is small, and
// adding it takes one instruction instead of three.
#pragma once

#include "reduce/cuda/float_block.cuh"
#include "reduce/cuda/peak.cuh"

namespace steadfold::inline v0::cuda {

/// Windows of a component type. One fold keeps every bit of usual data of 32 bits and fewer, two those of float64 data.
template <dtype Real>
struct fold_choice {
    using window = std::conditional_t<Real == dtype::float64, float64_window<2, 48>, float64_window<1, 50>>;
    static constexpr bool adds_whole = size_bytes(Real) == 2;
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

    /// Component j of a vector; non-zero if a rest is left, where values are not added whole.
    __device__ std::uint32_t add(vector16 const& x, int j) {
        int const c = j & (Shape::components - 1);
        double const value = element<Shape::real>::at(x, j);
        if constexpr (adds_whole) {
            if constexpr (Shape::has_sum) values_[c].add_whole(value, window_);
            if constexpr (Shape::has_magnitudes) magnitudes_[c].add_whole(fabs(value), window_);
            return 0;
        } else if constexpr (Shape::has_sum && Shape::has_magnitudes) {
            return rest_bits(values_[c].add_both(value, window_, magnitudes_[c]));
        } else if constexpr (Shape::has_sum) {
            return rest_bits(values_[c].add(value, window_));
        } else {
            return rest_bits(magnitudes_[c].add(with_sign_of(value, value), window_));
        }
    }

    /// True if a value of a batch with this least magnitude may leave a rest although none was told of.
    [[nodiscard]] __device__ bool may_leave_rest(least_magnitude least) const {
        if constexpr (adds_whole && Shape::real != dtype::float16)
            return least.is_below(least_whole_);
        else
            return false;
    }

    /// What add() left of a value.
    __device__ double rest(double value) const {
        typename window_type::digits_type scratch;
        return -scratch.add(value, window_);
    }

    template <class Block>
    __device__ void flush(std::uint32_t values, Block& block) {
#pragma unroll
        for (int c = 0; c < Shape::components; ++c) {
            if constexpr (Shape::has_sum) values_[c].flush(window_, top_, floor, values, block.sum[c]);
            if constexpr (Shape::has_magnitudes)
                magnitudes_[c].flush(window_, top_, floor, values, block.magnitudes[c]);
        }
    }
    /// f(piece of this lane, quantity, component) for all lanes together, whose windows are the same.
    template <class Function>
    __device__ void for_each_piece(std::uint32_t values, Function const& f) const {
#pragma unroll
        for (int c = 0; c < Shape::components; ++c) {
            if constexpr (Shape::has_sum) f(values_[c].piece(window_, values), quantity::sum, c);
            if constexpr (Shape::has_magnitudes) f(magnitudes_[c].piece(window_, values), quantity::magnitudes, c);
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
