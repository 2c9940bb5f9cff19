// The CUDA back end: one stream on one device. Host data comes through two staging buffers, gathered first if it is
// strided; made elements come through a small one.
#include "base/cuda_device.hpp"
#include "base/cuda_handles.hpp"
#include "base/current_device.hpp"
#include "base/patience.hpp"
#include "reduce/backend.hpp"
#include "reduce/cuda/device_passes.hpp"
#include "reduce/cuda/gathering_copies.hpp"
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
        gathered_.leak();
        passes_->leak();
        static_cast<void>(caller_ready_.release());
        static_cast<void>(read_.release());
        static_cast<void>(copy_stream_.release());
        static_cast<void>(stream_.release());
    }

    void add(array_view x, std::int64_t first_index, stream_ref stream) override {
        add_any(x, {}, first_index, stream);
    }

    void add_pairs(array_view x, array_view y, stream_ref stream) override { add_any(x, y, 0, stream); }

    void add_device_source(detail::device_source source, std::int64_t count, std::int64_t first_index,
                           stream_ref stream) override {
        if (count == 0) return;
        current_device const on{where_.device};
        wait_for_caller(stream_.get(), stream);
        std::int64_t const most = passes_->made_elements();
        for (std::int64_t done = 0; done < count; done += most) {
            std::int64_t const part = std::min(most, count - done);
            source.enqueue(source.context, done, part, passes_->made(), stream_.get());
            launch_all({passes_->made(), part, plan_.type}, {}, first_index + done);
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
    struct input {
        array_view elements; // null: there is no such array
        bool on_host = false;
    };
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

    void add_any(array_view x, array_view y, std::int64_t first_index, stream_ref stream) {
        current_device const on{where_.device};
        require_stream(where_.device, stream, "the reduction");
        input const first{x, lies_on_host(x.data, "the array")};
        input const second{y, y.data == nullptr ? first.on_host : lies_on_host(y.data, "the second array")};
        bool const staged = first.on_host || second.on_host, all_on_host = first.on_host && second.on_host;
        if (!all_on_host) wait_for_caller(staged ? copy_stream_.get() : stream_.get(), stream);
        if (staged)
            stage(first, second, first_index);
        else
            launch_all(x, y, first_index);
        if (!all_on_host) let_caller_wait(stream);
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
    void stage(input const& x, input const& y, std::int64_t first_index) {
        std::int64_t const count = x.elements.count;
        std::int64_t const per_copy =
            static_cast<std::int64_t>(staging_bytes) / static_cast<std::int64_t>(size_bytes(plan_.type));
        bool const pairs = y.elements.data != nullptr;
        for (std::int64_t done = 0; done < count; done += per_copy) {
            staging& slot = next_slot(pairs);
            std::int64_t const part = std::min(per_copy, count - done);
            check(cudaStreamWaitEvent(copy_stream_.get(), slot.reduced.get(), 0), "waiting for a staging buffer");
            array_view const first = brought(x, done, part, slot.memory[0].get());
            array_view const second = pairs ? brought(y, done, part, slot.memory[1].get()) : array_view{};
            check(cudaEventRecord(slot.copied.get(), copy_stream_.get()), "marking a copy");
            check(cudaStreamWaitEvent(stream_.get(), slot.copied.get(), 0), "waiting for a copy");
            launch_all(first, second, first_index + done);
            check(cudaEventRecord(slot.reduced.get(), stream_.get()), "marking a reduction");
        }
    }

    /// A part of an array where the device can read it: copied to `room`, unless it is strided and on the device.
    [[nodiscard]] array_view brought(input const& from, std::int64_t first, std::int64_t count, std::byte* room) {
        array_view const part = part_of(from.elements, first, count);
        if (!part.contiguous() && !from.on_host) return part;
        if (from.elements.contiguous() || !from.on_host) // of strided data, one element is to be read now, too
            check(cudaMemcpyAsync(room, part.data, static_cast<std::size_t>(count) * size_bytes(part.type),
                                  cudaMemcpyDefault, copy_stream_.get()),
                  "copying data to the device");
        else
            gathered_.enqueue(part, room, copy_stream_.get(),
                              [this](cudaEvent_t event) { wait_until([event] { return cudaEventQuery(event); }); });
        return {room, count, part.type};
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

    void launch_all(array_view x, array_view y, std::int64_t first_index) {
        passes_->add_all(x, y, first_index, stream_.get(), [this] {
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
    cuda::gathering_copies gathered_;
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
