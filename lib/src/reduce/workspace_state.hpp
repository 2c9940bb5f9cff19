// What a workspace and the futures made with it share.
#pragma once

#include "communicate/turns.hpp"
#include "reduce/plan.hpp"
#include "reduce/workspace_engine.hpp"
#include "steadfold/operations.hpp"
#include "steadfold/options.hpp"
#include "steadfold/results.hpp"

#include <exception>
#include <memory>

namespace steadfold::inline v0::detail {

class workspace_state final : public turn {
  public:
    workspace_state(dtype type, operation_set operations, reduce_options const& options, execution const& where,
                    int most_ranks);

    bool can_be_taken() override { return engine->done(); }
    void take(communicator const& ranks) noexcept override;
    void fail(std::exception_ptr error) noexcept override;

    reduce_options options; // with the mode that is really computed
    execution where;
    int most_ranks; // whose messages there is room for
    reduce_detail::plan plan;
    std::unique_ptr<reduce_detail::workspace_engine> engine;

    /// What the workspace's future waits for.
    enum class stage {
        idle,
        started,  // the device is, or was, at work
        finished, // results or a failure are there
    };
    stage at = stage::idle;
    bool dropped = false; // the future is gone, but other ranks count on this one
    reduction_results results;
    std::exception_ptr failure;

    [[nodiscard]] bool takes_pairs() const noexcept { return plan.operations.intersects(of_pairs); }

  private:
    void end_turn() noexcept;
};

} // namespace steadfold::inline v0::detail
