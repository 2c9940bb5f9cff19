#include "ladder/inputs.hpp"

#include "parallel.hpp"
#include "wide_sum.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

namespace steadfold::inline v0::app::ladder {

namespace {

template <class T>
host_array<T> whole_numbers(std::int64_t count, int threads) {
    host_array<T> x{count};
    for_ranges(count, threads, [&](int, index_range range) {
        for (std::int64_t i = range.first; i < range.last(); ++i) x.data()[i] = static_cast<T>(whole_number(i));
    });
    return x;
}

/// Gaussian, but for the one in 10^12 that is so small that it has bits below the exact rungs' window.
template <class T>
host_array<T> gaussian(std::int64_t count, std::uint64_t seed, int threads) {
    host_array<T> x = generate<T>({}, count, seed, threads);
    T const least = std::ldexp(T{1}, exact_floor + std::numeric_limits<T>::digits);
    for_ranges(count, threads, [&](int, index_range range) {
        for (std::int64_t i = range.first; i < range.last(); ++i)
            if (std::fabs(x.data()[i]) < least) x.data()[i] = 1;
    });
    return x;
}

double sum_of_whole_numbers(std::int64_t count, int threads) {
    std::atomic<std::int64_t> sum = 0;
    for_ranges(count, threads, [&](int, index_range range) {
        std::int64_t part = 0;
        for (std::int64_t i = range.first; i < range.last(); ++i) part += whole_number(i);
        sum += part;
    });
    return static_cast<double>(sum);
}

} // namespace

int whole_number(std::int64_t i) {
    auto z = static_cast<std::uint64_t>(i) * 0x9e3779b97f4a7c15u; // splitmix64 (Steele, Lea, Flood 2014) of a counter
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    constexpr int values[] = {-3, -2, -1, 1, 2, 3};
    return values[(z ^ (z >> 31)) % 6];
}

template <class T>
detail::device_buffer<T> on_device(T const* from, std::int64_t count) {
    auto const n = static_cast<std::size_t>(count);
    auto memory = detail::allocate_device<T>(n, "an array of the ladder");
    detail::check(cudaMemcpy(memory.get(), from, n * sizeof(T), cudaMemcpyHostToDevice),
                  "copying an array to the device");
    // From pageable memory the copy may still be under way when the call returns, and our stream does not wait for it.
    detail::check(cudaStreamSynchronize(nullptr), "waiting for an array on the device");
    return memory;
}

template <class T>
double exact_sum(T const* x, std::int64_t count, int threads) {
    std::vector<wide_sum> parts(static_cast<std::size_t>(threads));
    for_ranges(count, threads, [&](int thread, index_range range) {
        wide_sum& part = parts[static_cast<std::size_t>(thread)];
        for (std::int64_t i = range.first; i < range.last(); ++i) part.add(x[i]);
    });
    wide_sum all;
    for (wide_sum const& part : parts) all.add(part);
    return static_cast<double>(all.rounded<T>());
}

template detail::device_buffer<float> on_device<float>(float const*, std::int64_t);
template detail::device_buffer<double> on_device<double>(double const*, std::int64_t);
template detail::device_buffer<std::int32_t> on_device<std::int32_t>(std::int32_t const*, std::int64_t);
template double exact_sum<float>(float const*, std::int64_t, int);
template double exact_sum<double>(double const*, std::int64_t, int);

// One array at a time on the host.
inputs::inputs(std::int64_t count, int threads)
    : count_{count}, count64_{std::max<std::int64_t>(1, count / 2)}, whole_{on_device(
                                                                         whole_numbers<float>(count, threads).data(),
                                                                         count)},
      integers_{on_device(whole_numbers<std::int32_t>(count, threads).data(), count)}, whole_sum_{sum_of_whole_numbers(
                                                                                           count, threads)} {
    {
        host_array<float> const x = gaussian<float>(count, 1, threads);
        gaussian_ = on_device(x.data(), count);
        gaussian_sum_ = exact_sum(x.data(), count, threads);
    }
    host_array<double> const x = gaussian<double>(count64_, 2, threads);
    gaussian64_ = on_device(x.data(), count64_);
    gaussian64_sum_ = exact_sum(x.data(), count64_, threads);
}

input inputs::of(rung const& what) const {
    if (what.type == dtype::int32) return {integers_.get(), count_, whole_sum_};
    if (what.type == dtype::float64) return {gaussian64_.get(), count64_, gaussian64_sum_};
    if (what.merge == merging::digits) return {gaussian_.get(), count_, gaussian_sum_};
    return {whole_.get(), count_, whole_sum_};
}

} // namespace steadfold::inline v0::app::ladder
