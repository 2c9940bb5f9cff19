// Sums of pieces, rounded, against GMP.
#include "reduce/on_cpu/fold_total.hpp"

#include <bit>
#include <cmath>
#include <gmpxx.h>
#include <gtest/gtest.h>
#include <random>

namespace {

using pieces = std::array<std::int64_t, on_cpu::most_pieces>;

/// x as a rational, exactly.
mpq_class rational(double x) {
    return mpq_class{x};
}

mpq_class power_of_two(int exponent) {
    mpz_class const power = mpz_class{1} << static_cast<mp_bitcnt_t>(std::abs(exponent));
    return exponent >= 0 ? mpq_class{power} : mpq_class{1, power};
}

/// Values of every size and sign, among them those whose carries run from end to end.
class drawer {
  public:
    explicit drawer(std::uint64_t seed) : random_{seed} {}
    std::int64_t operator()(int bits) {
        std::int64_t const most = (std::int64_t{1} << bits) - 1, edges[] = {0, 0, 1, -1, most, -most};
        if (random_() % 2 == 0) return edges[random_() % std::size(edges)];
        std::int64_t const wide = static_cast<std::int64_t>(random_()) >> (64 - bits - 1);
        return wide >> (random_() % static_cast<unsigned>(bits + 1));
    }
    bool coin() { return random_() % 2 == 0; }

  private:
    std::mt19937_64 random_;
};

/// The value is the float64 number nearest to the sum, ties to even, and what is left is told as it is.
void expect_rounded(on_cpu::rounded const& got, mpq_class const& sum, std::string const& what) {
    mpq_class const scaled = sum / power_of_two(got.exponent), left = scaled - rational(got.value);
    mpq_class const above = rational(std::nextafter(got.value, INFINITY)) - rational(got.value),
                    below = rational(got.value) - rational(std::nextafter(got.value, -INFINITY));
    bool const even = (std::bit_cast<std::uint64_t>(got.value) & 1) == 0;
    ASSERT_TRUE(even ? 2 * left <= above : 2 * left < above) << what;
    ASSERT_TRUE(even ? -2 * left <= below : -2 * left < below) << what;
    ASSERT_EQ(left == 0, got.left == 0 && got.unsure == 0) << what;
    mpq_class const missing = left - rational(got.left), slack = abs(rational(got.left)) / power_of_two(50);
    ASSERT_TRUE(-slack <= missing && missing <= rational(got.unsure) + slack) << what;
    ASSERT_TRUE(missing == 0 || got.left_is_rounded || got.unsure != 0) << what;
    ASSERT_LE(got.unsure, std::ldexp(std::fabs(got.value), -70)) << what;
}

void expect_random_sums(int shape, int bits, bool has_rests) {
    drawer draw{static_cast<std::uint64_t>(shape * 2 + has_rests)};
    for (int trial = 0; trial < 40000; ++trial) {
        pieces drawn{};
        mpz_class sum = 0;
        std::string what = "shape " + std::to_string(shape) + ":";
        int last = 0;
        while (last < on_cpu::most_pieces && on_cpu::shift_of_piece(shape, last) >= 0) ++last;
        for (int p = 0; p < (has_rests ? last : last - 3); ++p) {
            std::int64_t const piece = draw.coin() ? 0 : draw(bits);
            drawn[static_cast<std::size_t>(p)] = piece;
            sum += mpz_class{piece} << static_cast<mp_bitcnt_t>(on_cpu::shift_of_piece(shape, p));
            what += " " + std::to_string(piece);
        }
        ASSERT_NO_FATAL_FAILURE(expect_rounded(on_cpu::round_fold_total(shape, drawn, has_rests, -300),
                                               mpq_class{sum} * power_of_two(-300), what));
    }
}

TEST(fold_total, of_folds_of_every_kind_agrees_with_gmp) {
    for (int shape = 0; shape < 4; ++shape)
        for (bool const has_rests : {false, true}) {
            int const bits = shape == 3 ? 32 : 50; // the digits of float16 products are short
            expect_random_sums(shape, bits, has_rests);
            expect_random_sums(shape, 20, has_rests);
        }
}

// As much as a fold may hold, of which the next one's sum then has some thousand units; and numbers that cancel.
TEST(digit_total, of_four_folds_agrees_with_gmp) {
    drawer draw{99};
    for (int trial = 0; trial < 200000; ++trial) {
        int const spacing = 37 + trial % 9, exponent = -20 * (trial % 30);
        auto const in_units = [&](std::int64_t digits, int fold) {
            return std::ldexp(static_cast<double>(digits), exponent - fold * spacing);
        };
        std::array<double, 4> sums{};
        mpq_class sum = 0;
        std::string what = "spacing " + std::to_string(spacing) + ":";
        for (int i = 0; i < 4; ++i) {
            std::int64_t const digits = draw.coin() ? 0 : draw(draw.coin() ? (i == 2 ? 52 : 51) : spacing - 1);
            sums[static_cast<std::size_t>(i)] = in_units(digits, i);
            what += " " + std::to_string(digits);
        }
        if (draw.coin()) { // a fold of which the next one has as much, or nearly
            std::size_t const at = draw.coin() ? 0 : 1;
            std::int64_t const digits = draw(50 - spacing > 0 ? 50 - spacing : 1);
            sums[at] = in_units(digits, static_cast<int>(at));
            sums[at + 1] = -sums[at] + in_units(draw.coin() ? 0 : draw(20), static_cast<int>(at) + 1);
            what += ", fold " + std::to_string(at) + " cancelled: " + std::to_string(digits);
        }
        for (double const digits : sums) sum += rational(digits);
        ASSERT_NO_FATAL_FAILURE(expect_rounded(on_cpu::round_digit_total(sums, exponent, spacing), sum, what));
    }
}

} // namespace
