// Callers with a hostile floating-point environment: the bits are the same, and the caller finds it as it was.
#include "reduce/levels.hpp"
#include "support/check.hpp"

#include <gtest/gtest.h>

#if defined(__x86_64__)
#include <xmmintrin.h>

namespace {

using namespace oracle;

constexpr unsigned flush = 0x8000, denormals_are_zero = 0x0040, up = 0x4000, down = 0x2000, towards_zero = 0x6000;
constexpr unsigned all_masked = 0x1f80, none_masked = 0;

/// Sets MXCSR for as long as it lives.
class hostile {
  public:
    explicit hostile(unsigned word) : saved_{_mm_getcsr()} { _mm_setcsr(word); }
    ~hostile() { _mm_setcsr(saved_); }
    hostile(hostile const&) = delete;
    hostile& operator=(hostile const&) = delete;

  private:
    unsigned saved_;
};

void check_under(unsigned word, sample const& s, int threads, std::string const& level) {
    sf::operation_set const all = operations_of(s.type);
    sf::reduction_results got;
    unsigned found = 0;
    {
        hostile const environment{word};
        sf::reduction reduction{s.type, all, {}, {.kind = sf::processor_kind::host, .threads = threads}};
        reduction.add(s.view());
        got = reduction.finish();
        found = _mm_getcsr();
    }
    EXPECT_EQ(found, word) << "MXCSR was not restored";
    expect_results(got, summarise(s.bytes.data(), s.n, s.type), {},
                   s.label + " level " + level + " threads " + std::to_string(threads) + " MXCSR " +
                       std::to_string(word));
}

TEST(environment, rounding_flushing_and_traps_of_the_caller_change_nothing) {
    constexpr unsigned words[] = {all_masked | up | flush | denormals_are_zero,
                                  all_masked | down,
                                  all_masked | towards_zero | flush,
                                  all_masked | denormals_are_zero,
                                  none_masked,
                                  none_masked | up};
    at_every_level([&](std::string const& level) {
        for (unsigned const word : words)
            for (sf::dtype const type : {sf::dtype::float64, sf::dtype::float32, sf::dtype::float16,
                                         sf::dtype::bfloat16, sf::dtype::complex64, sf::dtype::int64})
                for (data_class const which : classes_of(type))
                    check_under(word, generate(which, type, 137, 60), 1, level);
    });
}

TEST(environment, workers_started_from_a_hostile_thread_are_not_hostile) {
    for (data_class const which :
         {data_class::subnormals, data_class::gaussian, data_class::cancellation, data_class::outliers})
        for (int const threads : {2, 4})
            check_under(all_masked | up | flush | denormals_are_zero, generate(which, sf::dtype::float64, 100001, 61),
                        threads, "best");
}

TEST(environment, of_dot_is_restored_too) {
    for (int which = 0; which < pair_class_count; ++which) {
        auto const [x, y] = generate_pair(static_cast<pair_class>(which), sf::dtype::float64, 1000, 62);
        unsigned const word = all_masked | up | flush | denormals_are_zero;
        sf::result_value got;
        unsigned found = 0;
        {
            hostile const environment{word};
            got = sf::dot({}, x.view(), y.view());
            found = _mm_getcsr();
        }
        EXPECT_EQ(found, word);
        expect_same(got, evaluate(summarise_pairs(x.bytes.data(), y.bytes.data(), x.n, x.type), sf::operation::dot, {}),
                    sf::operation::dot, x.label);
    }
}

TEST(environment, of_the_caller_changes_no_fast_sum) {
    // Seven partial sums are added, and the two parts of complex magnitudes.
    sf::reduction_mode constexpr fast = sf::reduction_mode::fast;
    for (sf::dtype const type : {sf::dtype::float64, sf::dtype::complex128}) {
        sample const s = generate(data_class::gaussian, type, 200000, 63);
        sf::reduction reduction{type, sf::sum | sf::l1 | sf::l2, {.mode = fast}, {.threads = 7}};
        reduction.add(s.view());
        sf::reduction_results const expected = reduction.finish();
        for (unsigned const word : {all_masked | up, all_masked | down, none_masked}) {
            hostile const environment{word};
            reduction.add(s.view());
            sf::reduction_results const got = reduction.finish();
            hostile const ours{all_masked};
            EXPECT_EQ(got, expected) << s.label << " MXCSR " << word;
        }
    }
}

TEST(environment, of_the_caller_changes_no_text) {
    sf::result_value const values[] = {{sf::dtype::float64, {3, 0}, {}},
                                       {sf::dtype::float32, {5, 0}, {}},
                                       {sf::dtype::bfloat16, {1, 0}, {}},
                                       {sf::dtype::complex128, {3, 1}, {}}};
    for (sf::result_value const& value : values) {
        std::string const decimal = value.to_decimal(), hex = value.to_hex();
        EXPECT_NE(decimal, "0");
        for (unsigned const word : {all_masked | flush | denormals_are_zero, all_masked | up, none_masked}) {
            hostile const environment{word};
            std::string const got_decimal = value.to_decimal(), got_hex = value.to_hex();
            hostile const ours{all_masked};
            EXPECT_EQ(got_decimal, decimal) << "MXCSR " << word;
            EXPECT_EQ(got_hex, hex) << "MXCSR " << word;
        }
    }
}

TEST(environment, sticky_flags_of_the_caller_stay) {
    hostile const environment{all_masked | 0x3f}; // all six exceptions have happened
    std::vector<double> const x(100, 1.0);
    (void)sf::reduce({}, sf::view<double const>(x), sf::sum);
    EXPECT_EQ(_mm_getcsr(), all_masked | 0x3f);
}

} // namespace
#endif
