// The CUDA back end: one stream and one set of counts on one device; host data comes through two staging buffers,
// gathered first if it is strided.
#include "base/cuda_device.hpp"
#include "base/cuda_handles.hpp"
#include "base/current_device.hpp"
#include "base/floating_environment.hpp"
#include "base/patience.hpp"
#include "histogram/backend.hpp"
#include "histogram/cuda/pass.hpp"
#include "reduce/cuda/gathering_copies.hpp"
#include "reduce/strided.hpp"
#include "steadfold/error.hpp"
#include "steadfold/view.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstring>
#include <cuda_runtime_api.h>
#include <string>

namespace steadfold::inline v0::histogram_detail {

namespace {

using namespace steadfold::detail;

constexpr std::size_t staging_bytes = std::size_t{32} << 20;

int attribute(cudaDeviceAttr which, int device) {
    int value = 0;
    check(cudaDeviceGetAttribute(&value, which, device), "asking device " + std::to_string(device) + " for its limits");
    return value;
}

class cuda_backend final : public backend {
  public:
    cuda_backend(plan const& plan, execution const& where)
        : plan_{plan}, where_{where}, element_bytes_{static_cast<std::int64_t>(size_bytes(plan.type))},
          slots_{static_cast<std::size_t>(plan.slots())} {
        require_device(where.device);
        current_device const on{where.device};
        choose_grid();
        allocate();
        if (fits_float(plan.type))
            upload<float>();
        else
            upload<double>();
        clear();
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
        for (staging& slot : slots_of_data_) {
            static_cast<void>(slot.memory.release());
            static_cast<void>(slot.copied.release());
            static_cast<void>(slot.counted.release());
        }
        gathered_.leak();
        static_cast<void>(thresholds_.release());
        static_cast<void>(counts_.release());
        static_cast<void>(host_counts_.release());
        static_cast<void>(caller_ready_.release());
        static_cast<void>(read_.release());
        static_cast<void>(copy_stream_.release());
        static_cast<void>(stream_.release());
    }

    void add(array_view x, stream_ref stream) override {
        current_device const on{where_.device};
        require_stream(where_.device, stream, "the histogram");
        if (lies_on_host(x.data)) {
            stage(x);
            return;
        }
        check(cudaEventRecord(caller_ready_.get(), stream.get()), "marking the caller's stream");
        check(cudaStreamWaitEvent(stream_.get(), caller_ready_.get(), 0), "waiting for the caller's stream");
        launch_all(x);
        // What the caller puts on the stream next may overwrite the data.
        check(cudaEventRecord(read_.get(), stream_.get()), "marking the end of a histogram");
        check(cudaStreamWaitEvent(stream.get(), read_.get(), 0), "letting the caller's stream wait");
    }

    void wait() override {
        wait_until([this] { return cudaStreamQuery(copy_stream_.get()); });
        wait_until([this] { return cudaStreamQuery(stream_.get()); });
        abandoned_ = false;
    }

    /// After a missed deadline it can be tried again: the counts stay on the device until they have arrived here.
    void take(std::span<std::int64_t> totals) override {
        current_device const on{where_.device};
        check(cudaMemcpyAsync(host_counts_.get(), counts_.get(), slots_ * sizeof(unsigned long long),
                              cudaMemcpyDeviceToHost, stream_.get()),
              "reading the counts of a histogram");
        wait();
        for (std::size_t i = 0; i < slots_; ++i) totals[i] += static_cast<std::int64_t>(host_counts_.get()[i]);
        clear();
    }

  private:
    struct staging {
        device_buffer<std::byte> memory;
        owned_event copied, counted;
    };

