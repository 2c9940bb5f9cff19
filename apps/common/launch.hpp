/// How a steadfold program starts and ends, alone or under mpirun and srun. The same binary does both.
///
///     int main(int argc, char** argv) {
///         sf::app::app_environment environment(argc, argv);      // first thing in main
///         try {
///             run(environment.world(), environment.local_rank());
///         } catch (sf::timeout_error const& e) {                 // MPI must not be called again
///             std::fprintf(stderr, "rank %d: %s\n", environment.world().rank(), e.what());
///             environment.leave_now(1);
///         }
///         return 0;                                              // MPI_Finalize happens here
///     }
#pragma once

#include "steadfold/communicator.hpp"

namespace steadfold {
inline namespace v0 {
namespace app {

/// Owns MPI's life in a program. Initialises MPI (MPI_THREAD_FUNNELED) only when a launcher started this process:
/// OMPI_COMM_WORLD_SIZE, PMI_RANK, PMIX_RANK, or a Slurm step of more than one task is in the environment. Otherwise
/// MPI is not touched at all, so that one process starts at once and works where MPI is broken. Where the launcher is
/// not that of the program's MPI, so that several processes were started and each is alone, the program ends with exit
/// code 2 and says so.
///
/// The destructor calls MPI_Finalize, unless a communicator is poisoned; should MPI_Finalize not return within a
/// minute (a rank died on the way), the process leaves with exit code 1.
class app_environment {
  public:
    app_environment(int& argc, char**& argv);
    ~app_environment();
    app_environment(app_environment const&) = delete;
    app_environment& operator=(app_environment const&) = delete;

    /// All ranks of the job; one rank without a launcher.
    [[nodiscard]] communicator const& world() const noexcept { return world_; }
    /// This rank's place among the ranks of its host, from 0: which GPU to take.
    [[nodiscard]] int local_rank() const noexcept { return local_rank_; }
    /// How many ranks of the job run on this host.
    [[nodiscard]] int local_ranks() const noexcept { return local_ranks_; }

    /// Flushes stdio and ends the process without destructors and without MPI: after a timeout, or when one rank
    /// fails alone (the launcher then ends the others).
    [[noreturn]] static void leave_now(int code);

  private:
    communicator world_;
    int local_rank_ = 0, local_ranks_ = 1;
    bool owns_mpi_ = false;
};

} // namespace app
} // namespace v0
} // namespace steadfold
