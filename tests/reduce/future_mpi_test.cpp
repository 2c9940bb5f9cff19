// Futures under mpirun: ranks take them in different orders and still meet; the bits are those of one rank.
#include "steadfold/error.hpp"
#include "steadfold/future.hpp"
#include "steadfold/mpi.hpp"
#include "support/check.hpp"

#include <gtest/gtest.h>
#include <mpi.h>
#include <optional>

namespace {

using namespace oracle;
using namespace std::chrono_literals;

TEST(futures_of_ranks, taken_in_any_order_give_the_bits_of_one_rank) {
    sf::communicator const world = sf::mpi::duplicate(MPI_COMM_WORLD);
    std::int64_t const rank = world.rank(), size = world.size();
    sf::operation_set const all = operations_of(sf::dtype::float64);
    sf::workspace statistics{sf::dtype::float64, all}, dots{sf::dtype::float64, sf::operation::dot};
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
        auto const [x, y] = generate_pair(pair_class::cancellation, sf::dtype::float64, 1001, seed);
        std::int64_t const first = x.n * rank / size, n = x.n * (rank + 1) / size - first;
        auto of_x = sf::reduce_async(world, x.part(first, n), statistics, {}, first);
        auto rho = sf::dot_async(world, x.part(first, n), y.part(first, n), dots, {});
        sf::result_value product;
        if (rank % 2 == 1) product = rho.get(10s); // does the turn of the other one first
        sf::reduction_results const results = of_x.get(10s);
        if (rank % 2 == 0) product = rho.get(10s);
        expect_results(results, summarise(x.bytes.data(), x.n, x.type), {}, x.label);
        expect_same(product,
                    evaluate(summarise_pairs(x.bytes.data(), y.bytes.data(), x.n, x.type), sf::operation::dot, {}),
                    sf::operation::dot, x.label);
    }
}

TEST(futures_of_ranks, meet_in_progress_and_in_get) {
    sf::communicator const world = sf::mpi::duplicate(MPI_COMM_WORLD);
    std::int64_t const rank = world.rank(), size = world.size();
    sf::operation_set const all = operations_of(sf::dtype::float32);
    sf::workspace statistics{sf::dtype::float32, all}, dots{sf::dtype::float32, sf::operation::dot},
        unused{sf::dtype::float32, sf::sum};
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
        auto const [x, y] = generate_pair(pair_class::errors, sf::dtype::float32, 777, seed);
        std::int64_t const first = x.n * rank / size, n = x.n * (rank + 1) / size - first;
        sf::array_view const mine = x.part(first, n);
        { auto const dropped = sf::reduce_async(world, mine, unused, {}); }
        auto of_x = sf::reduce_async(world, mine, statistics, {}, first);
        auto rho = sf::dot_async(world, mine, y.part(first, n), dots, {});
        // Some ranks only help along until nothing is left, some only take results, and they change places.
        std::optional<sf::result_value> product;
        if ((static_cast<std::uint64_t>(rank) + seed) % 2 == 0) {
            while (!sf::progress(world)) {
            }
            EXPECT_TRUE(of_x.ready());
        } else {
            product = rho.get(10s);
            EXPECT_TRUE(sf::progress(world)); // nothing left: meets nobody
        }
        EXPECT_FALSE(unused.busy());
        expect_results(of_x.get(0s), summarise(x.bytes.data(), x.n, x.type), {}, x.label);
        if (!product) product = rho.get(0s);
        expect_same(*product,
                    evaluate(summarise_pairs(x.bytes.data(), y.bytes.data(), x.n, x.type), sf::operation::dot, {}),
                    sf::operation::dot, x.label);
    }
}

TEST(futures_of_ranks, keep_the_errors_of_calls_made_in_progress) {
    sf::communicator const world = sf::mpi::duplicate(MPI_COMM_WORLD);
    std::vector<double> const x = {1, 2};
    // Rank 0 asks for something else; the ranks still meet.
    sf::workspace different{sf::dtype::float64, world.rank() == 0 ? sf::sum : sf::l2},
        same{sf::dtype::float64, sf::sum};
    auto refused = sf::reduce_async(world, sf::view<double const>(x), different, {});
    auto fine = sf::reduce_async(world, sf::view<double const>(x), same, {});
    EXPECT_NO_THROW(EXPECT_TRUE(sf::progress(world)));
    EXPECT_EQ(fine.get(0s).sum, 3.0 * world.size());
    if (world.size() > 1)
        EXPECT_THROW((void)refused.get(0s), sf::mismatch_error);
    else
        EXPECT_EQ(refused.get(0s).sum, 3.0);
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
