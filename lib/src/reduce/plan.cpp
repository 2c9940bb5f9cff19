#include "reduce/plan.hpp"

#include "steadfold/error.hpp"

#include <array>
#include <bit>
#include <string>

namespace steadfold::inline v0::reduce_detail {

namespace {
constexpr std::array families = {family_sum,     family_l1,  family_squares, family_moments,
                                 family_extrema, family_all, family_pairs};

constexpr operation_set not_for_complex = extrema | linf | product;
constexpr operation_set only_for_integers = bit_and | bit_or | bit_xor;

unsigned features_of(operation_set ops) noexcept {
    unsigned features = 0;
    if (ops.intersects(sum | mean | variance | stddev)) features |= feature_sum;
    if (ops.intersects(l1)) features |= feature_magnitudes;
    if (ops.intersects(sum_of_squares | l2 | variance | stddev)) features |= feature_products;
    if (ops.intersects(extrema | linf)) features |= feature_extrema;
    if (ops.intersects(zero_count | any | every | product)) features |= feature_zeros;
    if (ops.intersects(of_pairs)) features |= feature_products | feature_pairs;
    if (ops.contains(operation::weighted_mean)) features |= feature_sum; // of the weights
    if (ops.intersects(only_for_integers)) features |= feature_bits;
    if (ops.intersects(product)) features |= feature_factors;
    return features;
}

/// Numbers that someone made enumerators of.
void require_known(dtype type, operation_set operations, reduce_options const& options) {
    auto const is_known = [](dtype each) { return static_cast<int>(each) < dtype_count; };
    if (!is_known(type)) throw argument_error("there is no element type " + std::to_string(static_cast<int>(type)));
    if (options.result && !is_known(*options.result))
        throw argument_error("there is no result type " + std::to_string(static_cast<int>(*options.result)));
    if (operations.bits() >> operation_count != 0)
        throw argument_error("there are " + std::to_string(operation_count) + " operations; the set has others");
    if (options.mode != reduction_mode::exact && options.mode != reduction_mode::fast)
        throw argument_error("there is no mode " + std::to_string(static_cast<int>(options.mode)));
    if (options.nans != nan_policy::propagate && options.nans != nan_policy::ignore)
        throw argument_error("there is no NaN policy " + std::to_string(static_cast<int>(options.nans)));
}
} // namespace

plan make_plan(dtype type, operation_set operations, reduce_options const& options) {
    require_known(type, operations, options);
    std::string const type_name{name(type)};
    if (operations.empty()) throw argument_error("no operation given");
    if (is_complex(type) && operations.intersects(not_for_complex))
        throw argument_error("complex numbers have no order: min, max, argmin, argmax and linf, and prod, are not "
                             "available for " +
                             type_name);
    if (!is_integer(type) && operations.intersects(only_for_integers))
        throw argument_error("bitand, bitor and bitxor are defined for integers, not for " + type_name);
    if (operations.intersects(of_pairs) && std::popcount(operations.bits()) > 1)
        throw argument_error(to_string(operations) + ": dot and other operations of two arrays stand alone");
    if (operations.contains(operation::weighted_mean) && is_complex(type))
        throw argument_error("weighted means of " + type_name + " are not available");
    if (options.ddof != 0 && options.ddof != 1)
        throw argument_error("ddof is " + std::to_string(options.ddof) + "; it must be 0 or 1");
    if (options.missing && !is_integer(type))
        throw argument_error("a missing value can only be given for integers; mark missing " + type_name +
                             " elements with NaN and use nan_policy::ignore");
    if (options.result && is_complex(*options.result))
        throw argument_error("a complex result type cannot be asked for; give the type of its parts");
    if (options.result && is_complex(type) && operations.intersects(sum | mean | of_pairs) &&
        *options.result != dtype::float64 && *options.result != dtype::float32)
        throw argument_error("sums and means of " + type_name + " are complex64 or complex128: ask for float32 or " +
                             "float64, not " + std::string(name(*options.result)));
    if (options.missing && operations.intersects(of_pairs))
        throw argument_error(to_string(operations) + " does not take a missing value");
    // `fast` concerns only what rounds along the way; variances would cancel and stay exact. Sums of 16-bit types are
    // exact at the same cost.
    bool const may_wander = !is_integer(type) && size_bytes(component_type(type)) > 2;
    reduction_mode const mode = may_wander ? options.mode : reduction_mode::exact;
    operation_set wandering;
    if (mode == reduction_mode::fast)
        wandering = operations.intersection(sum | mean | sum_of_squares | l1 | l2 | operation_set{operation::dot} |
                                            operation_set{operation::dot_conjugated});
    unsigned const features = features_of(operations.without(wandering));
    return {type, operations, features, features_of(wandering), mode, options.missing};
}

unsigned family_of(unsigned features) noexcept {
    if (features & feature_pairs) return family_pairs;
    unsigned best = family_all;
    for (unsigned const family : families)
        if (!(family & feature_pairs) && (features & ~family) == 0 && std::popcount(family) < std::popcount(best))
            best = family;
    return best;
}

} // namespace steadfold::inline v0::reduce_detail
