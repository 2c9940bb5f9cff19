// One result from a state, against the oracle: up to 2^63 - 1 elements, digits in any span of them.
#include "reduce/evaluate.hpp"
#include "reduce/finish.hpp"
#include "reduce/summary_state.hpp"
#include "support/check.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <limits>

namespace {

using namespace oracle;
namespace rd = steadfold::reduce_detail;

constexpr std::int64_t most_elements = std::numeric_limits<std::int64_t>::max();
constexpr sf::dtype result_types[] = {sf::dtype::float64,  sf::dtype::float32, sf::dtype::float16,
                                      sf::dtype::bfloat16, sf::dtype::int8,    sf::dtype::int32,
                                      sf::dtype::int64,    sf::dtype::uint16,  sf::dtype::uint64};

sf::reduce_options random_options(random_source& random, sf::dtype type) {
    sf::reduce_options options;
    options.nans = random.coin() ? sf::nan_policy::ignore : sf::nan_policy::propagate;
    options.ddof = random.between(0, 1);
    if (random.coin()) options.result = result_types[random.below(sf::is_complex(type) ? 2 : std::ssize(result_types))];
    return options;
}

/// Only the limbs between the lowest and the highest one that is not 0, with the carries taken inside them: what a
/// device hands over.
class trimmed_digits {
  public:
    explicit trimmed_digits(ex::digit_span const& whole) : limbs_(whole.limbs, whole.limbs + whole.count) {
        // A negative number has small limbs only in a form that is not normalised: turn it around and back.
        bool const negative = !limbs_.empty() && limbs_.back() >> 63 != 0;
        if (negative) turn();
        while (limbs_.size() > 1 && limbs_.back() == 0) limbs_.pop_back();
        std::size_t zeros = 0;
        while (zeros + 1 < limbs_.size() && limbs_[zeros] == 0) ++zeros;
        limbs_.erase(limbs_.begin(), limbs_.begin() + static_cast<std::ptrdiff_t>(zeros));
        if (negative) turn();
        span_ = {limbs_.data(), static_cast<int>(limbs_.size()), whole.exponent + 32 * static_cast<int>(zeros)};
        if (std::all_of(limbs_.begin(), limbs_.end(), [](std::uint64_t limb) { return limb == 0; })) span_ = {};
    }
    [[nodiscard]] ex::digit_span span() const { return span_; }

  private:
    void turn() {
        for (std::uint64_t& limb : limbs_) limb = 0 - limb;
        ex::normalise(limbs_.data(), static_cast<int>(limbs_.size()));
    }

    std::vector<std::uint64_t> limbs_;
    ex::digit_span span_;
};

void check(summary const& s, sf::operation_set ops, sf::reduce_options const& options, std::string const& label) {
    ex::reduction_state const state = state_of(s);
    rd::finish_options const how = rd::make_finish_options(rd::make_plan(s.type, ops, options), options);
    rd::state_view const whole = rd::view_of(state, s.type);
    rd::state_view part = whole;
    std::vector<trimmed_digits> kept;
    kept.reserve(6);
    for (rd::component_view& component : part.component)
        for (ex::digit_span* digits : {&component.sum, &component.magnitudes, &component.products}) {
            kept.emplace_back(*digits);
            *digits = kept.back().span();
        }
    rd::evaluation_scratch scratch;
    std::fill(std::begin(scratch.digits), std::end(scratch.digits), ~std::uint64_t{0}); // of an earlier use
    for (int i = 0; i < sf::operation_count; ++i) {
        auto const op = static_cast<sf::operation>(i);
        if (!ops.contains(op)) continue;
        sf::result_value const expected = evaluate(s, op, options);
        std::string const what = label + " " + describe(options);
        expect_same(rd::evaluate(op, whole, how, scratch), expected, op, what);
        expect_same(rd::evaluate(op, part, how, scratch), expected, op, what + " of the digits that count");
    }
}

struct evaluate_from_state : testing::TestWithParam<sf::dtype> {};

TEST_P(evaluate_from_state, of_any_count_of_elements_agrees_with_the_oracle) {
    random_source random{51};
    sf::dtype const type = GetParam();
    for (data_class const which : classes_of(type))
        for (int round = 0; round < (sanitized ? 8 : 60); ++round) {
            sample const data = generate(which, type, random.between(0, 6), static_cast<std::uint64_t>(round));
            summary s = summarise(data.bytes.data(), data.n, type);
            std::int64_t times = 1;
            if (data.n > 0 && round % 3 != 0)
                times =
                    std::max<std::int64_t>(1, (most_elements / data.n) >> (round % 3 == 1 ? 0 : random.between(0, 62)));
            s = repeated(s, times);
            check(s, operations_of(type), random_options(random, type), data.label + " times " + std::to_string(times));
        }
}

TEST_P(evaluate_from_state, of_pairs_agrees_with_the_oracle) {
    sf::dtype const type = GetParam();
    if (sf::is_complex(type)) GTEST_SKIP() << "dot takes real arrays";
    random_source random{52};
    for (int which = 0; which < pair_class_count; ++which)
        for (int round = 0; round < (sanitized ? 5 : 40); ++round) {
            sample_pair const data = generate_pair(static_cast<pair_class>(which), type, random.between(0, 6),
                                                   static_cast<std::uint64_t>(round));
            summary const s = summarise_pairs(data.x.bytes.data(), data.y.bytes.data(), data.x.n, type);
            check(s, sf::operation::dot, random_options(random, type), data.x.label + " . " + data.y.label);
        }
}

std::string type_name(testing::TestParamInfo<sf::dtype> const& info) {
    return std::string(sf::name(info.param));
}

INSTANTIATE_TEST_SUITE_P(all, evaluate_from_state,
                         testing::Values(sf::dtype::float64, sf::dtype::float32, sf::dtype::float16,
                                         sf::dtype::bfloat16, sf::dtype::int8, sf::dtype::int16, sf::dtype::int32,
                                         sf::dtype::int64, sf::dtype::uint8, sf::dtype::uint16, sf::dtype::uint32,
                                         sf::dtype::uint64, sf::dtype::complex64, sf::dtype::complex128),
                         type_name);

// Equal elements cancel in n S2 - S1^2; one that differs in its last place must not.
TEST(evaluate, variance_of_nearly_equal_elements_is_exact) {
    std::int64_t const n = most_elements - 1;
    for (double const last : {1e300, 1e-300, 3.0, 4.9e-324}) {
        double const next = std::bit_cast<double>(std::bit_cast<std::uint64_t>(last) + 1);
        std::vector<std::byte> same(sizeof(double)), other(sizeof(double));
        std::copy_n(reinterpret_cast<std::byte const*>(&last), sizeof last, same.data());
        std::copy_n(reinterpret_cast<std::byte const*>(&next), sizeof next, other.data());
        summary const equal = repeated(summarise(same.data(), 1, sf::dtype::float64), n);
        summary const odd = joined(equal, summarise(other.data(), 1, sf::dtype::float64, {}, n));
        for (int const ddof : {0, 1}) {
            sf::reduce_options const options{.ddof = ddof};
            check(equal, sf::variance | sf::stddev, options, "equal");
            check(odd, sf::variance | sf::stddev | sf::mean, options, "one differs");
        }
    }
}

} // namespace
