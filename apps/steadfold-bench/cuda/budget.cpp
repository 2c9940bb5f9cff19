#include "budget.hpp"

#include "reduce/plan.hpp"

namespace steadfold::inline v0::app {

namespace {

using namespace reduce_detail;

struct counted {
    dtype type;
    unsigned family;
    char const* instructions;
};

// By scripts/instruction_budget.py, in the sm_90 code of nvcc 13.0.
constexpr counted kernels[] = {
    {dtype::float64, family_pairs, "14 float64, 0 conversions, 40.5 in all"},
    {dtype::float64, family_squares, "14 float64, 0 conversions, 27.2 in all"},
    {dtype::float64, family_l1, "6 float64, 0 conversions, 18.0 in all"},
    {dtype::float64, family_sum, "6 float64, 0 conversions, 18.0 in all"},
    {dtype::float64, family_all, "22 float64, 0 conversions, 42.1 in all"},
    {dtype::float64, family_moments, "20 float64, 0 conversions, 36.1 in all"},
    {dtype::float32, family_pairs, "7 float64, 2 conversions, 21.8 in all"},
    {dtype::float32, family_squares, "7 float64, 1 conversions, 15.1 in all"},
    {dtype::float32, family_l1, "3 float64, 1 conversions, 10.9 in all"},
    {dtype::float32, family_sum, "3 float64, 1 conversions, 10.7 in all"},
    {dtype::float32, family_all, "11 float64, 1 conversions, 22.9 in all"},
    {dtype::float32, family_moments, "10 float64, 1 conversions, 19.4 in all"},
    {dtype::float16, family_pairs, "6 float64, 1 conversions, 17.4 in all"},
    {dtype::float16, family_squares, "6 float64, 1 conversions, 13.0 in all"},
    {dtype::float16, family_l1, "1 float64, 1 conversions, 5.8 in all"},
    {dtype::float16, family_sum, "1 float64, 1 conversions, 5.7 in all"},
    {dtype::float16, family_all, "8 float64, 2 conversions, 18.8 in all"},
    {dtype::float16, family_moments, "7 float64, 2 conversions, 15.0 in all"},
    {dtype::bfloat16, family_pairs, "7 float64, 2 conversions, 18.5 in all"},
    {dtype::bfloat16, family_squares, "7 float64, 1 conversions, 13.8 in all"},
    {dtype::bfloat16, family_l1, "1 float64, 1 conversions, 7.4 in all"},
    {dtype::bfloat16, family_sum, "1 float64, 1 conversions, 7.3 in all"},
    {dtype::bfloat16, family_all, "9 float64, 1 conversions, 19.2 in all"},
    {dtype::bfloat16, family_moments, "8 float64, 1 conversions, 15.6 in all"},
};

} // namespace

std::string budget_of(dtype type, operation_set operations) {
    unsigned const family = family_of(make_plan(type, operations, {}).features);
    for (counted const& kernel : kernels)
        if (kernel.type == type && kernel.family == family) return kernel.instructions;
    return {};
}

} // namespace steadfold::inline v0::app
