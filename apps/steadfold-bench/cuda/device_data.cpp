#include "device_data.hpp"

#include "parallel.hpp"

#include <atomic>
#include <string>

namespace steadfold::inline v0::app {

namespace {

template <class T>
detail::device_buffer<T> on_device(host_array<T> const& from, std::string const& what) {
    if (from.size() == 0) return nullptr;
    auto memory = detail::allocate_device<T>(static_cast<std::size_t>(from.size()), what);
    detail::check(cudaMemcpy(memory.get(), from.data(), static_cast<std::size_t>(from.bytes()), cudaMemcpyDefault),
                  "copying " + what + " to the device");
    // The copy from pageable memory may end later, and the streams that are measured do not wait for it.
    detail::check(cudaDeviceSynchronize(), "waiting for " + what + " on the device");
    return memory;
}

} // namespace

template <class T>
device_data<T>::device_data(data_kind kind, std::int64_t elements, bool pairs, int threads)
    : kind_{kind}, threads_{threads}, x_{generate<T>(kind, elements, 1, threads)}, y_{generate<T>(kind,
                                                                                                  pairs ? elements : 0,
                                                                                                  2, threads)},
      device_x_{on_device(x_, "the array")}, device_y_{on_device(y_, "the second array")} {}

template <class T>
reference<T> const& device_data<T>::expected(std::int64_t count) const {
    auto const known = expected_.find(count);
    if (known != expected_.end()) return known->second;
    return expected_.emplace(count, reference_of(x_, y_, count, threads_)).first->second;
}

template <class T>
std::shared_ptr<device_data<T> const> data_on_device(data_kind kind, std::int64_t elements, bool pairs, int threads) {
    static std::shared_ptr<device_data<T> const> last;
    if (last && last->kind() == kind && last->elements() >= elements && (last->has_pairs() || !pairs)) return last;
    last.reset(); // before more is allocated
    return last = std::make_shared<device_data<T> const>(kind, elements, pairs, threads);
}

std::uint32_t exclusive_or_of_words(void const* data, std::int64_t bytes, int threads) {
    std::atomic<std::uint32_t> all{0};
    auto const* const words = static_cast<std::uint32_t const*>(data);
    for_ranges(bytes / 16 * 4, threads, [&](int, index_range range) {
        std::uint32_t mine = 0;
        for (std::int64_t i = range.first; i < range.last(); ++i) mine ^= words[i];
        all ^= mine;
    });
    return all;
}

#define STEADFOLD_INSTANTIATE(T)                                                                                       \
    template class device_data<T>;                                                                                     \
    template std::shared_ptr<device_data<T> const> data_on_device(data_kind, std::int64_t, bool, int);
STEADFOLD_INSTANTIATE(double)
STEADFOLD_INSTANTIATE(float)
STEADFOLD_INSTANTIATE(half)
STEADFOLD_INSTANTIATE(bfloat16)
STEADFOLD_INSTANTIATE(std::int8_t)
STEADFOLD_INSTANTIATE(std::int16_t)
STEADFOLD_INSTANTIATE(std::int32_t)
STEADFOLD_INSTANTIATE(std::int64_t)
#undef STEADFOLD_INSTANTIATE

} // namespace steadfold::inline v0::app
