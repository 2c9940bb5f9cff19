#include "data.hpp"

#include "parallel.hpp"

#include <cmath>
#include <numbers>

namespace steadfold::inline v0::app {

namespace {

/// splitmix64 (Steele, Lea, Flood 2014), used as a function of a counter.
std::uint64_t scrambled(std::uint64_t counter) {
    std::uint64_t z = counter * 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

/// In (0, 1], a multiple of 2^-53.
double uniform(std::uint64_t counter) {
    return static_cast<double>((scrambled(counter) >> 11) + 1) * 0x1p-53;
}

double normal(std::uint64_t seed, std::uint64_t i) { // Box and Muller 1958
    std::uint64_t const counter = (seed << 48) + 2 * i + 1;
    return std::sqrt(-2 * std::log(uniform(counter))) * std::cos(2 * std::numbers::pi * uniform(counter + 1));
}

} // namespace

template <class T>
host_array<T> gaussian(std::int64_t count, std::uint64_t seed, int threads) {
    host_array<T> x{count};
    for_ranges(count, threads, [&](int, index_range range) {
        for (std::int64_t i = range.first; i < range.last(); ++i)
            x.data()[i] = static_cast<T>(normal(seed, static_cast<std::uint64_t>(i)));
    });
    return x;
}

template host_array<float> gaussian<float>(std::int64_t, std::uint64_t, int);
template host_array<double> gaussian<double>(std::int64_t, std::uint64_t, int);

} // namespace steadfold::inline v0::app
