// Workspaces and futures on the host, against the oracle; what several ranks do with a twin that has the same data.
#include "reduce/named_results.hpp"
#include "reduce/twin_ranks.hpp"
#include "steadfold/error.hpp"
#include "steadfold/future.hpp"
#include "steadfold/workspace.hpp"
#include "support/check.hpp"

#include <complex>
#include <functional>
#include <gtest/gtest.h>

namespace {

using namespace oracle;
using namespace std::chrono_literals;

constexpr sf::operation_set dot{sf::operation::dot};

TEST(workspace, gives_the_oracles_bits_for_every_type_and_class_again_and_again) {
    for (int t = 0; t < sf::dtype_count; ++t) {
        auto const type = static_cast<sf::dtype>(t);
        sf::operation_set const all = operations_of(type);
        sf::workspace work{type, all};
        for (data_class const which : classes_of(type))
            for (std::int64_t const n : {0, 1, 7, 1000}) {
                sample const s = generate(which, type, n, static_cast<std::uint64_t>(n) + 1);
                std::vector<sf::result_value> out(number_of(all));
                sf::enqueue_reduce(work, s.view(), out, {});
                expect_results(named(all, out), summarise(s.bytes.data(), s.n, type), {}, s.label);
                expect_results(sf::reduce_async({}, s.view(), work, {}).get(), summarise(s.bytes.data(), s.n, type), {},
                               s.label + " async");
            }
    }
}

TEST(workspace, keeps_options_and_indices) {
    sample const s = generate(data_class::specials, sf::dtype::float32, 500, 3);
    sf::reduce_options const options{.nans = sf::nan_policy::ignore, .ddof = 1, .result = sf::dtype::float64};
    sf::operation_set const all = operations_of(s.type);
    sf::workspace work{s.type, all, options};
    std::vector<sf::result_value> out(number_of(all));
    sf::enqueue_reduce(work, s.view(), out, {}, 1000);
    expect_results(named(all, out), summarise(s.bytes.data(), s.n, s.type, {}, 1000), options, s.label);
}

TEST(workspace, computes_mixed_sets_of_fast_mode_exactly) {
    sample const s = generate(data_class::cancellation, sf::dtype::float64, 3000, 4);
    sf::operation_set const mixed = sf::sum | sf::variance;
    sf::workspace work{s.type, mixed, {.mode = sf::reduction_mode::fast}};
    std::vector<sf::result_value> out(2);
    sf::enqueue_reduce(work, s.view(), out, {});
    expect_results(named(mixed, out), summarise(s.bytes.data(), s.n, s.type), {}, s.label);
}

TEST(workspace, writes_values_alone_in_the_type_of_the_result) {
    std::vector<double> const x = {0x1p60, 1, -0x1p60};
    sf::workspace sums{sf::dtype::float64, sf::sum};
    double sum = 0;
    sf::enqueue_reduce(sums, sf::view<double const>(x), &sum, {});
    EXPECT_EQ(sum, 1.0);

    sf::workspace halves{sf::dtype::float64, sf::sum, {.result = sf::dtype::float16}};
    sf::half guarded[3] = {{0xaaaa}, {0xaaaa}, {0xaaaa}};
    sf::enqueue_reduce(halves, sf::view<double const>(x), &guarded[1], {});
    EXPECT_EQ(guarded[1].bits, 0x3c00);
    EXPECT_EQ(guarded[0].bits, 0xaaaa);
    EXPECT_EQ(guarded[2].bits, 0xaaaa);

    std::vector<std::complex<float>> const z = {{1, 2}, {3, -5}};
    sf::workspace complex_sums{sf::dtype::complex64, sf::sum};
    std::complex<float> complex_sum;
    sf::enqueue_reduce(complex_sums, sf::view<std::complex<float> const>(z), &complex_sum, {});
    EXPECT_EQ(complex_sum, std::complex<float>(4, -3));

    sf::workspace dots{sf::dtype::float64, dot};
    double product = 0;
    sf::enqueue_dot(dots, sf::view<double const>(x), sf::view<double const>(x), &product, {});
    EXPECT_EQ(product, 0x1p121); // and 1, which is rounded off
}

TEST(workspace, gives_the_oracles_bits_for_dot) {
    sf::workspace work{sf::dtype::float64, dot};
    for (int which = 0; which < pair_class_count; ++which)
        for (std::int64_t const n : {0, 1, 300}) {
            auto const [x, y] = generate_pair(static_cast<pair_class>(which), sf::dtype::float64, n, 8);
            auto const expected =
                evaluate(summarise_pairs(x.bytes.data(), y.bytes.data(), n, x.type), sf::operation::dot, {});
            sf::result_value out;
            sf::enqueue_dot(work, x.view(), y.view(), {&out, 1}, {});
            expect_same(out, expected, sf::operation::dot, x.label);
            expect_same(sf::dot_async({}, x.view(), y.view(), work, {}).get(1s), expected, sf::operation::dot, x.label);
        }
}

TEST(workspace, gives_typed_futures_of_complex_dots) {
    std::vector<std::complex<double>> const z = {{1, 2}, {0x1p100, 0}, {0, 0x1p100}};
    sf::view<std::complex<double> const> const v = z;
    sf::workspace work{sf::dtype::complex128, dot};
    sf::future<std::complex<double>> later = sf::dot_async({}, v, v, work, {});
    EXPECT_EQ(later.get(), std::complex<double>(-3, 4)); // 2^200 and -2^200 cancel
}

TEST(workspace, is_busy_until_its_future_is_taken_or_dropped) {
    std::vector<double> const x = {1, 2};
    sf::view<double const> const v = x;
    sf::workspace work{sf::dtype::float64, dot};
    sf::future<double> first = sf::dot_async({}, v, v, work, {});
    EXPECT_TRUE(work.busy());
    EXPECT_TRUE(first.ready());
    double value = 0;
    EXPECT_THROW(sf::enqueue_dot(work, v, v, &value, {}), sf::argument_error);
    EXPECT_THROW((void)sf::dot_async({}, v, v, work, {}), sf::argument_error);
    EXPECT_EQ(first.get(), 5.0);
    EXPECT_FALSE(work.busy());
    EXPECT_FALSE(first.valid());
    EXPECT_THROW((void)first.get(), sf::argument_error);
    EXPECT_THROW((void)first.ready(), sf::argument_error);
    (void)sf::dot_async({}, v, v, work, {}); // dropped
    EXPECT_FALSE(work.busy());
    sf::enqueue_dot(work, v, v, &value, {});
    EXPECT_EQ(value, 5.0);
}

TEST(workspace, may_die_before_its_future) {
    std::vector<float> const x = {1, 2};
    sf::future<sf::statistics<float>> later;
    {
        sf::workspace work{sf::dtype::float32, sf::sum | sf::extrema};
        later = sf::reduce_async({}, sf::view<float const>(x), work, {}, 10);
    }
    sf::statistics<float> const stats = later.get();
    EXPECT_EQ(stats.sum, 3.0F);
    EXPECT_EQ(stats.argmax, 11);
}

/// `call` must throw an argument_error whose text has every one of `words`.
void expect_refused(std::function<void()> const& call, std::vector<std::string> const& words) {
    try {
        call();
        ADD_FAILURE() << "not refused; expected a message with " << words.front();
    } catch (sf::argument_error const& e) {
        for (std::string const& word : words)
            EXPECT_NE(std::string(e.what()).find(word), std::string::npos) << "no \"" << word << "\" in: " << e.what();
    }
}

TEST(workspace, names_bad_arguments) {
    std::vector<double> x = {1, 2, 3, 4};
    std::vector<float> const f = {1, 2};
    sf::array_view const four{x.data(), 4, sf::dtype::float64};
    sf::workspace sums{sf::dtype::float64, sf::sum}, both{sf::dtype::float64, sf::sum | sf::mean},
        dots{sf::dtype::float64, dot};
    double out = 0;
    sf::result_value results[3];
    expect_refused([&] { sf::enqueue_reduce(sums, {f.data(), 2, sf::dtype::float32}, &out, {}); }, {"float32"});
    expect_refused([&] { sf::enqueue_reduce(sums, {nullptr, 2, sf::dtype::float64}, &out, {}); }, {"array", "null"});
    expect_refused([&] { sf::enqueue_reduce(sums, {x.data(), -2, sf::dtype::float64}, &out, {}); }, {"-2"});
    auto const* const odd = reinterpret_cast<std::byte const*>(x.data()) + 4;
    expect_refused([&] { sf::enqueue_reduce(sums, {odd, 2, sf::dtype::float64}, &out, {}); }, {"aligned", "8"});
    expect_refused([&] { sf::enqueue_reduce(sums, four, &out, {}, -1); }, {"first_index", "-1"});
    expect_refused([&] { sf::enqueue_reduce(sums, four, static_cast<double*>(nullptr), {}); }, {"output", "null"});
    float narrow = 0;
    expect_refused([&] { sf::enqueue_reduce(sums, four, &narrow, {}); }, {"output", "float32", "float64"});
    auto* const misaligned = reinterpret_cast<double*>(reinterpret_cast<std::byte*>(results) + 4);
    expect_refused([&] { sf::enqueue_reduce(sums, four, misaligned, {}); }, {"output", "aligned"});
    expect_refused([&] { sf::enqueue_reduce(sums, four, &x[3], {}); }, {"overlaps"});
    expect_refused([&] { sf::enqueue_reduce(both, four, &out, {}); }, {"sum,mean", "one operation"});
    expect_refused([&] { sf::enqueue_reduce(both, four, {results, 3}, {}); }, {"3", "2", "sum,mean"});
    expect_refused([&] { sf::enqueue_reduce(both, four, std::span<sf::result_value>{}, {}); }, {"0", "2"});
    expect_refused([&] { sf::enqueue_reduce(dots, four, &out, {}); }, {"dot", "two arrays"});
    expect_refused([&] { sf::enqueue_dot(sums, four, four, &out, {}); }, {"sum", "one array"});
    expect_refused([&] { sf::enqueue_dot(dots, four, {x.data(), 3, sf::dtype::float64}, &out, {}); }, {"4", "3"});
    expect_refused(
        [&] {
            sf::enqueue_dot(dots, {x.data(), 2, four.type}, {x.data() + 2, 2, four.type}, &x[3], {});
        },
        {"overlaps"});
    expect_refused([] { sf::workspace{sf::dtype::complex64, sf::min}; }, {"complex64"});
    expect_refused([] { sf::workspace{sf::dtype::float64, sf::sum, {}, {.threads = -1}}; }, {"threads"});
    sf::workspace typed{sf::dtype::float64, sf::sum, {.result = sf::dtype::float32}};
    expect_refused([&] { (void)sf::reduce_async({}, sf::view<double>(x), typed, {}); }, {"result"});
    EXPECT_FALSE(typed.busy());
    sf::workspace const taken = std::move(both);
    expect_refused([&] { sf::enqueue_reduce(both, four, {results, 2}, {}); }, {"moved from"}); // NOLINT: on purpose
    sf::enqueue_reduce(sums, four, &out, {});                                                  // none of this did harm
    EXPECT_EQ(out, 10.0);
}

struct twins : testing::Test {
    std::shared_ptr<twin_ranks> backend = std::make_shared<twin_ranks>();
    sf::communicator ranks{backend};
};

TEST_F(twins, that_know_no_streams_are_refused_there_and_told_what_to_do) {
    std::vector<double> const x = {1, 2};
    sf::view<double const> const v = x;
    double out = 0;
    sf::result_value result;
    sf::workspace sums{sf::dtype::float64, sf::sum}, dots{sf::dtype::float64, dot};
    std::vector<std::string> const advice = {"mpi", "nccl::create", "reduce_async", "dot_async"};
    expect_refused([&] { sf::enqueue_reduce(ranks, sums, v, &out, {}); }, advice);
    expect_refused([&] { sf::enqueue_reduce(ranks, sums, v, {&result, 1}, {}); }, advice);
    expect_refused([&] { sf::enqueue_dot(ranks, dots, v, v, &out, {}); }, advice);
    expect_refused([&] { sf::enqueue_dot(ranks, dots, v, v, {&result, 1}, {}); }, advice);
    expect_refused([&] { sf::workspace{sf::dtype::float64, sf::sum, {}, {}, ranks}; }, advice);
    std::int64_t word = 0;
    expect_refused([&] { ranks.enqueue_all_reduce_sum(&word, 1, {}); }, {"enqueue_all_reduce_sum", "nccl::create"});
    expect_refused([&] { ranks.synchronise({}); }, {"synchronise", "mpi"});
    EXPECT_FALSE(ranks.poisoned());
    EXPECT_TRUE(backend->first_words.empty());
    EXPECT_FALSE(sums.busy());
    EXPECT_FALSE(sums.ranks_disagreed());
}

/// Ranks whose sums can be put on streams of one device, as far as arguments tell.
struct ranks_with_streams final : sf::communicator_backend {
    explicit ranks_with_streams(int count, int device) : count_{count}, device_{device} {}
    int rank() const noexcept override { return 0; }
    int size() const noexcept override { return count_; }
    std::string_view transport() const noexcept override { return "streams"; }
    int stream_device() const noexcept override { return device_; }
    void all_reduce_sum(std::span<std::int64_t>, std::chrono::nanoseconds) override { ++calls; }
    void all_gather(std::span<std::byte const>, std::span<std::byte>, std::chrono::nanoseconds) override { ++calls; }
    void enqueue_all_reduce_sum(std::int64_t*, std::size_t, sf::stream_ref, std::chrono::nanoseconds) override {
        ++calls;
    }
    int calls = 0;

