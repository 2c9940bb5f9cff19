#include "ours.hpp"

#include "steadfold/reduce.hpp"

#include <utility>

namespace steadfold::inline v0::app {

namespace {

template <class T>
struct state {
    std::shared_ptr<device_data<T> const> data;
    std::int64_t count;
    reduction_mode mode;
    reduction with;
    reduction_results results = {};

    void enqueue(cudaStream_t stream) {
        array_view const x{data->x(), count, dtype_of<T>}, y{data->y(), count, dtype_of<T>};
        if (with.operations().contains(operation::dot))
            with.add_products(x, y, stream);
        else
            with.add(x, 0, stream);
    }
    void check() const {
        reference<T> const& expected = data->expected(count);
        if (mode == reduction_mode::exact) return require_equal(results, expected);
        if (results.operations().contains(operation::sum) && data->kind().shape != distribution::random_exponents)
            require_close(detail::value_as<sum_type<T>>(results[operation::sum]), expected);
    }
};

} // namespace

template <class T>
device_call ours(std::string const& name, operation_set operations, reduction_mode mode,
                 std::shared_ptr<device_data<T> const> const& data, std::int64_t count) {
    auto const with =
        std::make_shared<state<T>>(state<T>{data, count, mode,
                                            reduction{dtype_of<T>, operations, reduce_options{.mode = mode},
                                                      execution{.kind = processor_kind::cuda, .device = 0}}});
    device_call call;
    call.name = name;
    call.bytes = (operations.contains(operation::dot) ? 2 : 1) * count * static_cast<std::int64_t>(sizeof(T));
    call.peer = false;
    call.capturable = false; // add() keeps the host's side of the reduction up to date
    call.enqueue = [with](cudaStream_t stream) { with->enqueue(stream); };
    call.fetch = [with](cudaStream_t) { with->results = with->with.finish(); };
    call.check = [with] { with->check(); };
    return call;
}

template device_call ours(std::string const&, operation_set, reduction_mode,
                          std::shared_ptr<device_data<double> const> const&, std::int64_t);
template device_call ours(std::string const&, operation_set, reduction_mode,
                          std::shared_ptr<device_data<float> const> const&, std::int64_t);
template device_call ours(std::string const&, operation_set, reduction_mode,
                          std::shared_ptr<device_data<half> const> const&, std::int64_t);
template device_call ours(std::string const&, operation_set, reduction_mode,
                          std::shared_ptr<device_data<bfloat16> const> const&, std::int64_t);
template device_call ours(std::string const&, operation_set, reduction_mode,
                          std::shared_ptr<device_data<std::int32_t> const> const&, std::int64_t);
template device_call ours(std::string const&, operation_set, reduction_mode,
                          std::shared_ptr<device_data<std::int64_t> const> const&, std::int64_t);

} // namespace steadfold::inline v0::app
