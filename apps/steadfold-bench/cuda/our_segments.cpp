#include "our_segments.hpp"

#include "segment_values.hpp"
#include "steadfold/segmented.hpp"

#include <array>
#include <memory>
#include <string>
#include <utility>

namespace steadfold::inline v0::app {

namespace {

detail::device_buffer<std::int64_t> offsets_on_device(std::int64_t segments, int size) {
    std::vector<std::int64_t> offsets(static_cast<std::size_t>(segments) + 1);
    for (std::size_t i = 0; i < offsets.size(); ++i) offsets[i] = static_cast<std::int64_t>(i) * size;
    auto memory = detail::allocate_device<std::int64_t>(offsets.size(), "offsets of segments");
    detail::check(cudaMemcpy(memory.get(), offsets.data(), offsets.size() * sizeof(std::int64_t), cudaMemcpyDefault),
                  "copying offsets of segments");
    return memory;
}

template <class T>
struct state {
    array_view x;
    std::array<std::int64_t, 2> extents; // segments, elements of each
    segmented_reduction with{dtype_of<T>, operation::sum, {}, {.kind = processor_kind::cuda, .device = 0}};
    segment_values<T> result{static_cast<std::size_t>(extents[0]), "sums of segments"};
    detail::device_buffer<std::int64_t> offsets = nullptr;

    state(T const* data, std::int64_t segments, int size)
        : x{data, segments * size, dtype_of<T>}, extents{segments, size} {
        with.reserve(x.count, segments);
    }
    [[nodiscard]] output_view out() const { return {result.on_device(), extents[0], dtype_of<T>}; }
    void sum_axis(cudaStream_t stream) { with.axis(x, extents, 1, out(), stream); }
    void sum_segments(cudaStream_t stream) {
        with.segments(x, view<std::int64_t const>{offsets.get(), extents[0] + 1}, out(), stream);
    }
};

template <class T>
std::shared_ptr<state<T>> make_state(T const* x, std::int64_t segments, int segment_size) {
    try {
        return std::make_shared<state<T>>(x, segments, segment_size);
    } catch (argument_error const&) {
        return nullptr; // the library was built without them
    }
}

template <class T>
device_call call_of(std::string const& name, std::shared_ptr<state<T>> const& with,
                    result_check<std::vector<T> const&> check) {
    device_call call;
    call.name = "steadfold-exact:" + name;
    call.bytes = with->x.count * static_cast<std::int64_t>(sizeof(T));
    call.peer = false;
    call.fetch = [with](cudaStream_t stream) { with->result.fetch(stream); };
    call.check = [with, check = std::move(check)] { check(with->result.values()); };
    return call;
}

} // namespace

template <class T>
std::optional<device_call> our_segments(T const* x, std::int64_t segments, int segment_size,
                                        result_check<std::vector<T> const&> check) {
    auto const with = make_state(x, segments, segment_size);
    if (!with) return {};
    with->offsets = offsets_on_device(segments, segment_size);
    device_call call = call_of("segments", with, std::move(check));
    call.enqueue = [with](cudaStream_t stream) { with->sum_segments(stream); };
    return call;
}

template <class T>
std::optional<device_call> our_axis(T const* x, std::int64_t segments, int segment_size,
                                    result_check<std::vector<T> const&> check) {
    auto const with = make_state(x, segments, segment_size);
    if (!with) return {};
    device_call call = call_of("axis", with, std::move(check));
    call.enqueue = [with](cudaStream_t stream) { with->sum_axis(stream); };
    return call;
}

template std::optional<device_call> our_segments(double const*, std::int64_t, int,
                                                 result_check<std::vector<double> const&>);
template std::optional<device_call> our_segments(float const*, std::int64_t, int,
                                                 result_check<std::vector<float> const&>);
template std::optional<device_call> our_axis(double const*, std::int64_t, int,
                                             result_check<std::vector<double> const&>);
template std::optional<device_call> our_axis(float const*, std::int64_t, int, result_check<std::vector<float> const&>);

} // namespace steadfold::inline v0::app
