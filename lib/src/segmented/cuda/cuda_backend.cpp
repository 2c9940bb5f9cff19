// The CUDA back end: one launch a call. Memory grows with the largest call, or is made by reserve().
#include "base/cuda_device.hpp"
#include "base/cuda_handles.hpp"
#include "base/current_device.hpp"
#include "base/patience.hpp"
#include "reduce/cuda/launch.hpp"
#include "segmented/arguments.hpp"
#include "segmented/backend.hpp"
#include "segmented/cuda/growing_memory.hpp"
#include "segmented/cuda/work_plan.hpp"
#include "steadfold/error.hpp"
#include "steadfold/view.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cuda_runtime_api.h>
#include <string>

namespace steadfold::inline v0::segmented {

namespace {

using namespace steadfold::detail;

class cuda_backend final : public backend {
  public:
    cuda_backend(settings const& settings, execution const& where)
        : settings_{settings}, where_{where}, shape_{shape_of(settings.op, settings.what.type)} {
        require_device(where.device);
        current_device const on{where.device};
        quick_kernels const quick = find_quick_kernels(settings.op, settings.what.type);
        general_ = chosen(find_general_kernel(), false);
        rows_ = quick.rows != nullptr ? chosen(quick.rows, true) : general_;
        columns_ = quick.columns != nullptr ? chosen(quick.columns, true) : general_;
        bad_offsets_ = allocate_pinned<std::uint32_t>(1, "a flag of a segmented reduction");
        *bad_offsets_ = 0;
        done_ = make_event();
    }

    ~cuda_backend() override {
        try {
            wait_for_device();
            return;
        } catch (error const&) { // the device failed or hangs: freeing would wait for it
        }
        for (growing_memory* memory : {&records_, &offsets_, &outputs_}) memory->leak();
        static_cast<void>(bad_offsets_.release());
        static_cast<void>(done_.release());
    }

    void reserve(std::int64_t elements, std::int64_t outputs) override {
        current_device const on{where_.device};
        std::int64_t most = 0;
        for (kernel_choice const& with : {rows_, columns_, general_})
            most = std::max(most, most_records(elements, outputs, with.quick, with.warps));
        grow_records(most);
        std::size_t const bytes = static_cast<std::size_t>(outputs + 1) * sizeof(std::int64_t);
        if (offsets_.holds(bytes)) return;
        wait_for_device();
        offsets_.require(bytes, "offsets");
    }

    void run(problem const& asked, stream_ref stream) override {
        current_device const on{where_.device};
        bool const captures = captures_on(where_.device, stream, "the reduction");
        places const where = look_at(asked, captures);
        if (asked.outputs == 0) return;
        problem on_device = asked;
        on_device.out = where.stages_output ? output_on_device(asked.out) : asked.out;
        if (where.stages_offsets) on_device.segments.offsets = offsets_on_device(asked, captures);
        kernel_choice const& with = !asked.x.contiguous() ? general_ : asked.inner == 1 ? rows_ : columns_;
        work_plan plan = plan_work(settings_, on_device, with.quick, with.warps);
        require_blocks(plan);
        require_room(plan.records, captures);
        if (in_use_ && !captures && stream != last_stream_)
            check(cudaStreamWaitEvent(stream.get(), done_.get(), 0), "waiting for an earlier segmented reduction");
        if (where.stages_offsets) copy_offsets(asked, stream);
        launch(with, plan, stream);
        if (where.stages_output) copy_output(on_device.out, asked.out, stream);
        last_stream_ = stream;
        if (captures) {
            records_.keep();
            offsets_.keep();
            return;
        }
        check(cudaEventRecord(done_.get(), stream.get()), "marking the end of a segmented reduction");
        in_use_ = true;
        if (where.stages_output) wait();
    }

    void wait() override {
        wait_for_device();
        if (*bad_offsets_ == 0) return;
        *bad_offsets_ = 0;
        current_device const on{where_.device};
        // Of a segment cut where offsets disagree some pieces may be missing.
        records_.for_each([this](std::byte* memory, std::size_t bytes) { clear(memory, bytes); });
        throw argument_error("offsets in device memory are out of order or outside of the array; the results are of "
                             "no use");
    }

