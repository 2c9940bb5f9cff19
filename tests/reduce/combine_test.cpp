// The message between ranks, with a transport that plays many equal ranks, and one that disagrees.
#include "steadfold/error.hpp"
#include "support/check.hpp"

#include <cfenv>
#include <cstring>
#include <gtest/gtest.h>
#include <map>
#include <memory>

namespace {

using namespace oracle;

/// Answers every collective as if all ranks had sent what this one sent.
struct equal_ranks : sf::communicator_backend {
    explicit equal_ranks(int count) : count_{count} {}
    int rank() const noexcept override { return 0; }
    int size() const noexcept override { return count_; }
    std::string_view transport() const noexcept override { return "equal ranks"; }
    void all_reduce_sum(std::span<std::int64_t> words, std::chrono::nanoseconds) override {
        ++reductions;
        length = words.size();
        first_word = words[0];
        for (std::int64_t& word : words)
            word = static_cast<std::int64_t>(static_cast<std::uint64_t>(word) * static_cast<std::uint64_t>(count_));
    }
    void all_gather(std::span<std::byte const> mine, std::span<std::byte> all, std::chrono::nanoseconds) override {
        ++gathers;
        for (int r = 0; r < count_; ++r)
            std::memcpy(all.data() + static_cast<std::size_t>(r) * mine.size(), mine.data(), mine.size());
    }
    int reductions = 0, gathers = 0;
    std::size_t length = 0;
    std::int64_t first_word = 0;

  private:
    int count_;
};

TEST(combine, of_many_equal_ranks_is_the_data_many_times) {
    for (int const ranks : {2, 3, 1000, 1 << 16})
        for (sf::dtype const type :
             {sf::dtype::float64, sf::dtype::float16, sf::dtype::int64, sf::dtype::uint8, sf::dtype::complex128})
            for (data_class const which : classes_of(type)) {
                sample const s = generate(which, type, 300, 90);
                sf::communicator const world{std::make_shared<equal_ranks>(ranks)};
                auto const got = sf::reduce(world, s.view(), operations_of(type));
                expect_results(got, repeated(summarise(s.bytes.data(), s.n, type), ranks), {},
                               s.label + " ranks " + std::to_string(ranks));
            }
}

TEST(combine, adds_fast_sums_in_the_default_rounding_mode) {
    double const x = 0.1;
    auto const sum = [&x] {
        sf::communicator const world{std::make_shared<equal_ranks>(7)};
        return sf::reduce(world, sf::view<double const>(&x, 1), sf::sum, {.mode = sf::reduction_mode::fast}).sum;
    };
    double const expected = sum();
    for (int const mode : {FE_UPWARD, FE_DOWNWARD}) {
        std::fesetround(mode);
        double const got = sum();
        std::fesetround(FE_TONEAREST);
        EXPECT_EQ(got, expected);
    }
}

TEST(combine, takes_one_message_of_fixed_length_and_one_gather_for_extrema) {
    std::size_t length = 0;
    for (sf::dtype const type : {sf::dtype::float64, sf::dtype::int8, sf::dtype::complex64}) {
        auto const backend = std::make_shared<equal_ranks>(4);
        sample const s = generate(classes_of(type).front(), type, 10, 91);
        (void)sf::reduce(sf::communicator{backend}, s.view(), sf::sum | sf::variance);
        EXPECT_EQ(backend->reductions, 1);
        EXPECT_EQ(backend->gathers, 0);
        EXPECT_TRUE(length == 0 || backend->length == length) << "ranks that disagree must still meet in one call";
        length = backend->length;
        if (sf::is_complex(type)) continue;
        (void)sf::reduce(sf::communicator{backend}, s.view(), sf::extrema);
        EXPECT_EQ(backend->reductions, 2);
        EXPECT_EQ(backend->gathers, 1);
    }
}

/// Every choice on which ranks must agree, changed one at a time.
struct request {
    sf::dtype type = sf::dtype::int32;
    sf::operation_set operations = sf::sum | sf::variance;
    sf::reduce_options options;
};

std::vector<request> different_requests() {
    std::vector<request> all = {{}};
    for (int t = 0; t < sf::dtype_count; ++t)
        if (auto const type = static_cast<sf::dtype>(t); type != sf::dtype::int32)
            all.push_back({.type = type, .options = {}});
    for (auto const ops : {sf::sum, sf::sum | sf::mean, sf::extrema, sf::sum | sf::variance | sf::stddev,
                           sf::sum | sf::variance | sf::count})
        all.push_back({.operations = ops, .options = {}});
    all.push_back({.options = {.mode = sf::reduction_mode::fast}});
    all.push_back({.options = {.nans = sf::nan_policy::ignore}});
    all.push_back({.options = {.ddof = 1}});
    for (std::int64_t const missing : {std::int64_t{0}, std::int64_t{-1}, std::int64_t{1}, INT64_MIN})
        all.push_back({.options = {.missing = missing}});
    for (int t = 0; t < sf::dtype_count; ++t)
        if (auto const type = static_cast<sf::dtype>(t); !sf::is_complex(type))
            all.push_back({.options = {.result = type}});
    return all;
}

std::int64_t signature_of(request const& r) {
    auto const backend = std::make_shared<equal_ranks>(2);
    sf::reduction reduction{r.type, r.operations, r.options};
    (void)reduction.finish(sf::communicator{backend});
    return backend->first_word;
}

TEST(combine, every_choice_changes_the_signature) {
    std::map<std::int64_t, std::size_t> seen;
    auto const all = different_requests();
    for (std::size_t i = 0; i < all.size(); ++i) {
        std::int64_t const h = signature_of(all[i]);
        EXPECT_GE(h, 0);
        EXPECT_LT(h, 1 << 20);
        auto const [at, is_new] = seen.emplace(h, i);
        EXPECT_TRUE(is_new) << "requests " << i << " and " << at->second << " look alike to other ranks";
    }
}

/// One of the ranks sends another signature than this one.
struct one_disagrees final : equal_ranks {
    using equal_ranks::equal_ranks;
    void all_reduce_sum(std::span<std::int64_t> words, std::chrono::nanoseconds deadline) override {
        std::int64_t const mine = words[0], other = mine ^ difference;
        equal_ranks::all_reduce_sum(words, deadline);
        words[0] += other - mine;
        words[1] += other * other - mine * mine;
    }
    std::int64_t difference = 1;
};

TEST(combine, one_rank_that_disagrees_is_noticed_among_many) {
    std::vector<double> const x = {1, 2, 3};
    for (int const ranks : {2, 3, 1024, 1 << 20})
        for (std::int64_t const difference : {std::int64_t{1}, std::int64_t{1} << 19, std::int64_t{0xfffff}}) {
            auto const backend = std::make_shared<one_disagrees>(ranks);
            backend->difference = difference;
            sf::communicator const world{backend};
            try {
                (void)sf::reduce(world, sf::array_view(sf::view<double const>(x)), sf::sum);
                ADD_FAILURE() << "not noticed among " << ranks;
            } catch (sf::mismatch_error const& e) {
                EXPECT_NE(std::string(e.what()).find("sum of float64"), std::string::npos) << e.what();
            }
            EXPECT_FALSE(world.poisoned()); // a mistake in a call, not a broken transport
        }
}

} // namespace
