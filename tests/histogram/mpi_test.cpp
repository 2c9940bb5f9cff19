// Runs under mpirun with 1 to 4 ranks, every rank the same tests: the counts of all ranks are those of one.
#include "histogram/brute_force.hpp"
#include "steadfold/error.hpp"
#include "steadfold/mpi.hpp"

#include <algorithm>
#include <mpi.h>

namespace {

using namespace oracle;

struct histogram_ranks : testing::Test {
    sf::communicator world = sf::mpi::duplicate(MPI_COMM_WORLD);
    int rank = world.rank(), size = world.size();

    /// Even parts, or all of it on the last rank.
    void check(sample const& s, sf::histogram_bins const& bins, bool uneven) {
        std::int64_t const first = uneven ? 0 : s.n * rank / size, end = uneven ? s.n : s.n * (rank + 1) / size;
        bool const has_data = !uneven || rank == size - 1;
        sf::histogram_counter counter{s.type, bins, {}, {.threads = 1 + rank % 2}};
        if (has_data) counter.add(s.part(first, end - first));
        expect_same(counter.finish(world), brute_force(s, bins.edges()), s.label + " rank " + std::to_string(rank));
    }
};

TEST_F(histogram_ranks, change_no_count) {
    for (sf::dtype const type : real_types())
        for (std::size_t b = 0; b < all_bins().size(); b += 2)
            for (std::int64_t const n : {0, 1, 3, 2000})
                check(near_edges(classes_of(type).front(), type, all_bins()[b].bins.edges(), n, b), all_bins()[b].bins,
                      b % 4 == 0);
}

TEST_F(histogram_ranks, change_no_count_of_many_bins) {
    sf::histogram_bins const bins = sf::uniform_bins(-2, 2, 1 << 20);
    check(near_edges(data_class::gaussian, sf::dtype::float64, bins.edges(), 100000, 4), bins, false);
}

TEST_F(histogram_ranks, that_disagree_all_get_a_mismatch_error_and_can_go_on) {
    if (size < 2) GTEST_SKIP() << "one rank cannot disagree";
    sf::histogram_bins const usual = sf::uniform_bins(0, 1, 10);
    struct request {
        sf::dtype type;
        sf::histogram_bins bins;
        sf::histogram_options options;
    };
    for (request const& odd :
         {request{sf::dtype::int32, sf::uniform_bins(0, 1, 11), {}},
          request{sf::dtype::int32, sf::uniform_bins(0, 1, 1 << 20), {}},
          request{sf::dtype::int32, sf::uniform_bins(0, 1.5, 10), {}}, request{sf::dtype::int64, usual, {}},
          request{sf::dtype::int32, usual, {.missing = 0}}}) {
        request const mine = rank == size - 1 ? odd : request{sf::dtype::int32, usual, {}};
        sf::histogram_counter counter{mine.type, mine.bins, mine.options};
        EXPECT_THROW((void)counter.finish(world), sf::mismatch_error) << "rank " << rank;
        EXPECT_FALSE(world.poisoned());
        check(generate(data_class::gaussian, sf::dtype::float64, 50, 9), usual, false);
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
