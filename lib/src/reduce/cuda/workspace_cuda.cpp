// A workspace on a GPU: one launch a call, for several ranks three and a collective between them. Nothing is allocated
// or waited for after the constructor.
#include "base/cuda_device.hpp"
#include "base/cuda_handles.hpp"
#include "base/current_device.hpp"
#include "base/patience.hpp"
#include "reduce/combine.hpp"
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
#include <string>

namespace steadfold::inline v0::reduce_detail {

namespace {

using namespace steadfold::detail;

/// Lets this thread ask about events while another one captures a graph in the strictest mode.
class relaxed_capture {
  public:
    relaxed_capture() { check(cudaThreadExchangeStreamCaptureMode(&mode_), "changing the capture mode"); }
    ~relaxed_capture() { static_cast<void>(cudaThreadExchangeStreamCaptureMode(&mode_)); }
    relaxed_capture(relaxed_capture const&) = delete;
    relaxed_capture& operator=(relaxed_capture const&) = delete;

  private:
    cudaStreamCaptureMode mode_ = cudaStreamCaptureModeRelaxed;
};

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
        bool const fast = plan.features == 0 && plan.fast_features != 0;
        launcher_ = {cuda::find_kernel(component_type(plan.type), component_count(plan.type),
                                       family_of(fast ? plan.fast_features : plan.features), fast),
                     plan, where};
        allocate();
        if (most_ranks > 1) allocate_message(most_ranks);
        clear();
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
        cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
        check(cudaStreamIsCapturing(stream.get(), &status), "asking whether a stream captures");
        if (status != cudaStreamCaptureStatusNone) {
            if (forbid_capture)
                throw argument_error("a future cannot be captured into a graph; enqueue_reduce and enqueue_dot can");
            return; // a stream that captures cannot be asked for its device
        }
        int device = where_.device;
        if (stream) check(cudaStreamGetDevice(stream.get(), &device), "asking for the device of a stream");
        if (device != where_.device)
            throw argument_error("the stream is of device " + std::to_string(device) +
                                 ", but the workspace is of device " + std::to_string(where_.device));
    }

    void enqueue(workspace_input const& input, workspace_output const& output, stream_ref stream) override {
        current_device const on{where_.device};
        launch(input, output, stream);
    }

    void enqueue(communicator const& ranks, workspace_input const& input, workspace_output const& output,
                 stream_ref stream) override {
        current_device const on{where_.device};
        message_.rank = ranks.rank();
        message_.ranks = ranks.size();
        message_.elements = input.x.count;
        message_.finish.results = output.results;
        message_.finish.value = output.value;
        launch(input, {}, stream);
        cuda::enqueue_encoding(message_, launcher_.overlaps(), stream.get());
        ranks.enqueue_all_reduce_sum(words_.get(), static_cast<std::size_t>(message_words(ranks.size())), stream);
        cuda::enqueue_results(message_, stream.get());
    }

    bool ranks_disagreed() const noexcept override {
        return disagreed_ && std::atomic_ref<std::uint32_t>{*disagreed_}.load(std::memory_order_relaxed) != 0;
    }

    void start(workspace_input const& input, bool keep_state, stream_ref stream) override {
        current_device const on{where_.device};
        if (in_flight_) // of a future that was dropped, perhaps on another stream
            check(cudaStreamWaitEvent(stream.get(), written_.get(), 0), "waiting for an earlier reduction");
        if (keep_state) {
            launch(input, {}, stream);
            elements_ = input.x.count;
            check(cudaMemcpyAsync(state_.get(), &memory_.get()->state, sizeof(exact::reduction_state),
                                  cudaMemcpyDeviceToHost, stream.get()),
                  "copying the state of a reduction");
            check(cudaMemcpyAsync(&memory_.get()->state, empty_.get(), sizeof(exact::reduction_state),
                                  cudaMemcpyDeviceToDevice, stream.get()),
                  "clearing the state of a reduction");
        } else {
            launch(input, {results_.get(), nullptr}, stream);
        }
        check(cudaEventRecord(written_.get(), stream.get()), "marking the end of a reduction");
        in_flight_ = true;
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
    void allocate() {
        memory_ = allocate_device<cuda::grid_memory>(1, "the state of a reduction");
        empty_ = allocate_device<exact::reduction_state>(1, "the state of a reduction");
        partials_ = allocate_device<cuda::block_partial>(static_cast<std::size_t>(launcher_.most_blocks()),
                                                         "partial results of blocks");
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
        message_.state = &memory_.get()->state;
        message_.empty = empty_.get();
        message_.finish = cuda::make_finish_request(plan_, options_, 0);
        message_.disagreed = disagreed_.get();
        dtype* next = message_.types;
        for (int i = 0; i < operation_count; ++i)
            if (auto const op = static_cast<operation>(i); plan_.operations.contains(op))
                *next++ = result_type(op, plan_.type, options_);
    }

    void clear() {
        new (state_.get()) exact::reduction_state{};
        owned_stream const stream = make_stream();
        check(cudaMemsetAsync(memory_.get(), 0, sizeof(cuda::grid_memory), stream.get()),
              "clearing the memory of a reduction");
        for (exact::reduction_state* state : {&memory_.get()->state, empty_.get()})
            check(cudaMemcpyAsync(state, state_.get(), sizeof *state, cudaMemcpyHostToDevice, stream.get()),
                  "clearing the state of a reduction");
        patience turns{where_.deadline};
        while (!has_happened(cudaStreamQuery(stream.get()), where_.device))
            if (!turns.wait())
                throw timeout_error("device " + std::to_string(where_.device) + " did not clear a workspace in time");
    }

    /// Without an output the state is left for later.
    void launch(workspace_input const& input, workspace_output const& output, stream_ref stream) const {
        cuda::pass_arguments arguments =
            launcher_.arguments_for(input.x.data, input.y.data, input.x.count, input.first_index);
        arguments.memory = memory_.get();
        arguments.partials = partials_.get();
        if (output.results != nullptr || output.value != nullptr) {
            arguments.finish = cuda::make_finish_request(plan_, options_, input.x.count);
            arguments.finish.results = output.results;
            arguments.finish.value = output.value;
        }
        launcher_.launch(arguments, stream.get());
    }

    plan plan_;
    reduce_options options_;
    execution where_;
    cuda::launcher launcher_;
    device_buffer<cuda::grid_memory> memory_;
    device_buffer<exact::reduction_state> empty_; // what the state is set back to
    device_buffer<cuda::block_partial> partials_;
    pinned_buffer<result_value> results_;
    pinned_buffer<exact::reduction_state> state_;
    device_buffer<std::int64_t> words_; // of messages to other ranks; null for one rank
    pinned_buffer<std::uint32_t> disagreed_;
    cuda::rank_message message_;
    owned_event written_; // results_ or state_, by the last start()
    std::int64_t elements_ = 0;
    bool in_flight_ = false;
};

} // namespace

std::unique_ptr<workspace_engine> make_cuda_workspace(plan const& plan, reduce_options const& options,
                                                      execution const& where, int most_ranks) {
    return std::make_unique<cuda_workspace>(plan, options, where, most_ranks);
}

} // namespace steadfold::inline v0::reduce_detail
