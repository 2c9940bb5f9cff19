#include "device_call.hpp"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <utility>

namespace steadfold::inline v0::app {

namespace {

struct graph_destroy {
    void operator()(cudaGraph_t g) const noexcept { static_cast<void>(cudaGraphDestroy(g)); }
};
struct graph_exec_destroy {
    void operator()(cudaGraphExec_t g) const noexcept { static_cast<void>(cudaGraphExecDestroy(g)); }
};
using owned_graph = std::unique_ptr<std::remove_pointer_t<cudaGraph_t>, graph_destroy>;
using owned_graph_exec = std::unique_ptr<std::remove_pointer_t<cudaGraphExec_t>, graph_exec_destroy>;

detail::owned_event timing_event() {
    cudaEvent_t event = nullptr;
    detail::check(cudaEventCreate(&event), "creating an event");
    return detail::owned_event{event};
}

owned_graph captured(device_call const& what, int calls, cudaStream_t stream) {
    detail::check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal),
                  "beginning to capture " + what.name);
    cudaGraph_t graph = nullptr;
    try {
        for (int i = 0; i < calls; ++i) what.enqueue(stream);
    } catch (...) { // the stream is of use to nobody while it captures
        static_cast<void>(cudaStreamEndCapture(stream, &graph));
        owned_graph const broken{graph};
        throw;
    }
    detail::check(cudaStreamEndCapture(stream, &graph), "capturing " + what.name);
    owned_graph result{graph};
    std::size_t nodes = 0; // a call that went to another stream would be missing, and the rest be very fast
    detail::check(cudaGraphGetNodes(graph, nullptr, &nodes), "counting what was captured");
    if (nodes < static_cast<std::size_t>(calls))
        throw library_error(what.name + ": of " + std::to_string(calls) + " calls only " + std::to_string(nodes) +
                            " kernels were captured");
    return result;
}

/// `calls` calls that are started together.
class repeated_call {
  public:
    repeated_call(device_call what, int calls, cudaStream_t stream)
        : what_{std::move(what)}, stream_{stream}, before_{timing_event()}, after_{timing_event()} {
        run_once(); // loads kernels and makes what is made lazily: neither belongs into a capture
        once_ = seconds([this] { what_.enqueue(stream_); });
        calls_ = calls > 0 ? calls : std::clamp(static_cast<int>(0.01 / std::max(once_, 1e-7)), 20, 200);
        if (!what_.capturable) return;
        owned_graph const graph = captured(what_, calls_, stream_);
        cudaGraphExec_t exec = nullptr;
        detail::check(cudaGraphInstantiate(&exec, graph.get(), 0), "instantiating the graph of " + what_.name);
        graph_.reset(exec);
        detail::check(cudaGraphUpload(graph_.get(), stream_), "uploading the graph of " + what_.name);
    }

    [[nodiscard]] int calls() const { return calls_; }

    /// Seconds of one call.
    [[nodiscard]] double sample() const {
        // While the device is busy with something untimed, the host gets ahead: no gap at the start is measured.
        if (once_ * calls_ < 0.002)
            start();
        else
            what_.enqueue(stream_);
        return seconds([this] { start(); }) / calls_;
    }

    void verify() const {
        what_.fetch(stream_); // what was enqueued while time was taken may have added up
        if (graph_)
            start();
        else
            what_.enqueue(stream_);
        what_.fetch(stream_);
        what_.check();
    }

  private:
    void start() const {
        if (graph_)
            detail::check(cudaGraphLaunch(graph_.get(), stream_), "launching the graph of " + what_.name);
        else
            for (int i = 0; i < calls_; ++i) what_.enqueue(stream_);
    }

    void run_once() const {
        what_.enqueue(stream_);
        what_.fetch(stream_);
    }

    template <class Work>
    double seconds(Work const& work) const {
        detail::check(cudaEventRecord(before_.get(), stream_), "recording an event");
        work();
        detail::check(cudaEventRecord(after_.get(), stream_), "recording an event");
        detail::check(cudaEventSynchronize(after_.get()), "waiting for " + what_.name);
        float milliseconds = 0;
        detail::check(cudaEventElapsedTime(&milliseconds, before_.get(), after_.get()), "taking the time");
        return 1e-3 * milliseconds;
    }

    device_call what_;
    cudaStream_t stream_;
    detail::owned_event before_, after_;
    double once_ = 0;
    int calls_ = 1;
    owned_graph_exec graph_;
};

} // namespace

implementation device_time(device_call const& what, int calls, cudaStream_t stream) {
    auto const work = std::make_shared<repeated_call const>(what, calls, stream);
    implementation result;
    result.name = what.name;
    result.peer = what.peer;
    result.bytes = what.bytes;
    result.verify = [work] { work->verify(); };
    result.timed = [work] { return work->sample(); };
    result.timed_calls = work->calls();
    if (!what.capturable) result.timing = "device-stream";
    result.budget = what.budget;
    return result;
}

implementation host_to_host(device_call const& what, cudaStream_t stream) {
    implementation result;
    result.name = what.name;
    result.peer = what.peer;
    result.bytes = what.bytes;
    result.call = [what, stream] {
        what.enqueue(stream);
        what.fetch(stream);
    };
    result.verify = [what, stream] {
        what.fetch(stream);
        what.enqueue(stream);
        what.fetch(stream);
        what.check();
    };
    result.budget = what.budget;
    return result;
}

} // namespace steadfold::inline v0::app
