#include "histogram/brute_force.hpp"

#include "support/number_formats.hpp"

#include <algorithm>
#include <cfloat>
#include <cmath>

namespace oracle {

long double value_of(sample const& data, std::int64_t i) {
    if (sf::is_integer(data.type)) return static_cast<long double>(read_integer(data.at(i), data.type));
    return static_cast<long double>(decode(read_bits(data.at(i), sf::size_bytes(data.type)), data.type));
}

sf::histogram_result brute_force(sample const& data, std::span<double const> edges,
                                 std::optional<std::int64_t> missing) {
    sf::histogram_result result;
    result.counts.resize(edges.size() - 1);
    result.total = data.n;
    for (std::int64_t i = 0; i < data.n; ++i) {
        long double const x = value_of(data, i);
        bool const is_missing = missing && static_cast<std::int64_t>(read_integer(data.at(i), data.type)) == *missing;
        if (std::isnan(x) || is_missing)
            ++result.nan;
        else if (x < static_cast<long double>(edges.front()))
            ++result.below;
        else if (x > static_cast<long double>(edges.back()))
            ++result.above;
        else if (x == static_cast<long double>(edges.back()))
            ++result.counts.back();
        else // edges not above x, less one
            ++result.counts[static_cast<std::size_t>(
                std::upper_bound(edges.begin(), edges.end(), x,
                                 [](long double a, double b) { return a < static_cast<long double>(b); }) -
                edges.begin() - 1)];
    }
    return result;
}

sf::histogram_result repeated(sf::histogram_result result, std::int64_t times) {
    for (std::int64_t& count : result.counts) count *= times;
    result.below *= times;
    result.above *= times;
    result.nan *= times;
    result.total *= times;
    return result;
}

namespace {

std::uint64_t float_near(double edge, sf::dtype type, random_source& random) {
    // Steps of the bits, over the ends of the range too: there they make Inf and NaN, which is as well.
    return encode(edge, type) + static_cast<std::uint64_t>(random.between(-2, 2));
}

std::uint64_t integer_near(double edge, sf::dtype type, random_source& random) {
    int const width = 8 * static_cast<int>(sf::size_bytes(type)), bits = width - (sf::is_signed_integer(type) ? 1 : 0);
    long double const most = std::ldexp(1.0L, bits) - 1, least = sf::is_signed_integer(type) ? -most - 1 : 0;
    long double const value =
        std::floor(static_cast<long double>(edge)) + static_cast<long double>(random.between(-2, 2));
    return static_cast<std::uint64_t>(static_cast<__int128>(std::clamp(value, least, most)));
}

} // namespace

sample near_edges(data_class which, sf::dtype type, std::span<double const> edges, std::int64_t n, std::uint64_t seed) {
    sample data = generate(which, type, n, seed);
    random_source random{seed + 1};
    std::size_t const bytes = sf::size_bytes(type);
    for (std::int64_t i = 0; i < n; ++i) {
        if (random.coin()) continue;
        std::int64_t const at = random.below(10) == 0 ? 0 : random.below(static_cast<std::int64_t>(edges.size()));
        double const edge = random.below(10) == 0 ? edges.back() : edges[static_cast<std::size_t>(at)];
        write_bits(data.bytes.data() + i * static_cast<std::int64_t>(bytes), bytes,
                   sf::is_integer(type) ? integer_near(edge, type, random) : float_near(edge, type, random));
    }
    data.label += " near edges";
    return data;
}

namespace {

std::vector<double> powers(double first, double factor, int count) {
    std::vector<double> edges;
    for (double edge = first; count-- > 0; edge *= factor) edges.push_back(edge);
    return edges;
}

/// Any finite numbers.
std::vector<double> random_edges(int count, std::uint64_t seed) {
    sample const numbers = generate(data_class::any_finite_bits, sf::dtype::float64, count, seed);
    std::vector<double> edges;
    for (std::int64_t i = 0; i < count; ++i) edges.push_back(static_cast<double>(value_of(numbers, i)));
    std::sort(edges.begin(), edges.end());
    edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
    return edges;
}

/// Integers only, many of them missing.
std::vector<double> sparse_integers(std::uint64_t seed) {
    random_source random{seed};
    std::vector<double> edges = {-300};
    while (edges.back() < 300) edges.push_back(edges.back() + random.between(1, 9));
    return edges;
}

std::vector<named_bins> make_bins() {
    constexpr double tiny = DBL_TRUE_MIN, eps = DBL_EPSILON;
    std::vector<named_bins> all;
    auto const uniform = [&all](double low, double high, std::int64_t count) {
        char name[96];
        std::snprintf(name, sizeof name, "%lld from %g to %g", static_cast<long long>(count), low, high);
        all.push_back({name, sf::uniform_bins(low, high, count)});
    };
    auto const given = [&all](std::string const& name, std::vector<double> edges) {
        all.push_back({name, sf::bin_edges(std::move(edges))});
    };
    uniform(0, 1, 10);
    uniform(-3, 3, 1);
    uniform(-3, 3, 7);
    uniform(-DBL_MAX, DBL_MAX, 9);
    uniform(-1e300, DBL_MAX, 1000);
    uniform(-FLT_MAX, FLT_MAX, 64);
    uniform(0, 20 * tiny, 20);
    uniform(-1e-310, 1e-310, 101);
    uniform(1, 1 + 64 * eps, 64);     // as narrow as can be
    uniform(1, 1 + 0x1p-20, 1 << 16); // several to a float32 number
    uniform(1, 1 + 0x1p-30, 5);       // no float32 number but the first edge
    uniform(1e39, 1e40, 10);          // none at all
    uniform(-1e40, -1e39, 10);
    uniform(-128, 128, 256);
    uniform(-65504, 65504, 300);
    uniform(0.1, 0.9, 100000);
    uniform(-5, 5, 9001); // beyond what fits the GPU's shared memory
    uniform(-0x1p63, 0x1p63, 1000);
    uniform(0, 0x1p64, 4097);
    uniform(0x1p63 - 0x1p14, 0x1p63 + 0x1p14, 12);
    uniform(0x1p60, 0x1p60 + 0x1p12, 7); // edges between which integers are not all float64 numbers
    given("powers of two", powers(0x1p-24, 2, 60));
    given("powers of ten", powers(1e-9, 10, 20));
    given("any numbers", random_edges(3000, 7));
    given("many numbers", random_edges(20000, 8));
    given("sparse integers", sparse_integers(9));
    given("ends of int64", {-0x1p63, -1, 0, 1, 0x1p53 + 2, 0x1p62, 0x1p63});
    given("beyond int64", {-0x1p70, -0x1p63, 0x1p63, 0x1p64, 0x1p70});
    given("below a long integer", {-1e18, 1e18});
    given("zero and the smallest numbers", {-tiny, 0, tiny, 0x1p-149, 0x1p-148, 0x1p-133});
    return all;
}

} // namespace

std::vector<named_bins> const& all_bins() {
    static std::vector<named_bins> const bins = make_bins();
    return bins;
}

std::vector<sf::dtype> real_types() {
    std::vector<sf::dtype> types;
    for (int t = 0; t < sf::dtype_count; ++t)
        if (auto const type = static_cast<sf::dtype>(t); !sf::is_complex(type)) types.push_back(type);
    return types;
}

void expect_same(sf::histogram_result const& got, sf::histogram_result const& expected, std::string const& label) {
    if (got == expected) return;
    ADD_FAILURE() << label << ": below " << got.below << " not " << expected.below << ", above " << got.above << " not "
                  << expected.above << ", nan " << got.nan << " not " << expected.nan << ", total " << got.total
                  << " not " << expected.total << ", " << got.counts.size() << " bins not " << expected.counts.size();
    int shown = 0;
    for (std::size_t i = 0; i < std::min(got.counts.size(), expected.counts.size()) && shown < 5; ++i)
        if (got.counts[i] != expected.counts[i]) {
            ADD_FAILURE() << "bin " << i << " has " << got.counts[i] << " not " << expected.counts[i];
            ++shown;
        }
}

} // namespace oracle
