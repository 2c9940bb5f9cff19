// A workspace on a GPU: one launch a call, for several ranks three and a collective between them. What takes passes of
// its own (device_passes.hpp) leaves a state, and is rounded as the message of one rank is. Nothing is allocated or
// waited for after the constructor.
#include "base/cuda_device.hpp"
#include "base/cuda_handles.hpp"
#include "base/current_device.hpp"
#include "base/patience.hpp"
#include "base/relaxed_capture.hpp"
#include "reduce/combine.hpp"
#include "reduce/cuda/device_passes.hpp"
#include "reduce/cuda/launch.hpp"
#include "reduce/cuda/message_kernels.hpp"
#include "reduce/message.hpp"
#include "reduce/workspace_engine.hpp"
#include "steadfold/error.hpp"
#include "steadfold/segmented.hpp" // result_type
#include "steadfold/view.hpp"

#include <atomic>
#include <cuda_runtime_api.h>
#include <new>
#include <optional>
#include <string>

namespace steadfold::inline v0::reduce_detail {

namespace {

using namespace steadfold::detail;

/// False while it has not happened.
bool has_happened(cudaError_t query, int device) {
    if (query == cudaSuccess) return true;
    if (query != cudaErrorNotReady) check(query, "reducing on device " + std::to_string(device));
    static_cast<void>(cudaGetLastError());
    return false;
}

class cuda_workspace final : public workspace_engine {
  public:
    cuda_workspace(plan const& plan, reduce_options const& options, execution const& where, int most_ranks)
        : plan_{plan}, options_{options}, where_{where} {
        require_device(where.device);
        current_device const on{where.device};
        owned_stream const stream = make_stream();
        if (cuda::device_passes::are_needed(plan)) {
            passes_.emplace(plan, where, stream.get());
        } else {
            launcher_ = {plan, plan.features == 0 && plan.fast_features != 0, where};
        }
        allocate();
        if (most_ranks > 1 || passes_) allocate_message(most_ranks);
        clear(stream.get());
    }

    ~cuda_workspace() override {
        try {
            patience turns{where_.deadline};
            while (!done())
                if (!turns.wait()) break;
        } catch (error const&) { // the device failed; freeing cannot wait for it
        }
        if (!in_flight_) return;
        // The device still writes there. Leaked on purpose: freeing would wait without a deadline.
        if (passes_) passes_->leak();
        static_cast<void>(memory_.release());
        static_cast<void>(empty_.release());
        static_cast<void>(partials_.release());
        static_cast<void>(results_.release());
        static_cast<void>(state_.release());
        static_cast<void>(words_.release());
        static_cast<void>(disagreed_.release());
        static_cast<void>(written_.release());
    }

    void require_memory(void const* data, char const* argument) const override {
        memory_location const location = locate(data);
        if (location.kind == memory_kind::host)
            throw argument_error(std::string(argument) + " is host memory; a workspace of a GPU takes device, managed "
                                                         "or pinned memory");
        if (location.kind == memory_kind::device && location.device != where_.device)
            throw argument_error(std::string(argument) + " is memory of device " + std::to_string(location.device) +
                                 ", but the workspace is of device " + std::to_string(where_.device));
    }

    void require_stream(stream_ref stream, bool forbid_capture) const override {
        current_device const on{where_.device};
        if (captures_on(where_.device, stream, "the workspace") && forbid_capture)
            throw argument_error("a future cannot be captured into a graph; enqueue_reduce and enqueue_dot can");
    }

    void enqueue(workspace_input const& input, workspace_output const& output, stream_ref stream) override {
        current_device const on{where_.device};
        wait_for_start(stream);
        reduce(input, output, stream);
    }

    void enqueue(communicator const& ranks, workspace_input const& input, workspace_output const& output,
                 stream_ref stream) override {
        current_device const on{where_.device};
        wait_for_start(stream);
        put_message(ranks.rank(), ranks.size(), input, output, stream);
        ranks.enqueue_all_reduce_sum(words_.get(), static_cast<std::size_t>(message_words(ranks.size())), stream);
        cuda::enqueue_results(message_, stream.get());
        if (!is_capturing(stream.get())) mark_end(stream); // other ranks may never come, and then nothing may be freed
    }

    bool ranks_disagreed() const noexcept override {
        return disagreed_ && std::atomic_ref<std::uint32_t>{*disagreed_}.load(std::memory_order_relaxed) != 0;
    }

    void start(workspace_input const& input, bool keep_state, stream_ref stream) override {
        current_device const on{where_.device};
        wait_for_start(stream);
        if (keep_state) {
            leave_state(input, stream);
            elements_ = input.x.count;
            check(cudaMemcpyAsync(state_.get(), device_state(), sizeof(exact::reduction_state), cudaMemcpyDeviceToHost,
                                  stream.get()),
                  "copying the state of a reduction");
            check(cudaMemcpyAsync(device_state(), empty_.get(), sizeof(exact::reduction_state),
                                  cudaMemcpyDeviceToDevice, stream.get()),
                  "clearing the state of a reduction");
        } else {
            reduce(input, {results_.get(), nullptr}, stream);
        }
        mark_end(stream);
        started_ = true;
    }

    bool done() override {
        if (!in_flight_) return true;
        relaxed_capture const mode;
        in_flight_ = !has_happened(cudaEventQuery(written_.get()), where_.device);
        return !in_flight_;
    }

    reduction_results results() const override {
        reduction_results results;
        result_value const* next = results_.get();
        for (int i = 0; i < operation_count; ++i) {
            auto const op = static_cast<operation>(i);
            if (plan_.operations.contains(op)) results.set(op, *next++);
        }
        return results;
    }

    exact::reduction_state state() const override {
        exact::reduction_state state = *state_;
        state.elements = elements_;
        exact::normalise(state, plan_.type);
        return state;
    }

