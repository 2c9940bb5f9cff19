// A workspace on the host: everything has happened when a call returns.
#include "reduce/backend.hpp"
#include "reduce/finish.hpp"
#include "reduce/workspace_engine.hpp"
#include "steadfold/error.hpp"
#include "steadfold/view.hpp"

#include <cstring>
#include <string>

namespace steadfold::inline v0::reduce_detail {

namespace {

/// The value's own bytes; bits are kept in the low ones.
void write_value(result_value const& result, void* value) {
    std::size_t const bytes = size_bytes(component_type(result.type));
    for (int c = 0; c < component_count(result.type); ++c)
        std::memcpy(static_cast<std::byte*>(value) + static_cast<std::size_t>(c) * bytes,
                    &result.bits[static_cast<std::size_t>(c)], bytes);
}

class host_workspace final : public workspace_engine {
  public:
    host_workspace(plan const& plan, reduce_options const& options, execution const& where)
        : plan_{plan}, options_{options}, back_end_{make_host_backend(plan, where)} {}

    void require_memory(void const* data, char const* argument) const override {
        if (locate(data).kind == memory_kind::device)
            throw argument_error(std::string(argument) +
                                 " is device memory; make the workspace with execution{.kind = processor_kind::cuda}");
    }

    void require_stream(stream_ref, bool) const override {}

    void enqueue(workspace_input const& input, workspace_output const& output, stream_ref) override {
        reduction_results const results = finish(reduced(input), plan_, options_);
        result_value* next = output.results;
        for (int i = 0; i < operation_count; ++i) {
            auto const op = static_cast<operation>(i);
            if (!plan_.operations.contains(op)) continue;
            if (output.value != nullptr) write_value(results[op], output.value);
            if (output.results != nullptr) *next++ = results[op];
        }
    }

    void enqueue(communicator const& ranks, workspace_input const&, workspace_output const&, stream_ref) override {
        throw argument_error("a workspace on the host enqueues nothing for " + std::to_string(ranks.size()) +
                             " ranks; reduce_async and dot_async add up ranks");
    }
    bool ranks_disagreed() const noexcept override { return false; }

    void start(workspace_input const& input, bool, stream_ref) override { state_ = reduced(input); }
    bool done() override { return true; }
    reduction_results results() const override { return finish(state_, plan_, options_); }
    exact::reduction_state state() const override { return state_; }

  private:
    exact::reduction_state reduced(workspace_input const& input) {
        if (plan_.operations.intersects(of_pairs))
            back_end_->add_pairs(input.x, input.y, {});
        else
            back_end_->add(input.x, input.first_index, {});
        return back_end_->take();
    }

    plan plan_;
    reduce_options options_;
    std::unique_ptr<backend> back_end_;
    exact::reduction_state state_;
};

} // namespace

std::unique_ptr<workspace_engine> make_host_workspace(plan const& plan, reduce_options const& options,
                                                      execution const& where) {
    return std::make_unique<host_workspace>(plan, options, where);
}

} // namespace steadfold::inline v0::reduce_detail
