// Uses the installed library as a stranger would. Compares bits only, so that it means the same under -Ofast, which
// also flushes subnormals to zero in this process from its start.
#include <bit>
#include <cstdint>
#include <cstdio>
#include <steadfold/communicator.hpp>
#include <steadfold/partition.hpp>
#include <steadfold/reduce.hpp>
#include <steadfold/version.hpp>
#include <string>
#include <string_view>
#include <vector>
#ifdef CONSUMER_HAS_MPI
#include <steadfold/mpi.hpp>
#endif
#ifdef CONSUMER_HAS_NCCL
#include <steadfold/nccl.hpp>
#endif
#ifdef CONSUMER_HAS_IO
#include <steadfold/dataset.hpp>
#endif
#ifdef CONSUMER_HAS_RECORD
#include <steadfold/record.hpp>
#endif

namespace sf = steadfold;

namespace {

int failures = 0;

void expect(bool holds, char const* what) {
    if (holds) return;
    std::printf("FAILED: %s\n", what);
    ++failures;
}

std::uint64_t sum_bits(std::vector<std::uint64_t> const& patterns) {
    std::vector<double> values(patterns.size());
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = std::bit_cast<double>(patterns[i]);
    auto const n = static_cast<std::int64_t>(values.size());
    sf::array_view const view{values.data(), n, sf::dtype::float64};
    return sf::reduce(sf::communicator{}, view, sf::sum)[sf::operation::sum].bits[0];
}

#ifdef CONSUMER_HAS_MPI
void use_mpi(int argc, char** argv) {
    int level = 0;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
    {
        auto const world = sf::mpi::duplicate(MPI_COMM_WORLD);
        std::int64_t one = 1;
        world.all_reduce_sum({&one, 1});
        expect(one == world.size(), "the sum of ones is the number of ranks");
    }
    MPI_Finalize();
}
#endif

} // namespace

int main([[maybe_unused]] int argc, [[maybe_unused]] char** argv) {
    expect(!sf::version().empty(), "the library has a version");
    expect(sf::block_range(10, 3, 0).count == 4, "10 items in 3 parts: 4, 3, 3");

    std::uint64_t const one = 0x3ff0000000000000u, huge = 0x54b249ad2594c37du, sign = std::uint64_t{1} << 63;
    expect(sum_bits({huge, one, huge | sign}) == one, "1e100 + 1 - 1e100 is 1");
    expect(sum_bits(std::vector<std::uint64_t>(100'000, 1)) == 100'000, "100,000 smallest subnormals add up exactly");

#ifdef CONSUMER_HAS_MPI
    use_mpi(argc, argv);
#endif
#ifdef CONSUMER_HAS_NCCL
    expect(!sf::nccl::available(sf::communicator{}, -1), "device -1 is not available");
#endif
#ifdef CONSUMER_HAS_IO
    expect(sf::name(sf::file_format::npy) == "npy", "io is linked");
#endif
#ifdef CONSUMER_HAS_RECORD
    try {
        (void)sf::read_record("/nonexistent/run.h5");
        expect(false, "a record that does not exist is not read");
    } catch (sf::error const& e) {
        expect(std::string_view(e.what()).find("run.h5") != std::string_view::npos, "the message names the file");
    }
#endif
    std::printf("steadfold %s: %s\n", std::string(sf::version()).c_str(), failures == 0 ? "all fine" : "see above");
    return failures == 0 ? 0 : 1;
}
