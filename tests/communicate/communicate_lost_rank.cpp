// Rank 2 dies before its collective call. The survivors name it at their deadline and leave with _exit.
#include "steadfold/error.hpp"
#include "steadfold/mpi.hpp"

#include <cstdio>
#include <mpi.h>
#include <signal.h>
#include <unistd.h>

int main(int argc, char** argv) {
    int level = 0;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
    auto world = steadfold::mpi::duplicate(MPI_COMM_WORLD);
    world.set_deadline(std::chrono::seconds(2));
    world.barrier();
    if (world.rank() == 2) raise(SIGKILL);
    try {
        world.barrier();
        std::puts("the barrier returned without rank 2");
    } catch (steadfold::error const& e) {
        std::printf("rank %d: %s\n", world.rank(), e.what());
    }
    std::fflush(nullptr);
    _exit(3);
}
