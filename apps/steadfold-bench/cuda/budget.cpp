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
    {dtype::float64, family_pairs, "14 float64, 0 conversions, 44.8 in all"},
    {dtype::float64, family_squares, "14 float64, 0 conversions, 32.6 in all"},
    {dtype::float64, family_l1, "6 float64, 0 conversions, 17.2 in all"},
    {dtype::float64, family_sum, "6 float64, 0 conversions, 17.2 in all"},
    {dtype::float64, family_all, "22 float64, 0 conversions, 41.5 in all"},
    {dtype::float64, family_moments, "20 float64, 0 conversions, 35.4 in all"},
    {dtype::float32, family_pairs, "7 float64, 2 conversions, 21.8 in all"},
    {dtype::float32, family_squares, "7 float64, 2 conversions, 16.6 in all"},
    {dtype::float32, family_l1, "3 float64, 1 conversions, 10.6 in all"},
    {dtype::float32, family_sum, "3 float64, 1 conversions, 10.4 in all"},
    {dtype::float32, family_all, "11 float64, 1 conversions, 22.6 in all"},
    {dtype::float32, family_moments, "10 float64, 1 conversions, 19.1 in all"},
    {dtype::float16, family_pairs, "6 float64, 1 conversions, 17.5 in all"},
    {dtype::float16, family_squares, "6 float64, 1 conversions, 14.7 in all"},
    {dtype::float16, family_l1, "1 float64, 1 conversions, 5.8 in all"},
    {dtype::float16, family_sum, "1 float64, 1 conversions, 5.6 in all"},
    {dtype::float16, family_all, "8 float64, 2 conversions, 18.6 in all"},
    {dtype::float16, family_moments, "7 float64, 2 conversions, 14.9 in all"},
    {dtype::bfloat16, family_pairs, "7 float64, 2 conversions, 18.4 in all"},
    {dtype::bfloat16, family_squares, "7 float64, 2 conversions, 16.7 in all"},
    {dtype::bfloat16, family_l1, "1 float64, 1 conversions, 7.1 in all"},
    {dtype::bfloat16, family_sum, "1 float64, 1 conversions, 7.0 in all"},
    {dtype::bfloat16, family_all, "9 float64, 1 conversions, 19.0 in all"},
    {dtype::bfloat16, family_moments, "8 float64, 1 conversions, 15.3 in all"},
};

} // namespace

std::string budget_of(dtype type, operation_set operations) {
    unsigned const family = family_of(make_plan(type, operations, {}).features);
    for (counted const& kernel : kernels)
        if (kernel.type == type && kernel.family == family) return kernel.instructions;
    return {};
}

} // namespace steadfold::inline v0::app
