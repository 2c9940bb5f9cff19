// The CUDA back end: one stream and one state on one device; host data comes through two staging buffers.
#include "base/cuda_device.hpp"
#include "base/cuda_handles.hpp"
#include "base/current_device.hpp"
#include "base/patience.hpp"
#include "reduce/backend.hpp"
#include "reduce/cuda/launch.hpp"
#include "steadfold/error.hpp"
#include "steadfold/view.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cuda_runtime_api.h>
#include <new>
#include <string>

namespace steadfold::inline v0::reduce_detail {

namespace {

using namespace steadfold::detail;

constexpr std::size_t staging_bytes = std::size_t{32} << 20;
// A launch adds less than 2^33 for every block to a limb.
constexpr std::int64_t blocks_before_take = std::int64_t{1} << 28;

class cuda_backend final : public backend {
  public:
    cuda_backend(plan const& plan, execution const& where) : plan_{plan}, where_{where} {
        require_device(where.device);
        current_device const on{where.device};
        if (plan.features != 0 || plan.fast_features == 0) exact_ = make_launcher(false);
        if (plan.fast_features != 0) fast_ = make_launcher(true);
        allocate();
        reset();
    }

    ~cuda_backend() override {
        // Kernels may still use the buffers. After a missed deadline they are leaked on purpose: freeing would wait.
        if (!abandoned_) {
            try {
                wait();
                return;
            } catch (error const&) { // the device failed or hangs; the caller saw or will see why
            }
        }
        for (staging& slot : slots_) {
            for (auto& memory : slot.memory) static_cast<void>(memory.release());
            static_cast<void>(slot.copied.release());
            static_cast<void>(slot.reduced.release());
        }
        static_cast<void>(memory_.release());
        static_cast<void>(partials_.release());
        static_cast<void>(host_state_.release());
        static_cast<void>(caller_ready_.release());
        static_cast<void>(read_.release());
        static_cast<void>(copy_stream_.release());
        static_cast<void>(stream_.release());
    }

    void add(array_view x, std::int64_t first_index, stream_ref stream) override {
        add_any(x.data, nullptr, x.count, first_index, stream);
    }

    void add_pairs(array_view x, array_view y, stream_ref stream) override {
        add_any(x.data, y.data, x.count, 0, stream);
    }

    void wait() override {
        wait_until([this] { return cudaStreamQuery(copy_stream_.get()); });
        wait_until([this] { return cudaStreamQuery(stream_.get()); });
        abandoned_ = false;
    }

    exact::reduction_state take() override {
        current_device const on{where_.device};
        flush();
        exact::reduction_state state = total_;
        total_ = {};
        return state;
    }

  private:
    struct staging {
        device_buffer<std::byte> memory[2]; // second one for pairs
        owned_event copied, reduced;
    };

    [[nodiscard]] cuda::launcher make_launcher(bool fast) const {
        unsigned const family = family_of(fast ? plan_.fast_features : plan_.features);
        int const components = component_count(plan_.type);
        return {cuda::find_kernel(component_type(plan_.type), components, family, fast), plan_, where_};
    }

    void allocate() {
        int const blocks = std::max(exact_.most_blocks(), fast_.most_blocks());
        memory_ = allocate_device<cuda::grid_memory>(1, "the state of a reduction");
        partials_ = allocate_device<cuda::block_partial>(static_cast<std::size_t>(blocks), "partial results of blocks");
        host_state_ = allocate_pinned<exact::reduction_state>(2, "the state of a reduction");
        new (host_state_.get() + 1) exact::reduction_state{}; // what an empty state looks like
        stream_ = make_stream();
        copy_stream_ = make_stream();
        caller_ready_ = make_event();
        read_ = make_event();
        check(cudaMemsetAsync(memory_.get(), 0, sizeof(cuda::grid_memory), stream_.get()),
              "clearing the memory of a reduction");
    }

    void reset() {
        check(cudaMemcpyAsync(&memory_.get()->state, host_state_.get() + 1, sizeof(exact::reduction_state),
                              cudaMemcpyHostToDevice, stream_.get()),
              "clearing the state of a reduction");
        launched_blocks_ = 0;
        elements_ = 0;
    }

    /// Brings the device's state into total_ and starts it anew; after a missed deadline it can be tried again.
    void flush() {
        check(cudaMemcpyAsync(host_state_.get(), &memory_.get()->state, sizeof(exact::reduction_state),
                              cudaMemcpyDeviceToHost, stream_.get()),
              "reading the state of a reduction");
        wait();
        exact::reduction_state& state = *host_state_;
        state.elements = elements_;
        exact::merge(total_, state, plan_.type);
        reset();
    }

    void add_any(void const* x, void const* y, std::int64_t count, std::int64_t first_index, stream_ref stream) {
        current_device const on{where_.device};
        bool const x_on_host = lies_on_host(x, "the array");
        bool const y_on_host = y == nullptr ? x_on_host : lies_on_host(y, "the second array");
        bool const staged = x_on_host || y_on_host;
        if (!x_on_host || !y_on_host) {
            check(cudaEventRecord(caller_ready_.get(), stream.get()), "marking the caller's stream");
            check(cudaStreamWaitEvent(staged ? copy_stream_.get() : stream_.get(), caller_ready_.get(), 0),
                  "waiting for the caller's stream");
        }
        if (staged)
            stage(x, y, count, first_index);
        else
            launch_all(x, y, count, first_index);
        if (!x_on_host || !y_on_host) { // what the caller puts on the stream next may overwrite the data
            check(cudaEventRecord(read_.get(), stream_.get()), "marking the end of a reduction");
            check(cudaStreamWaitEvent(stream.get(), read_.get(), 0), "letting the caller's stream wait");
        }
    }