  private:
    int count_, device_;
};

TEST(workspace, names_what_several_ranks_on_a_stream_lack) {
    std::vector<double> const x = {1, 2};
    sf::view<double const> const v = x;
    double out = 0;
    auto const backend = std::make_shared<ranks_with_streams>(2, 3);
    sf::communicator const gpus{backend};
    sf::workspace on_host{sf::dtype::float64, sf::sum};
    expect_refused([&] { sf::enqueue_reduce(gpus, on_host, v, &out, {}); }, {"host", "device = 3"});
    expect_refused([&] { sf::workspace{sf::dtype::float64, sf::sum, {}, {}, gpus}; }, {"host", "device = 3"});
    sf::execution const other{.kind = sf::processor_kind::cuda, .device = 1};
    expect_refused([&] { sf::workspace{sf::dtype::float64, sf::sum, {}, other, gpus}; }, {"device 1", "device 3"});
    EXPECT_EQ(backend->calls, 0);
}

TEST(workspace, of_one_rank_takes_any_communicator) {
    std::vector<double> const x = {1, 2};
    sf::view<double const> const v = x;
    for (sf::communicator const& one :
         {sf::communicator{}, sf::communicator{std::make_shared<ranks_with_streams>(1, -1)}}) {
        double out = 0;
        sf::workspace sums{sf::dtype::float64, sf::sum, {}, {}, one}, dots{sf::dtype::float64, dot};
        sf::enqueue_reduce(one, sums, v, &out, {});
        EXPECT_EQ(out, 3.0);
        sf::result_value result;
        sf::enqueue_dot(one, dots, v, v, {&result, 1}, {});
        EXPECT_EQ(result.as_double(), 5.0);
        EXPECT_FALSE(sums.ranks_disagreed());
    }
}

TEST_F(twins, add_up_to_the_bits_of_all_their_data) {
    for (int t = 0; t < sf::dtype_count; ++t) {
        auto const type = static_cast<sf::dtype>(t);
        sf::workspace work{type, operations_of(type)};
        for (data_class const which : classes_of(type)) {
            sample const s = generate(which, type, 300, 5);
            expect_results(sf::reduce_async(ranks, s.view(), work, {}).get(),
                           repeated(summarise(s.bytes.data(), s.n, type), 2), {}, s.label);
        }
    }
}

TEST_F(twins, keep_the_order_in_which_futures_were_made) {
    std::vector<double> const x = {1, 2};
    sf::view<double const> const v = x;
    sf::workspace a{sf::dtype::float64, sf::sum}, b{sf::dtype::float64, sf::sum | sf::mean}, c{sf::dtype::float64, dot};
    for (int round = 0; round < 2; ++round) {
        auto first = sf::reduce_async(ranks, v, a, {});
        { auto const dropped = sf::reduce_async(ranks, v, b, {}); }
        auto third = sf::dot_async(ranks, v, v, c, {});
        EXPECT_TRUE(b.busy()); // the twin still counts on it
        EXPECT_TRUE(backend->first_words.empty());
        if (round == 0) {
            EXPECT_EQ(third.get(), 10.0);
            EXPECT_EQ(first.get().sum, 6.0);
        } else {
            EXPECT_EQ(first.get().sum, 6.0);
            EXPECT_EQ(backend->first_words.size(), 1U);
            EXPECT_EQ(third.get(), 10.0);
        }
        EXPECT_FALSE(b.busy());
        ASSERT_EQ(backend->first_words.size(), 3U);
        static std::vector<std::int64_t> const order = backend->first_words;
        EXPECT_EQ(backend->first_words, order);
        backend->first_words.clear();
    }
}

TEST_F(twins, that_disagree_throw_where_the_result_is_asked_for) {
    std::vector<double> const x = {1, 2};
    sf::view<double const> const v = x;
    sf::workspace a{sf::dtype::float64, sf::sum}, b{sf::dtype::float64, sf::sum};
    auto first = sf::reduce_async(ranks, v, a, {});
    auto second = sf::reduce_async(ranks, v, b, {});
    backend->disagrees = true;
    EXPECT_THROW((void)second.get(), sf::mismatch_error);
    backend->disagrees = false;
    EXPECT_FALSE(second.valid());
    EXPECT_THROW((void)first.get(), sf::mismatch_error);
    EXPECT_FALSE(a.busy());
    EXPECT_FALSE(b.busy());
    EXPECT_EQ(sf::reduce_async(ranks, v, a, {}).get().sum, 6.0);
}

TEST_F(twins, wait_for_each_other_no_longer_than_asked) {
    std::vector<double> const x = {1, 2};
    sf::view<double const> const v = x;
    sf::workspace work{sf::dtype::float64, dot};
    ranks.set_deadline(7s);
    EXPECT_EQ(sf::dot_async(ranks, v, v, work, {}).get(3s), 10.0);
    EXPECT_EQ(sf::dot_async(ranks, v, v, work, {}).get(1h), 10.0);
    EXPECT_EQ(sf::dot_async(ranks, v, v, work, {}).get(), 10.0);
    EXPECT_EQ(sf::dot_async(ranks, v, v, work, {}).get(0s), 10.0); // this rank has nothing to wait for
    ASSERT_EQ(backend->deadlines.size(), 4U);
    EXPECT_LE(backend->deadlines[0], 3s);
    EXPECT_GT(backend->deadlines[0], 1s);
    EXPECT_EQ(backend->deadlines[1], 7s);
    EXPECT_EQ(backend->deadlines[2], 7s);
    EXPECT_EQ(backend->deadlines[3], 1ms);
    EXPECT_EQ(ranks.deadline(), 7s);
}

} // namespace
