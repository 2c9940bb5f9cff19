#include "support/check.hpp"

#include <atomic>
#include <functional>
#include <gtest/gtest.h>

namespace oracle {

namespace {

std::atomic<std::int64_t> checked{0};
constexpr int failures_shown = 25; // a test: one defect spoils thousands of samples
int failures = 0;

/// Every test counts its own, so that none passes because others failed before it.
void count_for_this_test() {
    static testing::TestInfo const* test = nullptr;
    testing::TestInfo const* const now = testing::UnitTest::GetInstance()->current_test_info();
    if (now != test) failures = 0;
    test = now;
}

sf::reduction_results run(sample const& s, sf::operation_set ops, sf::reduce_options const& options,
                          sf::execution const& where) {
    sf::reduction reduction{s.type, ops, options, where};
    reduction.add(s.view());
    return reduction.finish();
}

std::vector<sf::dtype> result_types(sf::dtype input) {
    if (sf::is_complex(input)) return {sf::dtype::float64, sf::dtype::float32};
    return {sf::dtype::float64, sf::dtype::float32, sf::dtype::float16, sf::dtype::bfloat16, sf::dtype::int8,
            sf::dtype::int32,   sf::dtype::int64,   sf::dtype::uint16,  sf::dtype::uint64};
}

/// Options drawn from the sample's label, so that they vary and a failure can be run again.
sf::reduce_options drawn_options(sample const& s, std::uint64_t salt) {
    random_source random{std::hash<std::string>{}(s.label) + salt};
    sf::reduce_options options;
    options.nans = random.coin() ? sf::nan_policy::ignore : sf::nan_policy::propagate;
    options.ddof = random.coin() ? 1 : 0;
    auto const types = result_types(s.type);
    if (random.coin())
        options.result = types[static_cast<std::size_t>(random.below(static_cast<std::int64_t>(types.size())))];
    return options;
}

template <class Function>
void for_each_operation(sf::operation_set ops, Function&& f) {
    for (int i = 0; i < sf::operation_count; ++i)
        if (ops.contains(static_cast<sf::operation>(i))) f(static_cast<sf::operation>(i));
}

} // namespace

std::string describe(sf::reduce_options const& options) {
    std::string text = options.nans == sf::nan_policy::ignore ? "ignore" : "propagate";
    text += " ddof=" + std::to_string(options.ddof);
    if (options.result) text += " result=" + std::string(sf::name(*options.result));
    if (options.missing) text += " missing=" + std::to_string(*options.missing);
    return text;
}

void expect_same(sf::result_value const& got, sf::result_value const& expected, sf::operation op,
                 std::string const& label) {
    if (got == expected) return;
    count_for_this_test();
    if (++failures > failures_shown) return;
    ADD_FAILURE() << label << "\n  " << sf::name(op) << " got      " << got.bit_pattern() << " " << sf::name(got.type)
                  << " " << sf::to_string(got.status) << "  " << got.to_decimal() << "\n  " << sf::name(op)
                  << " expected " << expected.bit_pattern() << " " << sf::name(expected.type) << " "
                  << sf::to_string(expected.status) << "  " << expected.to_decimal();
    if (failures == failures_shown) ADD_FAILURE() << "more mismatches are counted but not shown";
}

void expect_results(sf::reduction_results const& got, summary const& s, sf::reduce_options const& options,
                    std::string const& label) {
    count_for_this_test();
    int const before = failures;
    for_each_operation(got.operations(), [&](sf::operation op) {
        expect_same(got[op], evaluate(s, op, options), op, label + " " + describe(options));
    });
    if (failures > before && failures > failures_shown) ADD_FAILURE() << label;
}

void check_all_operations(sample const& s, sf::execution const& where, effort how) {
    ++checked;
    summary const expected = summarise(s.bytes.data(), s.n, s.type);
    sf::operation_set const all = operations_of(s.type);
    auto const check = [&](sf::operation_set ops, sf::reduce_options const& options) {
        expect_results(run(s, ops, options, where), expected, options, s.label);
    };
    check(all, drawn_options(s, 0));
    if (how == effort::one_pass) return;
    for (auto const nans : {sf::nan_policy::propagate, sf::nan_policy::ignore})
        for (int const ddof : {0, 1}) check(all, {.nans = nans, .ddof = ddof, .result = {}, .missing = {}});
    for (std::uint64_t salt = 1; salt < 3; ++salt) check(all, drawn_options(s, salt));
    if (how == effort::every_option) return;
    for_each_operation(all, [&](sf::operation op) { check(op, drawn_options(s, 3 + static_cast<std::uint64_t>(op))); });
}

void check_dot(sample_pair const& pair, sf::execution const& where) {
    ++checked;
    summary const expected = summarise_pairs(pair.x.bytes.data(), pair.y.bytes.data(), pair.x.n, pair.x.type);
    for (std::uint64_t salt = 0; salt < 4; ++salt) {
        sf::reduce_options options = drawn_options(pair.x, salt);
        if (salt == 0) options.result.reset();
        sf::reduction reduction{pair.x.type, sf::operation::dot, options, where};
        reduction.add_products(pair.x.view(), pair.y.view());
        expect_results(reduction.finish(), expected, options, pair.x.label + " . " + pair.y.label);
    }
}

std::int64_t samples_checked() {
    return checked;
}

} // namespace oracle
