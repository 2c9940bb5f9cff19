// cuda-sum and cuda-ops, on CUDA's device 0 (choose another with CUDA_VISIBLE_DEVICES).
#include "cases.hpp"
#include "cub_sum.hpp"
#include "data.hpp"
#include "operations.hpp"
#include "reference.hpp"
#include "steadfold/reduce.hpp"

#include <memory>

namespace steadfold::inline v0::app {

namespace {

constexpr std::int64_t default_elements = std::int64_t{1} << 28;

// Device time: calls are enqueued back to back, and the wait at the end is small against all of them.
sampling const back_to_back{"back-to-back", 0.05, 20};
// Latency: one call, from the host until the result is there.
sampling const host_to_host{"host-to-host", 0, 1};

template <class T>
detail::device_buffer<T> on_device(host_array<T> const& from, std::string const& what) {
    if (from.size() == 0) return nullptr;
    auto memory = detail::allocate_device<T>(static_cast<std::size_t>(from.size()), what);
    detail::check(cudaMemcpy(memory.get(), from.data(), static_cast<std::size_t>(from.bytes()), cudaMemcpyDefault),
                  "copying " + what + " to the device");
    return memory;
}

/// The same wait for everybody: reduction::wait() sleeps between polls, which CUB's user would not.
void wait_for_device() {
    detail::check(cudaDeviceSynchronize(), "waiting for the device");
}

/// One array, or two for dot, on the host and on the device.
template <class T>
class bench {
  public:
    bench(settings const& chosen, std::int64_t elements, bool pairs)
        : x_{gaussian<T>(elements, 1, chosen.threads)}, y_{gaussian<T>(pairs ? elements : 0, 2, chosen.threads)},
          expected_{reference_of(x_, y_, chosen.threads)}, stream_{detail::make_stream()},
          device_x_{on_device(x_, "the array")}, device_y_{on_device(y_, "the second array")} {}

    /// @param enqueue_only  a call adds the data and returns; else it also finishes and rounds
    [[nodiscard]] implementation ours(std::string const& name, operation_set operations, bool enqueue_only,
                                      reduction_mode mode = reduction_mode::exact) const {
        bool const pairs = operations.contains(operation::dot);
        auto const with = std::make_shared<reduction>(dtype_of<T>, operations, reduce_options{.mode = mode},
                                                      execution{.kind = processor_kind::cuda, .device = 0});
        auto const add = [this, with, pairs] {
            array_view const x{device_x_.get(), x_.size(), dtype_of<T>}, y{device_y_.get(), y_.size(), dtype_of<T>};
            if (pairs)
                with->add_products(x, y, stream_.get());
            else
                with->add(x, 0, stream_.get());
        };
        auto const verify = [this, with, add, mode] {
            static_cast<void>(with->finish()); // what was added while time was taken
            add();
            reduction_results const results = with->finish();
            if (mode == reduction_mode::exact)
                require_equal(results, expected_);
            else
                require_close(detail::value_as<T>(results[operation::sum]), expected_);
        };
        std::int64_t const bytes = (pairs ? 2 : 1) * x_.bytes();
        if (enqueue_only) return {name, false, bytes, 0, add, wait_for_device, verify};
        auto const all = [with, add] {
            add();
            static_cast<void>(with->finish());
        };
        return {name, false, bytes, 0, all, {}, verify};
    }

    [[nodiscard]] implementation cub(bool enqueue_only) const {
        auto const with = std::make_shared<cub_sum<T>>(device_x_.get(), x_.size(), stream_.get());
        auto const verify = [this, with] { require_close(with->result(), expected_); };
        std::string const name = "cub-" + cub_version();
        if (enqueue_only) return {name, true, x_.bytes(), 0, [with] { with->enqueue(); }, wait_for_device, verify};
        return {name, true, x_.bytes(), 0, [with] { static_cast<void>(with->result()); }, {}, verify};
    }

  private:
    host_array<T> x_, y_;
    reference<T> expected_;
    detail::owned_stream stream_; // before the buffers: work on it has ended when they go
    detail::device_buffer<T> device_x_, device_y_;
};

template <class T>
void measure_sum(settings const& chosen, std::int64_t elements, group_sink const& done) {
    bench<T> const data{chosen, elements, false};
    for (sampling const& how : {back_to_back, host_to_host}) {
        bool const enqueue_only = how.min_calls > 1;
        std::vector<implementation> const all{
            data.cub(enqueue_only), data.ours("steadfold-exact", operation::sum, enqueue_only),
            data.ours("steadfold-fast", operation::sum, enqueue_only, reduction_mode::fast)};
        done(measure({"cuda-sum", dtype_of<T>, elements}, all, how, chosen));
    }
}

template <class T>
void measure_operations(settings const& chosen, std::int64_t elements, group_sink const& done) {
    bench<T> const data{chosen, elements, true};
    std::vector<implementation> all{data.ours("steadfold-exact:sum", operation::sum, true)};
    for (named_operations const& each : measured_operations())
        all.push_back(data.ours("steadfold-exact:" + each.name, each.operations, true));
    all.push_back(data.ours("steadfold-exact:dot", operation::dot, true));
    done(measure({"cuda-ops", dtype_of<T>, elements}, all, back_to_back, chosen));
}

std::vector<dtype> const default_types{dtype::float64, dtype::float32};

} // namespace

void run_cuda_sum(settings const& chosen, group_sink const& done) {
    for_sizes(chosen, default_types, default_elements, [&](dtype type, std::int64_t elements) {
        (type == dtype::float64 ? measure_sum<double> : measure_sum<float>)(chosen, elements, done);
    });
}

void run_cuda_ops(settings const& chosen, group_sink const& done) {
    for_sizes(chosen, default_types, default_elements, [&](dtype type, std::int64_t elements) {
        (type == dtype::float64 ? measure_operations<double> : measure_operations<float>)(chosen, elements, done);
    });
}

std::string cuda_unavailable() {
    int count = 0;
    cudaError_t const result = cudaGetDeviceCount(&count);
    static_cast<void>(cudaGetLastError());
    if (result != cudaSuccess) return std::string("there is no usable GPU: CUDA says ") + cudaGetErrorString(result);
    return count > 0 ? "" : "there is no GPU";
}

} // namespace steadfold::inline v0::app
