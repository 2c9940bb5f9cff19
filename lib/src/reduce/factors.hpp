// The bits and the product of elements taken one after another, from the bits they are stored as.
#pragma once

#include "exact/decompose.hpp"
#include "exact/product.hpp"
#include "steadfold/bits.hpp"
#include "steadfold/dtype.hpp"

#include <cstdint>

namespace steadfold::inline v0::reduce_detail {

/// What is gathered.
struct factor_state {
    exact::bit_state bits;
    exact::product_state product;

    STEADFOLD_HOST_DEVICE void merge(factor_state const& other) noexcept {
        bits.merge(other.bits);
        product.merge(other.product);
    }
};

/// How elements of a type are taken; trivially copyable.
struct factor_rules {
    dtype type = dtype::int64;
    bool wants_product = true;
    bool has_missing = false; // of integers
    std::int64_t missing = 0;

    /// An element's bits, in the low ones of `raw`.
    STEADFOLD_HOST_DEVICE void take(std::uint64_t raw, factor_state& state) const noexcept {
        if (is_integer(type))
            take_integer(raw, state);
        else
            take_floating(raw, state);
    }

  private:
    STEADFOLD_HOST_DEVICE void take_integer(std::uint64_t raw, factor_state& state) const noexcept {
        int const spare = 64 - 8 * static_cast<int>(size_bytes(type));
        bool const is_signed = is_signed_integer(type);
        std::uint64_t const top = raw << spare;
        std::uint64_t const value =
            is_signed ? static_cast<std::uint64_t>(static_cast<std::int64_t>(top) >> spare) : top >> spare;
        if (has_missing && static_cast<std::int64_t>(value) == missing) return;
        state.bits.add(value);
        if (!wants_product || value == 0) return;
        bool const below = is_signed && value >> 63 != 0;
        state.product.negative = state.product.negative != below;
        state.product.multiply(below ? 0 - value : value, 0);
    }

    /// Zeros and infinities, which are counted elsewhere, have a sign all the same.
    STEADFOLD_HOST_DEVICE void take_floating(std::uint64_t raw, factor_state& state) const noexcept {
        exact::decomposed const parts = exact::decompose(raw, exact::format_of(type));
        if (parts.kind == exact::float_class::nan) return;
        state.product.negative = state.product.negative != parts.negative;
        if (parts.kind == exact::float_class::finite) state.product.multiply(parts.significand, parts.exponent);
    }
};

} // namespace steadfold::inline v0::reduce_detail