    [[nodiscard]] bool lies_on_host(void const* data, std::string const& argument) const {
        memory_location const location = locate(data);
        if (location.kind == memory_kind::device && location.device != where_.device)
            throw argument_error(argument + " is memory of device " + std::to_string(location.device) +
                                 ", but the reduction runs on device " + std::to_string(where_.device));
        return location.kind == memory_kind::host || location.kind == memory_kind::pinned;
    }

    /// At least one of the arrays is host memory; of a pair the other may lie on the device.
    void stage(void const* x, void const* y, std::int64_t count, std::int64_t first_index) {
        auto const element_bytes = static_cast<std::int64_t>(size_bytes(plan_.type));
        std::int64_t const per_copy = static_cast<std::int64_t>(staging_bytes) / element_bytes;
        for (std::int64_t done = 0; done < count; done += per_copy) {
            staging& slot = next_slot(y != nullptr);
            std::int64_t const part = std::min(per_copy, count - done);
            check(cudaStreamWaitEvent(copy_stream_.get(), slot.reduced.get(), 0), "waiting for a staging buffer");
            void const* from[2] = {x, y};
            for (int i = 0; i < (y != nullptr ? 2 : 1); ++i)
                check(cudaMemcpyAsync(
                          slot.memory[i].get(), static_cast<std::byte const*>(from[i]) + done * element_bytes,
                          static_cast<std::size_t>(part * element_bytes), cudaMemcpyDefault, copy_stream_.get()),
                      "copying data to the device");
            check(cudaEventRecord(slot.copied.get(), copy_stream_.get()), "marking a copy");
            check(cudaStreamWaitEvent(stream_.get(), slot.copied.get(), 0), "waiting for a copy");
            launch_all(slot.memory[0].get(), slot.memory[1].get(), part, first_index + done);
            check(cudaEventRecord(slot.reduced.get(), stream_.get()), "marking a reduction");
        }
    }

    /// The other of the two staging buffers, so that copying and reducing overlap.
    staging& next_slot(bool pairs) {
        staging& slot = slots_[next_slot_];
        next_slot_ ^= 1;
        for (int i = 0; i < (pairs ? 2 : 1); ++i)
            if (!slot.memory[i]) slot.memory[i] = allocate_device<std::byte>(staging_bytes, "a staging buffer");
        if (!slot.copied) slot.copied = make_event();
        if (!slot.reduced) slot.reduced = make_event();
        return slot;
    }

    void launch_all(void const* x, void const* y, std::int64_t count, std::int64_t first_index) {
        if (exact_) launch(exact_, x, y, count, first_index, true);
        if (fast_) launch(fast_, x, y, count, first_index, !exact_);
        elements_ += count;
    }

    void launch(cuda::launcher const& with, void const* x, void const* y, std::int64_t count, std::int64_t first_index,
                bool counts_specials) {
        cuda::pass_arguments arguments = with.arguments_for(x, y, count, first_index);
        arguments.counts_specials = counts_specials;
        arguments.memory = memory_.get();
        arguments.partials = partials_.get();
        int const blocks = with.blocks_for(arguments);
        if (launched_blocks_ + blocks > blocks_before_take) flush();
        launched_blocks_ += blocks;
        with.launch(arguments, stream_.get());
    }

    template <class Query>
    void wait_until(Query const& query) {
        patience turns{where_.deadline};
        for (;;) {
            cudaError_t const state = query();
            if (state == cudaSuccess) return;
            if (state != cudaErrorNotReady) check(state, "reducing on device " + std::to_string(where_.device));
            static_cast<void>(cudaGetLastError());
            if (turns.wait()) continue;
            abandoned_ = true;
            throw timeout_error(
                "device " + std::to_string(where_.device) + " did not finish a reduction within " +
                std::to_string(std::chrono::duration_cast<std::chrono::milliseconds>(where_.deadline).count()) +
                " ms; raise execution::deadline if the work needs longer");
        }
    }

    plan plan_;
    execution where_;
    cuda::launcher exact_, fast_;
    device_buffer<cuda::grid_memory> memory_;
    device_buffer<cuda::block_partial> partials_;
    pinned_buffer<exact::reduction_state> host_state_;
    owned_event caller_ready_, read_;
    std::array<staging, 2> slots_;
    std::size_t next_slot_ = 0;
    std::int64_t launched_blocks_ = 0, elements_ = 0;
    exact::reduction_state total_;
    bool abandoned_ = false;
    owned_stream copy_stream_, stream_;
};

} // namespace

std::unique_ptr<backend> make_cuda_backend(plan const& plan, execution const& where) {
    return std::make_unique<cuda_backend>(plan, where);
}

} // namespace steadfold::inline v0::reduce_detail
