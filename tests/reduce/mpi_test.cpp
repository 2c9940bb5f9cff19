// Runs under mpirun with 1 to 8 ranks, every rank the same tests: the results of all ranks are those of one.
#include "steadfold/batch.hpp"
#include "steadfold/error.hpp"
#include "steadfold/moments.hpp"
#include "steadfold/mpi.hpp"
#include "steadfold/pairs.hpp"
#include "support/check.hpp"
#include "support/oracle_factors.hpp"

#include <cstddef>
#include <cstdio>
#include <cstring>
#include <gtest/gtest.h>
#include <mpi.h>

namespace {

using namespace oracle;

struct ranks : testing::Test {
    sf::communicator world = sf::mpi::duplicate(MPI_COMM_WORLD);
    int rank = world.rank(), size = world.size();

    /// First element of rank r: even parts, or uneven ones where some ranks have nothing.
    [[nodiscard]] std::int64_t start_of(int r, std::int64_t n, bool uneven) const {
        if (uneven) return r == 0 ? 0 : r >= size - 1 && size > 2 ? n : n / 3 * std::min(r, 3);
        return n * r / size;
    }

    void check(sample const& s, sf::reduce_options const& options, bool uneven) {
        std::int64_t const first = start_of(rank, s.n, uneven),
                           end = rank + 1 == size ? s.n : start_of(rank + 1, s.n, uneven);
        sf::reduction reduction{
            s.type, operations_of(s.type), options, {.kind = sf::processor_kind::host, .threads = 1 + rank % 2}};
        reduction.add(s.part(first, end - first), first);
        std::string const label =
            s.label + " rank " + std::to_string(rank) + " of " + std::to_string(size) + (uneven ? " uneven" : " even");
        expect_results(reduction.finish(world), summarise(s.bytes.data(), s.n, s.type), options, label);
    }
};

TEST_F(ranks, change_no_bit) {
    std::uint64_t seed = 100;
    for (int t = 0; t < sf::dtype_count; ++t)
        for (data_class const which : classes_of(static_cast<sf::dtype>(t)))
            for (std::int64_t const n : {0, 1, 2, 3, 7, 100, 5000}) {
                ++seed;
                sf::reduce_options const options{.nans =
                                                     seed % 2 == 0 ? sf::nan_policy::ignore : sf::nan_policy::propagate,
                                                 .ddof = seed % 3 == 0 ? 1 : 0};
                check(generate(which, static_cast<sf::dtype>(t), n, seed), options, seed % 4 == 0);
            }
}

TEST_F(ranks, change_no_bit_of_long_arrays) {
    for (sf::dtype const type : {sf::dtype::float64, sf::dtype::float32, sf::dtype::int64, sf::dtype::complex128})
        for (data_class const which : classes_of(type)) check(generate(which, type, 40001, 7), {}, false);
}

TEST_F(ranks, change_no_bit_of_dot) {
    for (int which = 0; which < pair_class_count; ++which)
        for (std::int64_t const n : {0, 1, 5, 3000}) {
            auto const [x, y] = generate_pair(static_cast<pair_class>(which), sf::dtype::float64, n, 8);
            std::int64_t const first = start_of(rank, n, false),
                               end = rank + 1 == size ? n : start_of(rank + 1, n, false);
            expect_same(sf::dot(world, x.part(first, end - first), y.part(first, end - first)),
                        evaluate(summarise_pairs(x.bytes.data(), y.bytes.data(), n, x.type), sf::operation::dot, {}),
                        sf::operation::dot, x.label);
        }
}

TEST_F(ranks, change_no_truth_value_bits_or_product) {
    for (int t = 0; t < sf::dtype_count; ++t)
        for (data_class const which : classes_of(static_cast<sf::dtype>(t)))
            for (std::int64_t const n : {0, 1, 3, 500}) {
                sample const s = generate(which, static_cast<sf::dtype>(t), n, 11);
                std::int64_t const first = start_of(rank, n, false),
                                   end = rank + 1 == size ? n : start_of(rank + 1, n, false);
                auto const got = sf::reduce(world, s.part(first, end - first), factor_operations_of(s.type), {}, first);
                for (int i = 0; i < sf::operation_count; ++i)
                    if (auto const op = static_cast<sf::operation>(i); got.operations().contains(op))
                        expect_same(got[op], evaluate_factors(s, op, {}), op, s.label);
            }
}

TEST_F(ranks, change_no_bit_of_pairs_transforms_and_moments) {
    for (sf::dtype const type : {sf::dtype::float64, sf::dtype::int32, sf::dtype::complex64})
        for (int which = 0; which < pair_class_count; ++which)
            for (std::int64_t const wanted : {0, 2, 5, 3000}) {
                auto const [x, y] = generate_pair(static_cast<pair_class>(which), type, wanted, 12);
                std::int64_t const n = x.n; // half of it for complex data
                std::int64_t const first = start_of(rank, n, which % 2 == 0),
                                   end = rank + 1 == size ? n : start_of(rank + 1, n, which % 2 == 0);
                sf::array_view const mine = x.part(first, end - first), other = y.part(first, end - first);
                EXPECT_EQ(sf::dot_conjugated(world, mine, other), sf::dot_conjugated({}, x.view(), y.view()));
                EXPECT_EQ(sf::distance(world, mine, other), sf::distance({}, x.view(), y.view()));
                if (sf::is_complex(type)) continue;
                EXPECT_EQ(sf::weighted_mean(world, mine, other), sf::weighted_mean({}, x.view(), y.view()));
                sf::moments const all = sf::central_moments(world, mine), one = sf::central_moments({}, x.view());
                EXPECT_EQ(std::memcmp(&all, &one, offsetof(sf::moments, status)), 0) << x.label;
            }
}

/// What the last rank asks for when all others ask for {float64, sum | variance}.
struct odd_request {
    sf::dtype type;
    sf::operation_set operations;
    sf::reduce_options options;
};

TEST_F(ranks, that_disagree_all_get_a_mismatch_error_and_can_go_on) {
    if (size < 2) GTEST_SKIP() << "one rank cannot disagree";
    sf::operation_set const usual = sf::sum | sf::variance;
    for (odd_request const& odd : {odd_request{sf::dtype::float64, sf::sum | sf::mean, {}},
                                   odd_request{sf::dtype::float64, usual | sf::extrema, {}}, // would gather too
                                   odd_request{sf::dtype::float32, usual, {}},
                                   odd_request{sf::dtype::float64, usual, {.mode = sf::reduction_mode::fast}},
                                   odd_request{sf::dtype::float64, usual, {.nans = sf::nan_policy::ignore}},
                                   odd_request{sf::dtype::float64, usual, {.ddof = 1}},
                                   odd_request{sf::dtype::float64, usual, {.result = sf::dtype::float32}}}) {
        odd_request const mine = rank == size - 1 ? odd : odd_request{sf::dtype::float64, usual, {}};
        sf::reduction reduction{mine.type, mine.operations, mine.options};
        EXPECT_THROW((void)reduction.finish(world), sf::mismatch_error) << "rank " << rank;
        EXPECT_FALSE(world.poisoned());
        check(generate(data_class::gaussian, sf::dtype::float64, 50, 9), {}, false);
    }
}

TEST_F(ranks, give_a_batch_what_each_gives_alone_and_notice_another_number_of_items) {
    sample const s = generate(data_class::log_normal, sf::dtype::float64, 300, 13);
    std::int64_t const first = start_of(rank, s.n, false),
                       end = rank + 1 == size ? s.n : start_of(rank + 1, s.n, false);
    sf::array_view const mine = s.part(first, end - first);
    std::vector<sf::batch_item> items(3, {.x = mine, .operations = sf::sum | sf::argmax, .first_index = first});
    items[1].operations = sf::variance | sf::product;
    auto const got = sf::reduce(world, items);
    EXPECT_EQ(got[0], sf::reduce({}, s.view(), items[0].operations));
    EXPECT_EQ(got[1], sf::reduce({}, s.view(), items[1].operations));
    if (size < 2) return;
    for (std::size_t const fewer : {0u, 2u}) {
        if (rank == size - 1) items.resize(fewer);
        EXPECT_THROW((void)sf::reduce(world, items), sf::mismatch_error) << "rank " << rank;
        EXPECT_FALSE(world.poisoned());
        items.resize(3, items.empty() ? sf::batch_item{.x = mine, .operations = sf::sum} : items[0]);
    }
}

TEST_F(ranks, agree_in_fast_mode) {
    sample const s = generate(data_class::gaussian, sf::dtype::float64, 3000, 10);
    std::int64_t const first = start_of(rank, s.n, false),
                       end = rank + 1 == size ? s.n : start_of(rank + 1, s.n, false);
    auto const got = sf::reduce(world, s.part(first, end - first), sf::parse_operations("all"),
                                {.mode = sf::reduction_mode::fast}, first);
    std::uint64_t const mine = got[sf::operation::sum].bits[0];
    std::vector<std::uint64_t> all(static_cast<std::size_t>(size));
    world.all_gather(std::as_bytes(std::span(&mine, 1)), std::as_writable_bytes(std::span(all)));
    for (std::uint64_t const other : all) EXPECT_EQ(other, mine);
    EXPECT_NEAR(got[sf::operation::sum].as_double(), sf::reduce({}, s.view(), sf::sum)[sf::operation::sum].as_double(),
                1e-9);
}

} // namespace

int main(int argc, char** argv) {
    int level = 0;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
    testing::InitGoogleTest(&argc, argv);
    int failed = RUN_ALL_TESTS();
    MPI_Allreduce(MPI_IN_PLACE, &failed, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    MPI_Finalize();
    return failed;
}
