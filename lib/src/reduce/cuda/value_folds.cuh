// Folds of a batch's values, of their magnitudes, or of both, under one window.
#pragma once

#include "reduce/cuda/float_block.cuh"

namespace steadfold::inline v0::cuda {

/// Windows of a component type. One fold keeps every bit of usual float32 data, two those of usual float64 data.
template <dtype Real>
struct fold_choice {
    using window = std::conditional_t<Real == dtype::float64, float64_window<2>,
                                      std::conditional_t<Real == dtype::float32, float64_window<1>, float32_window>>;
    static constexpr int highest_top = Real == dtype::float64   ? exact::highest_window_top
                                       : Real == dtype::float32 ? 128
                                       : Real == dtype::float16 ? 16   // holds them all
                                                                : 122; // M + x must stay finite in float32
};

template <class Shape>
class value_folds {
  public:
    using window_type = typename fold_choice<Shape::real>::window;
    using value_type = typename window_type::value_type;

    __device__ void aim(int top) {
        top_ = top;
        window_.aim(top, floor);
    }

    /// Before `added` values a component.
    __device__ bool has_room(std::uint32_t added) const { return fresh_ + added <= window_type::most_values; }
    /// Narrow digit sums make room without the block.
    __device__ void settle() {
        for_each([&](auto& digits, int) { digits.settle(window_, fresh_); });
        fresh_ = 0;
    }
    __device__ void count(std::uint32_t added) { fresh_ += added; }

    /// Component j of a vector; non-zero if a rest is left.
    __device__ std::uint32_t add(vector16 const& x, int j) {
        int const c = j & (Shape::components - 1);
        auto const value = load::template as<value_type>(x, j);
        value_type rest;
        if constexpr (Shape::has_sum && Shape::has_magnitudes)
            rest = values_[c].add_both(value, window_, magnitudes_[c]);
        else if constexpr (Shape::has_sum)
            rest = values_[c].add(value, window_);
        else
            rest = magnitudes_[c].add(with_sign_of(value, value), window_);
        return keeps_all ? 0 : rest_bits(rest);
    }

    /// What add() left of a value.
    __device__ value_type rest(value_type value) const {
        typename window_type::digits_type scratch;
        return -scratch.add(value, window_);
    }

    template <class Block>
    __device__ void flush(Block& block) {
#pragma unroll
        for (int c = 0; c < Shape::components; ++c) {
            if constexpr (Shape::has_sum) values_[c].flush(window_, top_, floor, fresh_, block.sum[c]);
            if constexpr (Shape::has_magnitudes)
                magnitudes_[c].flush(window_, top_, floor, fresh_, block.magnitudes[c]);
        }
        fresh_ = 0;
    }
    /// f(part of this lane, quantity, component) for all lanes together, whose windows are the same.
    template <class Function>
    __device__ void for_each_part(Function const& f) const {
#pragma unroll
        for (int c = 0; c < Shape::components; ++c) {
            if constexpr (Shape::has_sum) f(values_[c].part(window_, fresh_), quantity::sum, c);
            if constexpr (Shape::has_magnitudes) f(magnitudes_[c].part(window_, fresh_), quantity::magnitudes, c);
        }
    }

    static constexpr bool is_narrow = window_type::is_narrow;
    static constexpr int floor = exact::lowest_bit(Shape::real);

  private:
    using load = element<Shape::real>;
    using digits_type = thread_digits<window_type>;
    static constexpr bool keeps_all = Shape::real == dtype::float16;

    template <class Function>
    __device__ void for_each(Function const& f) {
#pragma unroll
        for (int c = 0; c < Shape::components; ++c) {
            if constexpr (Shape::has_sum) f(values_[c], c);
            if constexpr (Shape::has_magnitudes) f(magnitudes_[c], c);
        }
    }

    window_type window_;
    std::conditional_t<Shape::has_sum, digits_type, not_gathered> values_[Shape::components];
    std::conditional_t<Shape::has_magnitudes, digits_type, not_gathered> magnitudes_[Shape::components];
    int top_ = 0;
    std::uint32_t fresh_ = 0; // values of a component since digits were last moved on
};

} // namespace steadfold::inline v0::cuda
