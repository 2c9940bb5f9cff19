// The CUDA back end: one stream on one device. Host data comes through two staging buffers, made elements through a
// small one.
#include "base/cuda_device.hpp"
#include "base/cuda_handles.hpp"
#include "base/current_device.hpp"
#include "base/patience.hpp"
#include "reduce/backend.hpp"
#include "reduce/cuda/device_passes.hpp"
#include "steadfold/error.hpp"
#include "steadfold/view.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cuda_runtime_api.h>
#include <optional>
#include <string>

namespace steadfold::inline v0::reduce_detail {

namespace {

using namespace steadfold::detail;

constexpr std::size_t staging_bytes = std::size_t{32} << 20;

class cuda_backend final : public backend {
  public:
    cuda_backend(plan const& plan, execution const& where) : plan_{plan}, where_{where} {
        require_device(where.device);
        current_device const on{where.device};
        stream_ = make_stream();
        copy_stream_ = make_stream();
        caller_ready_ = make_event();
        read_ = make_event();
        passes_.emplace(plan, where, stream_.get());
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
        passes_->leak();
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

    void add_device_source(detail::device_source source, std::int64_t count, std::int64_t first_index,
                           stream_ref stream) override {
        if (count == 0) return;
        current_device const on{where_.device};
        wait_for_caller(stream_.get(), stream);
        std::int64_t const most = passes_->made_elements();
        for (std::int64_t done = 0; done < count; done += most) {
            std::int64_t const part = std::min(most, count - done);
            source.enqueue(source.context, done, part, passes_->made(), stream_.get());
            launch_all(passes_->made(), nullptr, part, first_index + done);
        }
        let_caller_wait(stream);
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

    /// Brings the device's state into total_ and starts it anew; after a missed deadline it can be tried again.
    void flush() {
        passes_->read(stream_.get());
        wait();
        exact::reduction_state state = passes_->state();
        exact::merge(total_, state, plan_.type);
        passes_->clear(stream_.get());
    }

    void add_any(void const* x, void const* y, std::int64_t count, std::int64_t first_index, stream_ref stream) {
        current_device const on{where_.device};
        bool const x_on_host = lies_on_host(x, "the array");
        bool const y_on_host = y == nullptr ? x_on_host : lies_on_host(y, "the second array");
        bool const staged = x_on_host || y_on_host;
        if (!x_on_host || !y_on_host) wait_for_caller(staged ? copy_stream_.get() : stream_.get(), stream);
        if (staged)
            stage(x, y, count, first_index);
        else
            launch_all(x, y, count, first_index);
        if (!x_on_host || !y_on_host) let_caller_wait(stream);
    }

    void wait_for_caller(cudaStream_t mine, stream_ref theirs) {
        check(cudaEventRecord(caller_ready_.get(), theirs.get()), "marking the caller's stream");
        check(cudaStreamWaitEvent(mine, caller_ready_.get(), 0), "waiting for the caller's stream");
    }

    /// What the caller puts on the stream next may overwrite the data.
    void let_caller_wait(stream_ref theirs) {
        check(cudaEventRecord(read_.get(), stream_.get()), "marking the end of a reduction");
        check(cudaStreamWaitEvent(theirs.get(), read_.get(), 0), "letting the caller's stream wait");
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
        passes_->add_all(x, y, count, first_index, stream_.get(), [this] {
            if (passes_->is_full()) flush();
        });
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
    std::optional<cuda::device_passes> passes_;
    owned_event caller_ready_, read_;
    std::array<staging, 2> slots_;
    std::size_t next_slot_ = 0;
    exact::reduction_state total_;
    bool abandoned_ = false;
    owned_stream copy_stream_, stream_;
};

} // namespace

std::unique_ptr<backend> make_cuda_backend(plan const& plan, execution const& where) {
    return std::make_unique<cuda_backend>(plan, where);
}

} // namespace steadfold::inline v0::reduce_detail
