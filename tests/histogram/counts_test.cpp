// Counts on the host against brute force, for every type and many bins, however they are run.
#include "histogram/bin_table.hpp"
#include "histogram/brute_force.hpp"
#include "steadfold/partition.hpp"
#include "support/number_formats.hpp"

#include <cfenv>
#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

namespace {

using namespace oracle;

sf::execution threads(int count) {
    return {.threads = count};
}

struct counts : testing::TestWithParam<sf::dtype> {
    /// Classes of data, one for each set of bins in turn.
    [[nodiscard]] data_class class_for(std::size_t i) const {
        auto const classes = classes_of(GetParam());
        return classes[i % classes.size()];
    }
};

TEST_P(counts, of_data_on_and_beside_edges) {
    for (std::size_t b = 0; b < all_bins().size(); ++b) {
        auto const& [name, bins] = all_bins()[b];
        sf::histogram_counter counter{GetParam(), bins, {}, threads(1)};
        for (std::int64_t const n : {0, 1, 2, 5, 31, 700, 2048, 6001}) {
            sample const data = near_edges(class_for(b + static_cast<std::size_t>(n)), GetParam(), bins.edges(), n,
                                           static_cast<std::uint64_t>(n) + b);
            counter.add(data.view());
            expect_same(counter.finish(), brute_force(data, bins.edges()), data.label + ", bins " + name);
        }
    }
}

TEST_P(counts, of_every_class_of_data) {
    for (data_class const which : classes_of(GetParam()))
        for (std::size_t const b : {std::size_t{0}, std::size_t{2}, std::size_t{3}, std::size_t{13}, std::size_t{21}}) {
            auto const& [name, bins] = all_bins()[b];
            sample const data = generate(which, GetParam(), 3001, b);
            expect_same(sf::histogram({}, data.view(), bins), brute_force(data, bins.edges()),
                        data.label + ", bins " + name);
        }
}

TEST_P(counts, do_not_depend_on_threads_pieces_alignment_and_merging) {
    for (std::size_t b = 0; b < all_bins().size(); b += 3) {
        auto const& [name, bins] = all_bins()[b];
        std::int64_t const n = 100003;
        sample const data = near_edges(class_for(b), GetParam(), bins.edges(), n, b);
        sf::histogram_result const expected = brute_force(data, bins.edges());
        std::string const label = data.label + ", bins " + name;
        sf::histogram_counter four{GetParam(), bins, {}, threads(4)}, one{GetParam(), bins, {}, threads(1)};
        four.add(data.view());
        expect_same(four.finish(), expected, label + ", 4 threads");
        for (std::int64_t first = 0, length = 1; first < n; first += length, length = length * 3 / 2 + 1) {
            length = std::min(length, n - first);
            (length % 2 == 0 ? one : four).add(data.part(first, length)); // odd starts: other alignments
        }
        one.merge(four);
        expect_same(one.finish(), expected, label + ", in pieces");
        expect_same(four.finish(), brute_force(generate(class_for(b), GetParam(), 0, 1), bins.edges()), "moved away");
    }
}

TEST_P(counts, of_strided_data_are_those_of_its_elements) {
    sf::histogram_bins const& bins = all_bins()[3].bins;
    for (std::int64_t const stride : {-7, -1, 0, 2, 5})
        for (std::int64_t const n : {0, 1, 2048, 2049, 60001}) {
            std::int64_t const reach = n * std::abs(stride) + 1, first = stride < 0 ? reach - 1 : 0;
            sample const data = near_edges(class_for(4), GetParam(), bins.edges(), reach, 8);
            sample together{data.type, n, {}, data.label + ", stride " + std::to_string(stride)};
            for (std::int64_t i = 0; i < n; ++i)
                together.bytes.insert(together.bytes.end(), data.at(first + i * stride),
                                      data.at(first + i * stride) + sf::size_bytes(data.type));
            sf::histogram_counter counter{data.type, bins, {}, threads(3)};
            counter.add({data.at(first), n, data.type, stride});
            expect_same(counter.finish(), brute_force(together, bins.edges()), together.label);
        }
}

TEST_P(counts, of_missing_values_are_those_of_nan) {
    if (!sf::is_integer(GetParam())) GTEST_SKIP() << "floating-point data has NaN";
    sf::histogram_bins const bins = sf::uniform_bins(-10, 10, 20);
    for (std::int64_t const missing :
         {std::int64_t{0}, std::int64_t{-1}, std::int64_t{3}, std::int64_t{10}, std::int64_t{127}, std::int64_t{255},
          std::int64_t{-128}, INT64_MIN, INT64_MAX, (std::int64_t{1} << 53) + 1}) {
        sample data = near_edges(data_class::integer_extremes, GetParam(), bins.edges(), 3000, 4);
        std::size_t const bytes = sf::size_bytes(GetParam());
        for (std::size_t i = 0; i < 3000; i += 7)
            write_bits(data.bytes.data() + i * bytes, bytes, static_cast<std::uint64_t>(missing));
        expect_same(sf::histogram({}, data.view(), bins, {.missing = missing}),
                    brute_force(data, bins.edges(), missing), data.label + ", missing " + std::to_string(missing));
    }
}

TEST_P(counts, do_not_depend_on_the_callers_floating_point_environment) {
    for (std::size_t b = 0; b < all_bins().size(); ++b) {
        auto const& [name, bins] = all_bins()[b];
        sample const data = near_edges(class_for(b), GetParam(), bins.edges(), 3001, b);
        sf::histogram_result const expected = brute_force(data, bins.edges());
        for (int const mode : {FE_UPWARD, FE_DOWNWARD}) {
            std::fesetround(mode);
#if defined(__x86_64__)
            unsigned const before = _mm_getcsr();
            _mm_setcsr(before | 0x8040u); // flush to zero, denormals are zero
#endif
            sf::histogram_result const got = sf::histogram({}, data.view(), bins);
#if defined(__x86_64__)
            EXPECT_EQ(_mm_getcsr() & 0xe040u, (before | 0x8040u) & 0xe040u) << "not given back";
            _mm_setcsr(before);
#endif
            std::fesetround(FE_TONEAREST);
            expect_same(got, expected, data.label + ", bins " + name);
        }
    }
}

// What kernels run: the table in the type they compare in.
template <class Key>
void check_table(sample const& data, named_bins const& named) {
    sf::histogram_detail::owned_bin_table<Key> const owned{named.bins};
    sf::histogram_detail::bin_table<Key> const table = owned.ref();
    std::vector<std::int64_t> slots(owned.thresholds().size()); // below, bins, above, NaN
    for (std::int64_t i = 0; i < data.n; ++i)
        ++slots[static_cast<std::size_t>(table.slot(static_cast<Key>(value_of(data, i))))];
    sf::histogram_result const got{.counts = {slots.begin() + 1, slots.end() - 2},
                                   .below = slots.front(),
                                   .above = slots.end()[-2],
                                   .nan = slots.back(),
                                   .total = data.n};
    expect_same(got, brute_force(data, named.bins.edges()), data.label + ", table of bins " + named.name);
}

TEST_P(counts, by_the_table_of_the_kernels) {
    if (sf::is_integer(GetParam()) && sf::size_bytes(GetParam()) == 8) GTEST_SKIP() << "rounded on the device";
    for (std::size_t b = 0; b < all_bins().size(); ++b) {
        sample const data = near_edges(class_for(b), GetParam(), all_bins()[b].bins.edges(), 4000, b);
        if (sf::histogram_detail::fits_float(GetParam())) check_table<float>(data, all_bins()[b]);
        check_table<double>(data, all_bins()[b]);
    }
}

INSTANTIATE_TEST_SUITE_P(all, counts, testing::ValuesIn(real_types()),
                         [](auto const& info) { return std::string(sf::name(info.param)); });

TEST(counts_of_many, bins_and_elements) {
    for (sf::histogram_bins const& bins : {sf::uniform_bins(-3, 3, 1 << 20), sf::uniform_bins(-4, 4, 1 << 12)}) {
        sample const data = near_edges(data_class::gaussian, sf::dtype::float64, bins.edges(), 1 << 20, 3);
        expect_same(sf::histogram({}, data.view(), bins), brute_force(data, bins.edges()), data.label);
    }
}

TEST(counts_of_partitioned, arrays) {
    sf::array<float> x{sf::block_partition({1000})};
    sample const data = generate(data_class::gaussian, sf::dtype::float32, 1000, 3);
    x.copy_from_host(sf::view{reinterpret_cast<float const*>(data.bytes.data()), 1000});
    sf::histogram_bins const bins = sf::uniform_bins(-1, 1, 10);
    expect_same(sf::histogram({}, x, bins), brute_force(data, bins.edges()), data.label);
}

TEST(counts_of_typed, views) {
    std::vector<double> const x = {0, 0.1, 0.3, 0.5, 1, -1, 2, HUGE_VAL, -HUGE_VAL, std::nan("")};
    sf::histogram_result const got = sf::histogram({}, sf::view<double const>(x), sf::uniform_bins(0, 1, 10));
    EXPECT_EQ(got.counts, (std::vector<std::int64_t>{1, 1, 0, 1, 0, 1, 0, 0, 0, 1}));
    EXPECT_EQ(got.below, 2);
    EXPECT_EQ(got.above, 2);
    EXPECT_EQ(got.nan, 1);
    EXPECT_EQ(got.total, 10);
}

} // namespace
