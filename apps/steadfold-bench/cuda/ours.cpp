#include "ours.hpp"

#include "budget.hpp"
#include "steadfold/workspace.hpp"

#include <bit>
#include <cstddef>
#include <memory>
#include <span>
#include <utility>

namespace steadfold::inline v0::app {

namespace {

/// The results of a workspace's operations, as they lie in memory: in the order of `operation`.
class result_list {
  public:
    result_list(operation_set operations, result_place place)
        : operations_{operations}, count_{static_cast<std::size_t>(std::popcount(operations.bits()))},
          on_host_{detail::allocate_pinned<result_value>(count_, "results")} {
        for (std::size_t i = 0; i < count_; ++i) on_host_.get()[i] = {};
        if (place == result_place::pinned) return;
        on_device_ = detail::allocate_device<result_value>(count_, "results");
        detail::check(cudaMemset(on_device_.get(), 0, bytes()), "clearing results");
    }
    [[nodiscard]] std::span<result_value> target() const {
        return {on_device_ ? on_device_.get() : on_host_.get(), count_};
    }
    void fetch(cudaStream_t stream) const {
        if (on_device_)
            detail::check(cudaMemcpyAsync(on_host_.get(), on_device_.get(), bytes(), cudaMemcpyDeviceToHost, stream),
                          "copying results to the host");
        detail::check(cudaStreamSynchronize(stream), "waiting for results");
    }
    [[nodiscard]] reduction_results fetched() const {
        reduction_results results;
        result_value const* next = on_host_.get();
        for (int i = 0; i < operation_count; ++i)
            if (auto const op = static_cast<operation>(i); operations_.contains(op)) results.set(op, *next++);
        return results;
    }

  private:
    [[nodiscard]] std::size_t bytes() const { return count_ * sizeof(result_value); }

    operation_set operations_;
    std::size_t count_;
    detail::device_buffer<result_value> on_device_;
    detail::pinned_buffer<result_value> on_host_;
};

template <class T>
struct state {
    std::shared_ptr<device_data<T> const> data;
    std::int64_t count;
    reduction_mode mode;
    workspace with;
    result_list results;

    void enqueue(cudaStream_t stream) {
        array_view const x{data->x(), count, dtype_of<T>}, y{data->y(), count, dtype_of<T>};
        if (with.operations().contains(operation::dot))
            enqueue_dot(with, x, y, results.target(), stream);
        else
            enqueue_reduce(with, x, results.target(), stream);
    }
    void check() const {
        reference<T> const& expected = data->expected(count);
        reduction_results const found = results.fetched();
        if (mode == reduction_mode::exact) return require_equal(found, expected);
        if (found.operations().contains(operation::sum) && data->kind().shape != distribution::random_exponents)
            require_close<T>(detail::value_as<sum_type<T>>(found[operation::sum]), expected);
    }
};

} // namespace

template <class T>
device_call ours(std::string const& name, operation_set operations, reduction_mode mode,
                 std::shared_ptr<device_data<T> const> const& data, std::int64_t count, result_place place) {
    auto const with =
        std::make_shared<state<T>>(state<T>{data, count, mode,
                                            workspace{dtype_of<T>, operations, reduce_options{.mode = mode},
                                                      execution{.kind = processor_kind::cuda, .device = 0}},
                                            result_list{operations, place}});
    device_call call;
    call.name = name;
    call.bytes = (operations.contains(operation::dot) ? 2 : 1) * count * static_cast<std::int64_t>(sizeof(T));
    call.peer = false;
    if (mode == reduction_mode::exact) call.budget = budget_of(dtype_of<T>, operations);
    call.enqueue = [with](cudaStream_t stream) { with->enqueue(stream); };
    call.fetch = [with](cudaStream_t stream) { with->results.fetch(stream); };
    call.check = [with] { with->check(); };
    return call;
}

template device_call ours(std::string const&, operation_set, reduction_mode,
                          std::shared_ptr<device_data<double> const> const&, std::int64_t, result_place);
template device_call ours(std::string const&, operation_set, reduction_mode,
                          std::shared_ptr<device_data<float> const> const&, std::int64_t, result_place);
template device_call ours(std::string const&, operation_set, reduction_mode,
                          std::shared_ptr<device_data<half> const> const&, std::int64_t, result_place);
template device_call ours(std::string const&, operation_set, reduction_mode,
                          std::shared_ptr<device_data<bfloat16> const> const&, std::int64_t, result_place);
template device_call ours(std::string const&, operation_set, reduction_mode,
                          std::shared_ptr<device_data<std::int8_t> const> const&, std::int64_t, result_place);
template device_call ours(std::string const&, operation_set, reduction_mode,
                          std::shared_ptr<device_data<std::int16_t> const> const&, std::int64_t, result_place);
template device_call ours(std::string const&, operation_set, reduction_mode,
                          std::shared_ptr<device_data<std::int32_t> const> const&, std::int64_t, result_place);
template device_call ours(std::string const&, operation_set, reduction_mode,
                          std::shared_ptr<device_data<std::int64_t> const> const&, std::int64_t, result_place);

} // namespace steadfold::inline v0::app
