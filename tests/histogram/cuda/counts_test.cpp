// Counts of the CUDA back end against brute force, for every type and many bins, grid, alignment and kind of memory.
#include "histogram/brute_force.hpp"
#include "reduce/cuda/device_memory.hpp"

#include <array>
#include <utility>

namespace {

using namespace oracle;

constexpr sf::execution on_gpu{.kind = sf::processor_kind::cuda};

sf::execution grid(int blocks, int threads) {
    return {.kind = sf::processor_kind::cuda, .blocks = blocks, .threads_per_block = threads};
}

struct cuda_counts : cuda_test, testing::WithParamInterface<sf::dtype> {
    [[nodiscard]] data_class class_for(std::size_t i) const {
        auto const classes = classes_of(GetParam());
        return classes[i % classes.size()];
    }

    /// From host and from device memory.
    void check(named_bins const& named, sf::execution const& where, std::int64_t n, std::uint64_t seed) {
        sample const data = near_edges(class_for(seed), GetParam(), named.bins.edges(), n, seed);
        sf::histogram_result const expected = brute_force(data, named.bins.edges());
        sf::histogram_counter counter{GetParam(), named.bins, {}, where};
        counter.add(data.view());
        expect_same(counter.finish(), expected, data.label + " from the host, bins " + named.name);
        device_bytes const memory{data.bytes};
        counter.add({memory.data(), n, GetParam()});
        expect_same(counter.finish(), expected, data.label + " on the device, bins " + named.name);
    }
};

TEST_P(cuda_counts, of_data_on_and_beside_edges) {
    for (std::size_t b = 0; b < all_bins().size(); ++b)
        for (std::int64_t const n : {0, 1, 17, 3000, 100003}) check(all_bins()[b], on_gpu, n, b);
}

TEST_P(cuda_counts, do_not_depend_on_the_grid) {
    for (std::size_t b = 0; b < all_bins().size(); b += 3)
        for (auto const& [blocks, threads] : {std::pair{1, 32}, {1, 512}, {2, 96}, {132, 128}, {1000, 64}})
            check(all_bins()[b], grid(blocks, threads), 20011, b + 1);
}

TEST_P(cuda_counts, do_not_depend_on_alignment) {
    std::size_t const step = sf::size_bytes(GetParam());
    for (std::size_t b = 0; b < all_bins().size(); b += 4) {
        auto const& [name, bins] = all_bins()[b];
        sf::histogram_counter counter{GetParam(), bins, {}, grid(3, 64)};
        for (std::int64_t const n : {1, 5, 16, 1001}) {
            sample const data = near_edges(class_for(b), GetParam(), bins.edges(), n, b);
            sf::histogram_result const expected = brute_force(data, bins.edges());
            for (std::size_t offset = 0; offset < 16; offset += step) {
                device_bytes const memory{data.bytes, offset};
                counter.add({memory.data(), n, GetParam()});
                expect_same(counter.finish(), expected, data.label + " offset " + std::to_string(offset));
            }
        }
    }
}

TEST_P(cuda_counts, in_pieces_and_merged_with_the_host) {
    std::int64_t const n = 30001, third = n / 3;
    for (std::size_t b = 0; b < all_bins().size(); b += 3) {
        auto const& [name, bins] = all_bins()[b];
        sample const data = near_edges(class_for(b), GetParam(), bins.edges(), n, b);
        sf::histogram_counter host{GetParam(), bins}, all{GetParam(), bins, {}, on_gpu},
            few{GetParam(), bins, {}, grid(2, 64)};
        host.add(data.part(0, third));
        all.add(data.part(third, third));
        few.add(data.part(2 * third, 7));
        few.add(data.part(2 * third + 7, n - 2 * third - 7));
        all.merge(host);
        few.merge(all);
        expect_same(few.finish(), brute_force(data, bins.edges()), data.label + ", bins " + name);
        EXPECT_EQ(all.finish().total, 0);
    }
}

TEST_P(cuda_counts, of_missing_values_are_those_of_nan) {
    if (!sf::is_integer(GetParam())) return;
    sf::histogram_bins const bins = sf::uniform_bins(-10, 10, 20);
    sample const data = near_edges(data_class::integer_extremes, GetParam(), bins.edges(), 5000, 4);
    for (std::int64_t const missing : {std::int64_t{0}, std::int64_t{-1}, std::int64_t{3}, std::int64_t{127},
                                       std::int64_t{255}, std::int64_t{-128}, INT64_MIN, INT64_MAX}) {
        sf::histogram_counter counter{GetParam(), bins, {.missing = missing}, on_gpu};
        counter.add(data.view());
        expect_same(counter.finish(), brute_force(data, bins.edges(), missing),
                    data.label + ", missing " + std::to_string(missing));
    }
}

// Equal elements: every thread of a warp wants the same count.
TEST_P(cuda_counts, of_equal_elements) {
    for (std::size_t b = 0; b < all_bins().size(); b += 2) {
        auto const& [name, bins] = all_bins()[b];
        for (std::uint64_t seed : {1u, 2u, 3u}) {
            sample data = near_edges(class_for(b), GetParam(), bins.edges(), 1, seed);
            std::vector<std::byte> const one = data.bytes;
            for (data.n = 1; data.n < 70000; ++data.n) data.bytes.insert(data.bytes.end(), one.begin(), one.end());
            sf::histogram_counter counter{GetParam(), bins, {}, on_gpu};
            counter.add(data.view());
            expect_same(counter.finish(), brute_force(data, bins.edges()), data.label + ", bins " + name);
        }
    }
}

// For compute-sanitizer, under which everything is slow: both kernels of every type, both kinds of bins.
TEST_P(cuda_counts, Sanitizer_every_kernel) {
    sf::histogram_bins const few = sf::uniform_bins(-2, 2, 50), many = sf::uniform_bins(-2, 2, 8200);
    for (sf::histogram_bins const& bins : {few, many})
        for (bool const uniform : {true, false}) {
            std::vector<double> const edges(bins.edges().begin(), bins.edges().end());
            named_bins const named{std::to_string(bins.count()), uniform ? bins : sf::bin_edges(edges)};
            check(named, grid(2, 64), 777, 5);
            check(named, on_gpu, 1500, 6);
        }
}

std::string type_name(testing::TestParamInfo<sf::dtype> const& info) {
    return std::string(sf::name(info.param));
}

INSTANTIATE_TEST_SUITE_P(all, cuda_counts, testing::ValuesIn(real_types()), type_name);

} // namespace
