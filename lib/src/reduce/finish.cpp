#include "reduce/finish.hpp"

#include "base/floating_environment.hpp"
#include "reduce/evaluate.hpp"
#include "reduce/weighted_mean.hpp"

#include <type_traits>

namespace steadfold::inline v0::reduce_detail {

// They travel to kernels and back.
static_assert(std::is_trivially_copyable_v<finish_options> && std::is_trivially_copyable_v<state_view>);
static_assert(std::is_trivially_copyable_v<result_value> && sizeof(result_value) == 32);

finish_options make_finish_options(plan const& plan, reduce_options const& options) noexcept {
    return {plan.type,
            plan.mode,
            options.nans == nan_policy::ignore || plan.missing.has_value(),
            options.ddof,
            options.result.has_value(),
            options.result.value_or(dtype::float64)};
}

reduction_results finish(exact::reduction_state const& state, plan const& plan, reduce_options const& options) {
    base::default_floating_environment const environment; // `fast` mode adds the parts of complex sums here
    finish_options const how = make_finish_options(plan, options);
    state_view const view = view_of(state, plan.type);
    evaluation_scratch scratch;
    exact::ratio_scratch of_ratio;
    reduction_results results;
    for (int i = 0; i < operation_count; ++i) {
        auto const op = static_cast<operation>(i);
        if (!plan.operations.contains(op)) continue;
        results.set(op, op == operation::weighted_mean ? weighted_mean(view, how, of_ratio)
                                                       : evaluate(op, view, how, scratch));
    }
    return results;
}

} // namespace steadfold::inline v0::reduce_detail
