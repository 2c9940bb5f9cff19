#include "steadfold/pairs.hpp"

namespace steadfold {
inline namespace v0 {

namespace {
result_value of_two(operation op, communicator const& ranks, array_view x, array_view y,
                    reduce_options const& options) {
    reduction once{x.type, op, options, where_they_lie({x, y})};
    once.add_products(x, y);
    return once.finish(ranks)[op];
}
} // namespace

result_value dot_conjugated(communicator const& ranks, array_view x, array_view y, reduce_options const& options) {
    return of_two(operation::dot_conjugated, ranks, x, y, options);
}

result_value weighted_mean(communicator const& ranks, array_view w, array_view x, reduce_options const& options) {
    return of_two(operation::weighted_mean, ranks, w, x, options);
}

} // namespace v0
} // namespace steadfold