  private:
    /// Lets `stream` wait for a future that was dropped, perhaps on another stream.
    void wait_for_start(stream_ref stream) {
        if (!started_ || done()) return;
        if (is_capturing(stream.get()))
            throw argument_error("a future of this workspace was dropped and is still at work, and a graph cannot wait "
                                 "for it: wait for its stream before the capture");
        check(cudaStreamWaitEvent(stream.get(), written_.get(), 0), "waiting for an earlier reduction");
        started_ = false; // `stream` is behind it now
    }

    void mark_end(stream_ref stream) {
        check(cudaEventRecord(written_.get(), stream.get()), "marking the end of a reduction");
        in_flight_ = true;
    }

    void allocate() {
        if (!passes_) {
            memory_ = allocate_device<cuda::grid_memory>(1, "the state of a reduction");
            partials_ = allocate_device<cuda::block_partial>(static_cast<std::size_t>(launcher_.most_blocks()),
                                                             "partial results of blocks");
        }
        empty_ = allocate_device<exact::reduction_state>(1, "the state of a reduction");
        results_ = allocate_pinned<result_value>(operation_count, "results of a reduction");
        state_ = allocate_pinned<exact::reduction_state>(1, "the state of a reduction");
        written_ = make_event();
    }

    void allocate_message(int most_ranks) {
        cuda::load_message_kernels();
        words_ = allocate_device<std::int64_t>(static_cast<std::size_t>(message_words(most_ranks)),
                                               "messages between ranks");
        disagreed_ = allocate_pinned<std::uint32_t>(1, "what ranks say about each other");
        *disagreed_ = 0;
        message_.words = words_.get();
        message_.signature = signature(plan_, options_);
        message_.state = device_state();
        message_.empty = empty_.get();
        message_.finish = cuda::make_finish_request(plan_, options_, 0);
        message_.disagreed = disagreed_.get();
        dtype* next = message_.types;
        for (int i = 0; i < operation_count; ++i)
            if (auto const op = static_cast<operation>(i); plan_.operations.contains(op))
                *next++ = result_type(op, plan_.type, options_);
    }

    /// And waits for what the constructor put on the stream.
    void clear(cudaStream_t stream) {
        new (state_.get()) exact::reduction_state{};
        if (!passes_)
            check(cudaMemsetAsync(memory_.get(), 0, sizeof(cuda::grid_memory), stream),
                  "clearing the memory of a reduction");
        for (exact::reduction_state* state : {device_state(), empty_.get()})
            check(cudaMemcpyAsync(state, state_.get(), sizeof *state, cudaMemcpyHostToDevice, stream),
                  "clearing the state of a reduction");
        patience turns{where_.deadline};
        while (!has_happened(cudaStreamQuery(stream), where_.device))
            if (!turns.wait())
                throw timeout_error("device " + std::to_string(where_.device) + " did not clear a workspace in time");
    }

    [[nodiscard]] exact::reduction_state* device_state() const noexcept {
        return passes_ ? passes_->device_state() : &memory_.get()->state;
    }

    /// Of this process alone.
    void reduce(workspace_input const& input, workspace_output const& output, stream_ref stream) {
        if (passes_) {
            put_message(0, 1, input, output, stream);
            cuda::enqueue_results(message_, stream.get());
            return;
        }
        cuda::finish_request finish = cuda::make_finish_request(plan_, options_, input.x.count);
        finish.results = output.results;
        finish.value = output.value;
        launch(input, finish, stream);
    }

    /// Up to where the messages of all ranks are to be added.
    void put_message(int rank, int ranks, workspace_input const& input, workspace_output const& output,
                     stream_ref stream) {
        message_.rank = rank;
        message_.ranks = ranks;
        message_.elements = input.x.count;
        message_.finish.results = output.results;
        message_.finish.value = output.value;
        leave_state(input, stream);
        cuda::enqueue_encoding(message_, !passes_ && launcher_.overlaps(), stream.get());
    }

    void leave_state(workspace_input const& input, stream_ref stream) {
        if (!passes_) return launch(input, {}, stream);
        passes_->add_all(input.x, input.y, input.first_index, stream, [] {});
        passes_->gather_on_device(empty_.get(), stream);
    }

    /// Without a request to finish the state is left for later.
    void launch(workspace_input const& input, cuda::finish_request const& finish, stream_ref stream) const {
        cuda::pass_arguments arguments = launcher_.arguments_for(input.x, input.y, input.first_index);
        arguments.memory = memory_.get();
        arguments.partials = partials_.get();
        arguments.finish = finish;
        launcher_.launch(arguments, stream.get());
    }

    plan plan_;
    reduce_options options_;
    execution where_;
    std::optional<cuda::device_passes> passes_; // if the plan needs them, in place of the next three
    cuda::launcher launcher_;
    device_buffer<cuda::grid_memory> memory_;
    device_buffer<cuda::block_partial> partials_;
    device_buffer<exact::reduction_state> empty_; // what the state is set back to
    pinned_buffer<result_value> results_;
    pinned_buffer<exact::reduction_state> state_;
    device_buffer<std::int64_t> words_; // of messages; null for one rank without passes
    pinned_buffer<std::uint32_t> disagreed_;
    cuda::rank_message message_;
    owned_event written_; // by the last start() or message
    std::int64_t elements_ = 0;
    bool in_flight_ = false, started_ = false; // what written_ marks; by start()
};

} // namespace

std::unique_ptr<workspace_engine> make_cuda_workspace(plan const& plan, reduce_options const& options,
                                                      execution const& where, int most_ranks) {
    return std::make_unique<cuda_workspace>(plan, options, where, most_ranks);
}

} // namespace steadfold::inline v0::reduce_detail
