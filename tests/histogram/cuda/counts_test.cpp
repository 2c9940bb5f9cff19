// Counts of the CUDA back end against brute force, for every type and many bins, grid, alignment and kind of memory.
#include "histogram/brute_force.hpp"
#include "reduce/cuda/device_memory.hpp"
#include "support/spread.hpp"

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

    /// Every type sees every set of bins; what costs more is shared out, so that each is seen with one set in `of`.
    [[nodiscard]] bool has_turn(std::size_t b, std::size_t of) const {
        return b % of == static_cast<std::size_t>(GetParam()) % of;
    }

    [[nodiscard]] sample data_for(std::size_t b, std::int64_t n) const {
        return near_edges(class_for(b), GetParam(), all_bins()[b].bins.edges(), n, b);
    }
};

void expect_from_device(sf::histogram_counter& counter, sample const& data, sf::histogram_result const& expected,
                        std::string const& label, std::size_t offset = 0) {
    device_bytes const memory{data.bytes, offset};
    counter.add({memory.data(), data.n, data.type});
    expect_same(counter.finish(), expected, data.label + " on the device, " + label);
}

void expect_from_host(sf::histogram_counter& counter, sample const& data, sf::histogram_result const& expected,
                      std::string const& label) {
    counter.add(data.view());
    expect_same(counter.finish(), expected, data.label + " from the host, " + label);
}

TEST_P(cuda_counts, of_data_on_and_beside_edges) {
    for (std::size_t b = 0; b < all_bins().size(); ++b) {
        auto const& [name, bins] = all_bins()[b];
        sf::histogram_counter counter{GetParam(), bins, {}, on_gpu};
        std::vector<std::int64_t> counts = {0, 1, 17, 3000};
        if (has_turn(b, 5)) counts.push_back(40009); // many blocks
        for (std::int64_t const n : counts) {
            sample const data = data_for(b, n);
            sf::histogram_result const expected = brute_force(data, bins.edges());
            expect_from_device(counter, data, expected, "bins " + name);
            if (has_turn(b, 4)) expect_from_host(counter, data, expected, "bins " + name);
        }
    }
}

TEST_P(cuda_counts, do_not_depend_on_the_grid) {
    for (std::size_t b = 0; b < all_bins().size(); ++b) {
        if (!has_turn(b, 6)) continue;
        auto const& [name, bins] = all_bins()[b];
        sample const data = data_for(b, 20011);
        sf::histogram_result const expected = brute_force(data, bins.edges());
        for (auto const& [blocks, threads] : {std::pair{1, 32}, {1, 512}, {2, 96}, {132, 128}, {1000, 64}}) {
            sf::histogram_counter counter{GetParam(), bins, {}, grid(blocks, threads)};
            expect_from_device(counter, data, expected, std::to_string(blocks) + " blocks, bins " + name);
        }
    }
}

TEST_P(cuda_counts, do_not_depend_on_alignment) {
    std::size_t const step = sf::size_bytes(GetParam());
    for (std::size_t b = 0; b < all_bins().size(); ++b) {
        if (!has_turn(b, 8)) continue;
        auto const& [name, bins] = all_bins()[b];
        sf::histogram_counter counter{GetParam(), bins, {}, grid(3, 64)};
        for (std::int64_t const n : {1, 5, 16, 1001}) {
            sample const data = data_for(b, n);
            sf::histogram_result const expected = brute_force(data, bins.edges());
            for (std::size_t offset = 0; offset < 16; offset += step)
                expect_from_device(counter, data, expected, "offset " + std::to_string(offset), offset);
        }
    }
}

TEST_P(cuda_counts, of_strided_data_are_those_of_its_elements) {
    for (std::size_t b = 0; b < all_bins().size(); ++b) {
        if (!has_turn(b, 6)) continue;
        auto const& [name, bins] = all_bins()[b];
        sf::histogram_counter counter{GetParam(), bins, {}, on_gpu};
        for (std::int64_t const stride : {-7, -1, 0, 2, 5})
            for (std::int64_t const n : {1, 33, 30001}) {
                spread_sample const x = spread(data_for(b, n), stride, b);
                sf::histogram_result const expected = brute_force(x.together, bins.edges());
                device_bytes const copy{x.memory};
                counter.add(x.at(copy.data()));
                expect_same(counter.finish(), expected, x.together.label + ", bins " + name);
                counter.add(x.view());
                expect_same(counter.finish(), expected, x.together.label + " from the host, bins " + name);
            }
    }
}

TEST_P(cuda_counts, in_pieces_and_merged_with_the_host) {
    std::int64_t const n = 9001, third = n / 3;
    for (std::size_t b = 0; b < all_bins().size(); ++b) {
        if (!has_turn(b, 5)) continue;
        auto const& [name, bins] = all_bins()[b];
        sample const data = data_for(b, n);
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
    constexpr std::int64_t n = 20000;
    for (std::size_t b = 0; b < all_bins().size(); ++b) {
        if (!has_turn(b, 2)) continue;
        auto const& [name, bins] = all_bins()[b];
        sf::histogram_counter counter{GetParam(), bins, {}, on_gpu};
        for (std::uint64_t const seed : {1u, 2u, 3u}) {
            sample data = near_edges(class_for(b), GetParam(), bins.edges(), 1, seed);
            sf::histogram_result const expected = repeated(brute_force(data, bins.edges()), n);
            std::vector<std::byte> const one = data.bytes;
            for (data.n = 1; data.n < n; ++data.n) data.bytes.insert(data.bytes.end(), one.begin(), one.end());
            expect_from_device(counter, data, expected, "bins " + name);
        }
    }
}

// For compute-sanitizer, under which everything is slow: both kernels of every type, both kinds of bins.
TEST_P(cuda_counts, Sanitizer_every_kernel) {
    sf::histogram_bins const few = sf::uniform_bins(-2, 2, 50), many = sf::uniform_bins(-2, 2, 8200);
    for (sf::histogram_bins const& uniform : {few, many})
        for (bool const given : {false, true}) {
            std::vector<double> const edges(uniform.edges().begin(), uniform.edges().end());
            sf::histogram_bins const bins = given ? sf::bin_edges(edges) : uniform;
            sample const data = near_edges(class_for(5), GetParam(), edges, 1500, 6);
            sf::histogram_result const expected = brute_force(data, edges);
            for (sf::execution const& where : {grid(2, 64), on_gpu}) {
                sf::histogram_counter counter{GetParam(), bins, {}, where};
                expect_from_device(counter, data, expected, std::to_string(edges.size()) + " edges");
                expect_from_host(counter, data, expected, std::to_string(edges.size()) + " edges");
            }
        }
}

std::string type_name(testing::TestParamInfo<sf::dtype> const& info) {
    return std::string(sf::name(info.param));
}

INSTANTIATE_TEST_SUITE_P(all, cuda_counts, testing::ValuesIn(real_types()), type_name);

} // namespace
