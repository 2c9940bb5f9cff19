// A few vectors that follow each other, through all folds of a shape.
#pragma once

#include "reduce/cuda/product_folds.cuh"
#include "reduce/cuda/value_folds.cuh"

#include <utility>

namespace steadfold::inline v0::cuda {

template <class Folds>
struct run_of {
    using type = typename Folds::run;
};
template <>
struct run_of<not_gathered> {
    using type = not_gathered;
};

template <class Shape>
class vector_run {
  public:
    using values_type = std::conditional_t<Shape::has_values, value_folds<Shape>, not_gathered>;
    using products_type = std::conditional_t<Shape::has_products, product_folds<Shape::real>, not_gathered>;

    static constexpr int width = per_vector<Shape::real>, components = Shape::components;
    /// Of a run.
    static constexpr int vectors = [] {
        int elements = width; // where there are no folds
        if constexpr (Shape::has_values) elements = fold_choice<Shape::real>::window::most_of_run;
        if constexpr (Shape::has_products)
            if (products_type::most_of_run < elements) elements = products_type::most_of_run;
        return elements / width;
    }();
    static_assert(vectors > 0);

    /// The first vector's place in its batch: every `vectors` of a batch are a run.
    __device__ static bool begins_at(int vector) { return vector % vectors == 0; }

    __device__ vector_run(values_type const& values, products_type const (&products)[components])
        : vector_run{values, products, std::make_integer_sequence<int, components>{}} {}

    /// Component j of a vector, or of two; non-zero if a rest is left.
    __device__ std::uint32_t add(vector16 const& x, vector16 const& y, int j) {
        std::uint32_t rests = 0;
        if constexpr (Shape::has_values) rests |= values_.add(x, j);
        if constexpr (Shape::has_products)
            rests |= products_[j & (components - 1)].add(multiply<Shape::real>(x, Shape::has_pairs ? y : x, j));
        return rests;
    }
    __device__ void take_into(values_type& values, products_type (&products)[components]) const {
        if constexpr (Shape::has_values) values.take(values_);
        if constexpr (Shape::has_products)
#pragma unroll
            for (int c = 0; c < components; ++c) products[c].take(products_[c]);
    }

    /// The same arithmetic, for what add() left: value after value in the same order, and so for products.
    __device__ double rest(double value, int c) {
        return values_.rest(value, c);
    }
    __device__ exact_product rest(exact_product const& p, int c) {
        return products_[c].rest(p);
    }

  private:
    template <int... C>
    __device__ vector_run(values_type const& values, products_type const (&products)[components],
                          std::integer_sequence<int, C...>)
        : values_{values}, products_{typename run_of<products_type>::type{products[C]}...} {}

    typename run_of<values_type>::type values_;
    typename run_of<products_type>::type products_[components];
};

} // namespace steadfold::inline v0::cuda
