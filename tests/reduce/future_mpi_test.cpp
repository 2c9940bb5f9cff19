// Futures under mpirun: ranks take them in different orders and still meet; the bits are those of one rank.
#include "steadfold/future.hpp"
#include "steadfold/mpi.hpp"
#include "support/check.hpp"

#include <gtest/gtest.h>
#include <mpi.h>

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
