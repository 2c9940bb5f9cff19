// What the folds cannot take of a batch: numbers outside the window, what is left below it, NaN and infinities.
#pragma once

#include "reduce/cuda/pass.hpp"
#include "reduce/cuda/second_look.cuh"
#include "reduce/cuda/vector_run.cuh"

namespace steadfold::inline v0::cuda {

/// Of one thread and batch, whose window has this top.
template <class Pass, class Batch>
class leftovers {
  public:
    using block_type = typename Pass::block_type;
    using shape = typename Pass::shape;

    __device__ leftovers(pass_arguments const& arguments, block_type& block, Batch const& batch, int top)
        : arguments_{arguments}, block_{block}, batch_{batch} {
        if constexpr (shape::has_values) values_.aim(top);
        if constexpr (shape::has_products)
#pragma unroll
            for (int c = 0; c < components; ++c) products_[c].aim(shape::has_squares ? 2 * top : top);
    }

    /// `outside`: the folds have taken nothing; else all but rests. Bit c of the result: something else than -0 was
    /// seen of component c.
    __device__ int deposit(bool outside) const {
        int seen = 0;
        run folds{values_, products_};
        for_each_vector(batch_, [&](vector16 const& x, vector16 const& y, int u) {
            if (run::begins_at(u)) folds = run{values_, products_};
#pragma unroll
            for (int j = 0; j < width; ++j) {
                if constexpr (shape::has_pairs) {
                    deposit_pair(x, y, j, outside, folds, seen);
                } else if (!outside || belongs(x, j, u, seen)) {
                    if constexpr (shape::has_values) deposit_value(x, j, outside, folds);
                    if constexpr (shape::has_squares) deposit_product(x, x, j, outside, folds);
                }
            }
        });
        return seen;
    }

  private:
    static constexpr dtype real = shape::real;
    static constexpr int components = shape::components, width = per_vector<real>;
    using load = element<real>;
    using run = vector_run<shape>;

    /// False for elements that are only counted; true ones are seen here.
    __device__ bool belongs(vector16 const& x, int j, int u, int& seen) const {
        constexpr int mask = components - 1;
        double const value = load::at(x, j), other = load::at(x, j ^ mask);
        if (is_special(value) || is_special(other)) {
            std::int64_t const index = arguments_.first_index + batch_.component(u, j) / components;
            if (!count_special(block_, bits_of(value), bits_of(other), j & mask, index)) return false;
        }
        if (!is_negative_zero(value)) seen |= 1 << (j & mask);
        return true;
    }

    __device__ void deposit_value(vector16 const& x, int j, bool outside, run& folds) const {
        int const c = j & (components - 1);
        double const value = load::at(x, j);
        double const left = outside ? value : folds.rest(value, c);
        if (left == 0) return;
        if constexpr (shape::has_sum) block_.add(quantity::sum, c, left, arguments_.direct);
        if constexpr (shape::has_magnitudes)
            block_.add(quantity::magnitudes, c, with_sign_of(left, value), arguments_.direct);
    }

    /// Tiny products, whose digits are 0 in all folds, always go whole.
    __device__ void deposit_product(vector16 const& x, vector16 const& y, int j, bool outside, run& folds) const {
        int const c = j & (components - 1);
        double const a = load::at(x, j), b = load::at(y, j);
        exact_product const p = multiply<real>(x, y, j);
        if (outside || (shape::is_float64 && is_tiny_product(a, b, p.high))) {
            using target = typename shape::product_target;
            exact::deposit_product(block_.products[c].limb, target::anchor, bits_of(a), bits_of(b), shared_add{});
            return;
        }
        exact_product const left = folds.rest(p, c);
        if (left.high != 0) block_.add(quantity::products, c, left.high, arguments_.direct);
        if (left.low != 0) block_.add(quantity::products, c, left.low, arguments_.direct);
    }

    __device__ void deposit_pair(vector16 const& x, vector16 const& y, int j, bool outside, run& folds,
                                 int& seen) const {
        if (outside) {
            double const a = load::at(x, j), b = load::at(y, j);
            if (is_special(a) || is_special(b))
                if (!count_special_pair(block_, bits_of(a), bits_of(b))) {
                    if (a == a && b == b) seen = 1;
                    return;
                }
            if (!is_negative_zero_product(bits_of(a), bits_of(b))) seen = 1;
        }
        deposit_product(x, y, j, outside, folds);
    }

    pass_arguments const& arguments_;
    block_type& block_;
    Batch const& batch_;
    typename run::values_type values_;
    typename run::products_type products_[components];
};

} // namespace steadfold::inline v0::cuda