  private:
    /// What has to be brought to the device, or from there.
    struct places {
        bool stages_offsets = false, stages_output = false;
    };

    struct kernel_choice {
        void const* function = nullptr;
        bool quick = false;
        std::int64_t warps = 1; // that the device runs at a time
    };

    [[nodiscard]] kernel_choice chosen(kernel which, bool quick) const {
        auto const* const function = reinterpret_cast<void const*>(which);
        int blocks = 0, multiprocessors = 0;
        check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, function, 32 * warps_per_block,
                                                            shared_bytes(shape_)),
              "asking how many blocks of a segmented reduction fit a multiprocessor");
        check(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, where_.device),
              "asking for the number of multiprocessors");
        return {function, quick, std::int64_t{std::max(1, blocks)} * multiprocessors * warps_per_block};
    }

    /// Where `data` lies. @throws argument_error for memory of another device
    [[nodiscard]] memory_kind kind_of(void const* data, std::string const& argument) const {
        memory_location const location = locate(data);
        if (location.kind == memory_kind::device && location.device != where_.device)
            throw argument_error(argument + " is memory of device " + std::to_string(location.device) +
                                 ", but the reduction runs on device " + std::to_string(where_.device));
        return location.kind;
    }

    /// Everything that can be wrong with the memory of a call, before anything is done.
    [[nodiscard]] places look_at(problem const& asked, bool captures) const {
        if (asked.x.count > 0 && kind_of(asked.x.data, "the array") == memory_kind::host)
            throw argument_error("the array is host memory; a reduction on a GPU takes device, managed or pinned "
                                 "memory, or reduce it with execution{.kind = processor_kind::host}");
        places where;
        if (std::int64_t const* offsets = asked.segments.offsets; offsets != nullptr) {
            memory_kind const kind = kind_of(offsets, "the array of offsets");
            where.stages_offsets = kind == memory_kind::host || kind == memory_kind::pinned;
            if (where.stages_offsets) require_offsets(offsets, asked.outputs, asked.x.count);
            if (captures && kind == memory_kind::host)
                throw argument_error("offsets in ordinary host memory cannot be captured into a graph; put them into "
                                     "device, managed or pinned memory");
        }
        if (asked.outputs == 0) return where;
        where.stages_output = kind_of(asked.out.data, "the output") == memory_kind::host;
        bool const status_on_host =
            asked.out.status != nullptr && kind_of(asked.out.status, "the status output") == memory_kind::host;
        if (asked.out.status != nullptr && status_on_host != where.stages_output)
            throw argument_error("the output and its status must both be ordinary host memory, or neither");
        if (captures && where.stages_output)
            throw argument_error("results in ordinary host memory cannot be captured into a graph; put them into "
                                 "device, managed or pinned memory");
        return where;
    }

    void require_room(std::int64_t records, bool captures) {
        if (captures && !records_.holds(record_bytes(records)))
            throw argument_error("this call needs more memory, which cannot be made while a graph is captured; call "
                                 "reserve() before");
        grow_records(records);
    }

    [[nodiscard]] std::size_t record_bytes(std::int64_t records) const {
        return static_cast<std::size_t>(records) * static_cast<std::size_t>(shape_.words() + 1) * sizeof(std::uint64_t);
    }

    /// Growing waits for the device, which may still use the old ones.
    void grow_records(std::int64_t records) {
        if (records_.holds(record_bytes(records))) return;
        wait_for_device();
        records_.require(record_bytes(records), "outputs that several warps work on");
        clear(records_.get(), records_.size());
    }

    /// Records are zero between calls.
    void clear(std::byte* memory, std::size_t bytes) {
        owned_stream const stream = make_stream();
        check(cudaMemsetAsync(memory, 0, bytes, stream.get()), "clearing memory");
        patience turns{where_.deadline};
        while (!has_happened(cudaStreamQuery(stream.get())))
            if (!turns.wait()) throw_timeout();
    }

    std::int64_t const* offsets_on_device(problem const& asked, bool captures) {
        std::size_t const bytes = static_cast<std::size_t>(asked.outputs + 1) * sizeof(std::int64_t);
        if (!offsets_.holds(bytes)) {
            if (captures)
                throw argument_error("there is no room for the offsets, and none can be made while a graph is "
                                     "captured; call reserve() before");
            wait_for_device();
            offsets_.require(bytes, "offsets");
        }
        return reinterpret_cast<std::int64_t const*>(offsets_.get());
    }

    void copy_offsets(problem const& asked, stream_ref stream) {
        check(cudaMemcpyAsync(offsets_.get(), asked.segments.offsets,
                              static_cast<std::size_t>(asked.outputs + 1) * sizeof(std::int64_t),
                              cudaMemcpyHostToDevice, stream.get()),
              "copying offsets to the device");
    }

    [[nodiscard]] output_view output_on_device(output_view const& out) {
        std::size_t const bytes = output_bytes(out), with_status = bytes + static_cast<std::size_t>(out.count);
        if (!outputs_.holds(with_status)) {
            wait_for_device();
            outputs_.require(with_status, "results");
        }
        auto* const status = reinterpret_cast<status_flags*>(outputs_.get() + bytes);
        return {outputs_.get(), out.count, out.type, out.status != nullptr ? status : nullptr};
    }

    [[nodiscard]] static std::size_t output_bytes(output_view const& out) {
        return static_cast<std::size_t>(out.count) * size_bytes(out.type);
    }

    static void copy_output(output_view const& from, output_view const& to, stream_ref stream) {
        check(cudaMemcpyAsync(to.data, from.data, output_bytes(to), cudaMemcpyDeviceToHost, stream.get()),
              "copying results to the host");
        if (to.status != nullptr)
            check(cudaMemcpyAsync(to.status, from.status, static_cast<std::size_t>(to.count), cudaMemcpyDeviceToHost,
                                  stream.get()),
                  "copying the status of results to the host");
    }

    [[nodiscard]] static std::int64_t blocks_of(work_plan const& plan) {
        return (plan.arguments.chunks + warps_per_block - 1) / warps_per_block;
    }
    static void require_blocks(work_plan const& plan) {
        if (blocks_of(plan) > (std::int64_t{1} << 31) - 1)
            throw argument_error("the call has too many outputs for one grid: " +
                                 std::to_string(plan.arguments.outputs));
    }

    void launch(kernel_choice const& with, work_plan& plan, stream_ref stream) const {
        plan.arguments.records = reinterpret_cast<std::uint64_t*>(records_.get());
        plan.arguments.bad_offsets = bad_offsets_.get();
        void* parameters[] = {&plan.arguments};
        check(cudaLaunchKernel(with.function, dim3(static_cast<unsigned>(blocks_of(plan))), dim3(32 * warps_per_block),
                               parameters, shared_bytes(shape_), stream.get()),
              "starting a segmented reduction on device " + std::to_string(where_.device));
    }

    /// False while it has not happened.
    [[nodiscard]] bool has_happened(cudaError_t query) const {
        if (query == cudaSuccess) return true;
        if (query != cudaErrorNotReady)
            check(query, "a segmented reduction on device " + std::to_string(where_.device));
        static_cast<void>(cudaGetLastError());
        return false;
    }

    void wait_for_device() {
        patience turns{where_.deadline};
        while (in_use_ && !has_happened(cudaEventQuery(done_.get())))
            if (!turns.wait()) throw_timeout();
        in_use_ = false;
    }

    [[noreturn]] void throw_timeout() const {
        throw timeout_error(
            "device " + std::to_string(where_.device) + " did not finish a segmented reduction within " +
            std::to_string(std::chrono::duration_cast<std::chrono::milliseconds>(where_.deadline).count()) +
            " ms; raise execution::deadline if the work needs longer");
    }

    settings settings_;
    execution where_;
    store_shape shape_;
    kernel_choice rows_, columns_, general_; // the last for strided data
    growing_memory records_, offsets_, outputs_;
    pinned_buffer<std::uint32_t> bad_offsets_;
    owned_event done_; // by the last call that was not captured
    stream_ref last_stream_;
    bool in_use_ = false;
};

} // namespace

std::unique_ptr<backend> make_cuda_backend(settings const& settings, execution const& where) {
    return std::make_unique<cuda_backend>(settings, where);
}

} // namespace steadfold::inline v0::segmented
