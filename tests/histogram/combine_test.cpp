// The messages between ranks, with transports that play many equal ranks, and one that disagrees.
#include "histogram/brute_force.hpp"
#include "steadfold/error.hpp"

#include <set>

namespace {

using namespace oracle;

/// Answers every sum as if all ranks had sent what this one sent.
struct equal_ranks : sf::communicator_backend {
    explicit equal_ranks(int count) : count_{count} {}
    int rank() const noexcept override { return 0; }
    int size() const noexcept override { return count_; }
    std::string_view transport() const noexcept override { return "equal ranks"; }
    void all_reduce_sum(std::span<std::int64_t> words, std::chrono::nanoseconds) override {
        lengths.push_back(words.size());
        if (lengths.size() == 1) signature.assign(words.begin(), words.end());
        for (std::int64_t& word : words) word *= count_;
    }
    void all_gather(std::span<std::byte const>, std::span<std::byte>, std::chrono::nanoseconds) override {
        ADD_FAILURE() << "nothing is gathered";
    }
    std::vector<std::size_t> lengths;
    std::vector<std::int64_t> signature;

  private:
    int count_;
};

TEST(histogram_combine, of_many_equal_ranks_is_the_data_many_times_beyond_2_32) {
    sf::histogram_bins const bins = sf::uniform_bins(-1, 1, 3);
    for (int const ranks : {2, 3, 1000, 1 << 20}) {
        sample const data = near_edges(data_class::gaussian, sf::dtype::float32, bins.edges(), 40000, 3);
        auto const backend = std::make_shared<equal_ranks>(ranks);
        expect_same(sf::histogram(sf::communicator{backend}, data.view(), bins),
                    repeated(brute_force(data, bins.edges()), ranks), data.label);
        EXPECT_EQ(backend->lengths, (std::vector<std::size_t>{8, 6})); // the first is always as long
    }
}

/// What a rank with this request tells the others before it sends counts.
std::vector<std::int64_t> signature_of(sf::dtype type, sf::histogram_bins const& bins,
                                       sf::histogram_options const& options = {}) {
    auto const backend = std::make_shared<equal_ranks>(2);
    sf::histogram_counter counter{type, bins, options};
    (void)counter.finish(sf::communicator{backend});
    return backend->signature;
}

TEST(histogram_combine, every_choice_changes_the_signature) {
    sf::histogram_bins const ten = sf::uniform_bins(0, 10, 10);
    std::set<std::vector<std::int64_t>> seen;
    std::size_t choices = 0;
    auto const choose = [&](auto const&... request) {
        auto const signature = signature_of(request...);
        ++choices;
        seen.insert(signature);
        for (std::size_t i = 0; i < signature.size(); i += 2) {
            EXPECT_LT(signature[i], 1 << 16);
            EXPECT_GE(signature[i], 0);
            EXPECT_EQ(signature[i + 1], signature[i] * signature[i]);
        }
    };
    for (sf::dtype const type : real_types()) choose(type, ten);
    for (std::int64_t const missing : {std::int64_t{0}, std::int64_t{1}, std::int64_t{-1}, INT64_MIN})
        choose(sf::dtype::int32, ten, sf::histogram_options{.missing = missing});
    choose(sf::dtype::int32, sf::uniform_bins(0, 10, 11));
    choose(sf::dtype::int32, sf::bin_edges({0, 10}));
    choose(sf::dtype::int32, sf::bin_edges({0, 10, 20}));
    choose(sf::dtype::int32, sf::bin_edges({0, 10, std::nextafter(20, 30)}));
    EXPECT_EQ(seen.size(), choices);
    EXPECT_EQ(signature_of(sf::dtype::int32, sf::bin_edges({0, 1, 2})),
              signature_of(sf::dtype::int32, sf::uniform_bins(0, 2, 2)));
}

/// One of the ranks has another signature than this one, in one of its pieces.
struct one_disagrees final : equal_ranks {
    using equal_ranks::equal_ranks;
    void all_reduce_sum(std::span<std::int64_t> words, std::chrono::nanoseconds deadline) override {
        std::int64_t const mine = words[piece], other = mine ^ difference;
        equal_ranks::all_reduce_sum(words, deadline);
        words[piece] += other - mine;
        words[piece + 1] += other * other - mine * mine;
    }
    std::int64_t difference = 1;
    std::size_t piece = 0;
};

TEST(histogram_combine, one_rank_that_disagrees_is_noticed_among_many) {
    std::vector<double> const x = {1, 2, 3};
    for (int const ranks : {2, 3, 1024, 1 << 20})
        for (std::int64_t const difference : {1, 1 << 15, 0xffff})
            for (std::size_t const piece : {std::size_t{0}, std::size_t{6}}) {
                auto const backend = std::make_shared<one_disagrees>(ranks);
                backend->difference = difference;
                backend->piece = piece;
                sf::communicator const world{backend};
                try {
                    (void)sf::histogram(world, sf::view<double const>(x), sf::uniform_bins(0, 1, 77));
                    ADD_FAILURE() << "not noticed among " << ranks;
                } catch (sf::mismatch_error const& e) {
                    EXPECT_NE(std::string(e.what()).find("77 bins of float64"), std::string::npos) << e.what();
                }
                EXPECT_FALSE(world.poisoned());
                EXPECT_EQ(backend->lengths.size(), 1u) << "counts of different lengths must not meet";
            }
}

} // namespace
