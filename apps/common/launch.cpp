#include "launch.hpp"

#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <signal.h>
#include <string>
#include <unistd.h>

#ifdef STEADFOLD_HAS_MPI
#include "steadfold/mpi.hpp"
#endif

namespace steadfold {
inline namespace v0 {
namespace app {

namespace {

int environment_number(char const* name, int otherwise) {
    char const* text = std::getenv(name);
    if (text == nullptr || *text == '\0') return otherwise;
    char* end = nullptr;
    long const value = std::strtol(text, &end, 10);
    return *end == '\0' && value >= 0 ? static_cast<int>(value) : otherwise;
}

/// A file opened later, a run record say, would get the number of a standard stream the caller had closed, and what is
/// printed would go into it. Writing to /dev/full fails, as it should.
void occupy_standard_streams() {
    for (int const stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
        if (fcntl(stream, F_GETFD) < 0)
            static_cast<void>(!open(stream == STDOUT_FILENO ? "/dev/full" : "/dev/null", O_RDWR));
}

bool started_by_launcher() {
    for (char const* name : {"OMPI_COMM_WORLD_SIZE", "PMI_RANK", "PMIX_RANK"})
        if (std::getenv(name) != nullptr) return true;
    // The batch script itself has SLURM_PROCID too; only a step has a task count.
    return std::getenv("SLURM_PROCID") != nullptr && environment_number("SLURM_STEP_NUM_TASKS", 1) > 1;
}

/// Processes that the launcher says it started; 1 if it does not say. Under mpirun the daemons are a Slurm step, too.
int started_processes() {
    for (char const* name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_STEP_NUM_TASKS"})
        if (int const processes = environment_number(name, 0); processes > 0) return processes;
    return 1;
}

#ifdef STEADFOLD_HAS_MPI
constexpr unsigned finalize_seconds = 60;

/// Name and version.
std::string mpi_library() {
    char text[MPI_MAX_LIBRARY_VERSION_STRING];
    int length = 0;
    MPI_Get_library_version(text, &length);
    std::string const all(text, static_cast<std::size_t>(length));
    return all.substr(0, all.find_first_of(",\n"));
}

void end_in_time(int) {
    static char const text[] = "MPI_Finalize did not return within 60 s (did a rank die?); leaving with exit code 1\n";
    static_cast<void>(!write(STDERR_FILENO, text, sizeof text - 1));
    _exit(1);
}

/// SLURM_LOCALID is not asked: under mpirun inside sbatch it is 0 for every rank.
void find_local_rank(int& rank, int& ranks) {
    rank = environment_number("OMPI_COMM_WORLD_LOCAL_RANK", -1);
    ranks = environment_number("OMPI_COMM_WORLD_LOCAL_SIZE", -1);
    if (rank >= 0 && ranks > rank) return;
    MPI_Comm host = MPI_COMM_NULL; // errors are fatal here, as for every program that has just started
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &host);
    MPI_Comm_rank(host, &rank);
    MPI_Comm_size(host, &ranks);
    MPI_Comm_free(&host);
}
#endif

} // namespace

#ifdef STEADFOLD_HAS_MPI
app_environment::app_environment(int& argc, char**& argv) {
    occupy_standard_streams();
    int initialised = 0;
    MPI_Initialized(&initialised);
    if (!started_by_launcher() && !initialised) return;
    if (!initialised) {
        int level = 0;
        MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
        owns_mpi_ = true;
    }
    world_ = mpi::duplicate(MPI_COMM_WORLD);
    // Every process would compute, and print, the whole result on its own.
    if (owns_mpi_ && world_.size() == 1 && started_processes() > 1) {
        std::fprintf(stderr,
                     "The launcher started %d processes, but each is alone in the MPI of this program: start it with "
                     "the mpirun of that MPI (%s), or with srun --mpi=pmix\n",
                     started_processes(), mpi_library().c_str());
        leave_now(2);
    }
    find_local_rank(local_rank_, local_ranks_);
}

app_environment::~app_environment() {
    if (!owns_mpi_ || mpi::any_poisoned()) return;
    world_ = communicator();
    std::fflush(nullptr);
    signal(SIGALRM, end_in_time);
    alarm(finalize_seconds);
    MPI_Finalize();
    alarm(0);
}
#else
app_environment::app_environment(int&, char**&) {
    occupy_standard_streams();
    // Every process would compute, and print, the whole result on its own.
    if (started_by_launcher() && started_processes() > 1) {
        std::fprintf(stderr, "This program was built without MPI and cannot share work between ranks: start it without "
                             "mpirun or srun, or build it with -DSTEADFOLD_MPI=ON\n");
        leave_now(2);
    }
}
app_environment::~app_environment() = default;
#endif

void app_environment::leave_now(int code) {
    std::fflush(nullptr);
    _exit(code);
}

} // namespace app
} // namespace v0
} // namespace steadfold
