// More than 2^32 elements, and a multiple of 2^31 - 1, by adding one chunk again and again: counts, carries and fold
// sums must not wrap. The expected result is the chunk's exact sum times the number of repeats.
#include "reduce/host/host_pass.hpp"
#include "reduce/host/isa.hpp"
#include "support/check.hpp"

#include <cfloat>
#include <cmath>
#include <cstdlib>
#include <gtest/gtest.h>

namespace {

using namespace oracle;

constexpr std::int64_t chunk_length = 1 << 17; // stays in the second-level cache
constexpr std::int64_t beyond_2_to_32 = sanitized ? 40 : (std::int64_t{1} << 32) / chunk_length + 3;
constexpr sf::execution two_threads{.kind = sf::processor_kind::host, .threads = 2};

/// `repeats` times the whole chunk and then its first `rest` elements.
void check_repeated(sample const& chunk, sf::operation_set ops, std::int64_t repeats, std::int64_t rest = 0) {
    sf::reduction reduction{chunk.type, ops, {}, two_threads};
    for (std::int64_t i = 0; i < repeats; ++i) reduction.add(chunk.view(), i * chunk.n);
    reduction.add(chunk.part(0, rest), repeats * chunk.n);
    summary const whole = repeated(summarise(chunk.bytes.data(), chunk.n, chunk.type), repeats);
    summary const tail = summarise(chunk.bytes.data(), rest, chunk.type, {}, repeats * chunk.n);
    expect_results(reduction.finish(), joined(whole, tail), {}, chunk.label + " times " + std::to_string(repeats));
}

sample equal_values(double value, sf::dtype type = sf::dtype::float64) {
    return sample_of(type, std::vector(chunk_length, value), "equal values " + std::to_string(value));
}

TEST(long_vectors, equal_values_just_below_a_fold_boundary) {
    // Just below a power of two every fold value is at its largest and all have one sign.
    check_repeated(equal_values(std::nextafter(0x1p40, 0)), sf::sum | sf::mean, beyond_2_to_32);
    check_repeated(equal_values(-std::nextafter(0x1p-11, 0)), sf::sum | sf::l1, beyond_2_to_32 / 4);
    check_repeated(equal_values(std::nextafter(0x1p30, 0)), sf::sum_of_squares | sf::variance, beyond_2_to_32 / 4);
}

TEST(long_vectors, a_multiple_of_2_to_31_minus_1_elements) {
    constexpr std::int64_t n = 2 * (std::int64_t{INT32_MAX}) / (sanitized ? 100 : 1);
    sample const chunk = generate(data_class::gaussian, sf::dtype::float32, chunk_length, 80);
    check_repeated(chunk, sf::sum | sf::mean, n / chunk_length, n % chunk_length);
}

TEST(long_vectors, integers_of_one_byte) {
    sample const chunk = generate(data_class::integer_lowest, sf::dtype::int8, chunk_length, 81);
    check_repeated(chunk, sf::sum | sf::l1 | sf::mean, beyond_2_to_32);
}

TEST(long_vectors, count_specials_and_zeros_beyond_2_to_32) {
    check_repeated(equal_values(-0.0, sf::dtype::bfloat16), sf::sum | sf::zero_count | sf::count, beyond_2_to_32 / 8);
    sample const nans = generate(data_class::specials, sf::dtype::float16, chunk_length, 82);
    check_repeated(nans, sf::nan_count | sf::inf_count | sf::count | sf::argmin, beyond_2_to_32 / 64, 5);
}

TEST(long_vectors, of_values_that_no_window_takes) {
    constexpr std::int64_t repeats = (std::int64_t{1} << (sanitized ? 20 : 24)) / chunk_length;
    check_repeated(equal_values(std::nextafter(0x1p1023, HUGE_VAL)), sf::sum, repeats);
    check_repeated(equal_values(-0x1.fffffffffffffp-500), sf::sum_of_squares, repeats);
}

// 2^31 deposits of the largest digit overflow a limb; to make them one by one would take minutes.
TEST(long_vectors, limbs_are_normalised_before_they_can_overflow) {
    sample const chunk = equal_values(DBL_MAX);
    auto const plan = steadfold::reduce_detail::make_plan(chunk.type, sf::sum, {});
    steadfold::host::host_pass pass{plan, steadfold::host::choose_level()};
    auto& state = pass.state();
    constexpr std::int64_t most = steadfold::exact::deposits_before_normalise;
    state.pending = most / 2 - 100;
    pass.add(chunk.bytes.data(), chunk.n, 0);
    EXPECT_LE(state.pending, chunk.n);
    for (std::uint64_t const limb : state.component[0].sum)
        EXPECT_LE(std::abs(static_cast<std::int64_t>(limb)), (chunk.n + 1) << 32) << "a limb was not carried out";
}

TEST(long_vectors, merged_states_of_many_reductions_do_not_wrap) {
    sample const chunk = equal_values(std::nextafter(0x1p1023, HUGE_VAL));
    sf::operation_set const ops = sf::sum | sf::mean | sf::l1 | sf::l2 | sf::stddev | sf::count;
    sf::reduction total{chunk.type, ops, {.result = sf::dtype::float64}, two_threads};
    for (int i = 0; i < 300; ++i) {
        sf::reduction part{chunk.type, ops, {.result = sf::dtype::float64}, two_threads};
        part.add(chunk.part(0, 5000));
        total.merge(part);
    }
    summary const expected = repeated(summarise(chunk.bytes.data(), 5000, chunk.type), 300);
    expect_results(total.finish(), expected, {.result = sf::dtype::float64}, chunk.label);
}

} // namespace