    /// Counts in shared memory where they fit, and as many blocks as the device runs at a time.
    void choose_grid() {
        int const key_bytes = fits_float(plan_.type) ? 4 : 8, bins = static_cast<int>(plan_.bins.count());
        arguments_.copies = cuda::copies_for(plan_.slots());
        int const wanted = cuda::threshold_bytes(plan_.slots(), key_bytes) + 4 * plan_.slots() * arguments_.copies;
        int const most_shared = attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin, where_.device);
        bool const in_shared = bins <= cuda::most_bins_in_shared && wanted <= most_shared;
        shared_bytes_ = in_shared ? wanted : 0;
        function_ = reinterpret_cast<void*>(cuda::find_kernel(plan_.type, in_shared));
        threads_ = where_.threads_per_block > 0 ? where_.threads_per_block : cuda::max_threads_per_block;
        if (where_.threads_per_block < 0 || threads_ % 32 != 0 || threads_ > cuda::max_threads_per_block)
            throw argument_error("threads_per_block is " + std::to_string(where_.threads_per_block) +
                                 "; it must be a multiple of 32, at most " +
                                 std::to_string(cuda::max_threads_per_block));
        if (where_.blocks < 0) throw argument_error("blocks is " + std::to_string(where_.blocks));
        if (in_shared) // all there is: the limit is the kernel's, and other histograms need more than this one
            check(cudaFuncSetAttribute(function_, cudaFuncAttributeMaxDynamicSharedMemorySize, most_shared),
                  "asking for the shared memory of a histogram");
        int per_multiprocessor = 0;
        check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_multiprocessor, function_, threads_,
                                                            static_cast<std::size_t>(shared_bytes_)),
              "asking how many blocks of the histogram fit a multiprocessor");
        blocks_ = where_.blocks > 0
                      ? where_.blocks
                      : std::max(1, per_multiprocessor * attribute(cudaDevAttrMultiProcessorCount, where_.device));
    }

    void allocate() {
        counts_ = allocate_device<unsigned long long>(slots_, "the counts of a histogram");
        host_counts_ = allocate_pinned<unsigned long long>(slots_, "the counts of a histogram");
        stream_ = make_stream();
        copy_stream_ = make_stream();
        caller_ready_ = make_event();
        read_ = make_event();
    }

    template <class Key>
    void upload() {
        base::default_floating_environment const environment;
        owned_bin_table<Key> const table{plan_.bins};
        std::size_t const bytes = table.thresholds().size() * sizeof(Key);
        thresholds_ = allocate_device<std::byte>(bytes, "the edges of a histogram");
        // Through the pinned memory of the counts, which has room for them: nothing waits.
        std::memcpy(host_counts_.get(), table.thresholds().data(), bytes);
        check(cudaMemcpyAsync(thresholds_.get(), host_counts_.get(), bytes, cudaMemcpyHostToDevice, stream_.get()),
              "copying the edges of a histogram");
        bin_table<Key> const ref = table.ref();
        arguments_.thresholds = thresholds_.get();
        arguments_.counts = counts_.get();
        arguments_.bins = ref.bins;
        arguments_.uniform = ref.uniform;
        arguments_.half_low = ref.half_low;
        arguments_.scale = ref.scale;
        arguments_.top = plan_.bins.edges().back();
        arguments_.has_missing = plan_.missing.has_value();
        arguments_.missing = plan_.missing.value_or(0);
    }

    void clear() {
        check(cudaMemsetAsync(counts_.get(), 0, slots_ * sizeof(unsigned long long), stream_.get()),
              "clearing the counts of a histogram");
    }

    [[nodiscard]] bool lies_on_host(void const* data) const {
        memory_location const location = locate(data);
        if (location.kind == memory_kind::device && location.device != where_.device)
            throw argument_error("the array is memory of device " + std::to_string(location.device) +
                                 ", but the histogram runs on device " + std::to_string(where_.device));
        return location.kind == memory_kind::host || location.kind == memory_kind::pinned;
    }

    void stage(array_view x) {
        std::int64_t const per_copy = static_cast<std::int64_t>(staging_bytes) / element_bytes_;
        for (std::int64_t done = 0; done < x.count; done += per_copy) {
            staging& slot = next_slot();
            array_view const part = reduce_detail::part_of(x, done, std::min(per_copy, x.count - done));
            check(cudaStreamWaitEvent(copy_stream_.get(), slot.counted.get(), 0), "waiting for a staging buffer");
            bring(part, x.contiguous(), slot.memory.get());
            check(cudaEventRecord(slot.copied.get(), copy_stream_.get()), "marking a copy");
            check(cudaStreamWaitEvent(stream_.get(), slot.copied.get(), 0), "waiting for a copy");
            launch_all({slot.memory.get(), part.count, part.type});
            check(cudaEventRecord(slot.counted.get(), stream_.get()), "marking a histogram");
        }
    }

    /// One element of strided data is to be read now, too.
    void bring(array_view x, bool is_contiguous, std::byte* to) {
        if (is_contiguous)
            check(cudaMemcpyAsync(to, x.data, static_cast<std::size_t>(x.count * element_bytes_), cudaMemcpyDefault,
                                  copy_stream_.get()),
                  "copying data to the device");
        else
            gathered_.enqueue(x, to, copy_stream_.get(),
                              [this](cudaEvent_t event) { wait_until([event] { return cudaEventQuery(event); }); });
    }

    /// The other of the two staging buffers, so that copying and counting overlap.
    staging& next_slot() {
        staging& slot = slots_of_data_[next_slot_];
        next_slot_ ^= 1;
        if (!slot.memory) slot.memory = allocate_device<std::byte>(staging_bytes, "a staging buffer");
        if (!slot.copied) slot.copied = make_event();
        if (!slot.counted) slot.counted = make_event();
        return slot;
    }

    void launch_all(array_view x) {
        std::int64_t const capacity = blocks_ * cuda::elements_per_block;
        for (std::int64_t done = 0; done < x.count; done += capacity)
            launch(reduce_detail::part_of(x, done, std::min(capacity, x.count - done)));
    }

    void launch(array_view x) {
        cuda::pass_arguments arguments = arguments_;
        auto const misaligned = static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(x.data) % 16);
        arguments.data = x.data;
        arguments.count = x.count;
        arguments.stride = x.stride;
        if (x.contiguous()) {
            arguments.stride = 1;
            arguments.head = std::min(x.count, (16 - misaligned) % 16 / element_bytes_);
            arguments.vectors = (x.count - arguments.head) * element_bytes_ / 16;
        }
        // A block clears and adds up its counts: it should count a few elements for each.
        std::int64_t const worth_a_block =
            std::max<std::int64_t>(4 * threads_, shared_bytes_ > 0 ? plan_.slots() * element_bytes_ / 4 : 0);
        std::int64_t const useful = std::max<std::int64_t>(1, x.count * element_bytes_ / 16 / worth_a_block);
        auto const blocks = where_.blocks > 0 ? blocks_ : static_cast<int>(std::min<std::int64_t>(blocks_, useful));
        void* parameters[] = {&arguments};
        check(cudaLaunchKernel(function_, dim3(static_cast<unsigned>(blocks)), dim3(static_cast<unsigned>(threads_)),
                               parameters, static_cast<std::size_t>(shared_bytes_), stream_.get()),
              "starting a histogram on device " + std::to_string(where_.device));
    }

    template <class Query>
    void wait_until(Query const& query) {
        patience turns{where_.deadline};
        for (;;) {
            cudaError_t const state = query();
            if (state == cudaSuccess) return;
            if (state != cudaErrorNotReady) check(state, "counting on device " + std::to_string(where_.device));
            static_cast<void>(cudaGetLastError());
            if (turns.wait()) continue;
            abandoned_ = true;
            throw timeout_error(
                "device " + std::to_string(where_.device) + " did not finish a histogram within " +
                std::to_string(std::chrono::duration_cast<std::chrono::milliseconds>(where_.deadline).count()) +
                " ms; raise execution::deadline if the work needs longer");
        }
    }

    plan const& plan_;
    execution where_;
    std::int64_t element_bytes_;
    std::size_t slots_;
    void* function_ = nullptr;
    int threads_ = 0, blocks_ = 0, shared_bytes_ = 0;
    cuda::pass_arguments arguments_; // but for the data
    device_buffer<std::byte> thresholds_;
    device_buffer<unsigned long long> counts_;
    pinned_buffer<unsigned long long> host_counts_;
    owned_event caller_ready_, read_;
    std::array<staging, 2> slots_of_data_;
    std::size_t next_slot_ = 0;
    steadfold::cuda::gathering_copies gathered_;
    bool abandoned_ = false;
    owned_stream copy_stream_, stream_;
};

} // namespace

std::unique_ptr<backend> make_cuda_backend(plan const& plan, execution const& where) {
    return std::make_unique<cuda_backend>(plan, where);
}

} // namespace steadfold::inline v0::histogram_detail
