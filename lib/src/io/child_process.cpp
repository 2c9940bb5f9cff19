#include "io/child_process.hpp"

#include "steadfold/error.hpp"

#include <algorithm>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dirent.h>
#include <fcntl.h>
#include <malloc.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <thread>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define STEADFOLD_SANITIZED 1
#else
#define STEADFOLD_SANITIZED 0
#endif

namespace steadfold::inline v0::io_detail {

namespace {
constexpr int socket_place = 3; ///< descriptor number of the socket in the child

void close_from(int first) noexcept {
#ifdef SYS_close_range
    if (::syscall(SYS_close_range, static_cast<unsigned>(first), UINT_MAX, 0U) == 0) return;
#endif
    DIR* const directory = ::opendir("/proc/self/fd");
    if (directory == nullptr) {
        for (long fd = first, end = std::min(::sysconf(_SC_OPEN_MAX), 65536L); fd < end; ++fd)
            ::close(static_cast<int>(fd));
        return;
    }
    while (dirent const* entry = ::readdir(directory)) {
        int const fd = std::atoi(entry->d_name);
        if (fd >= first && fd != ::dirfd(directory)) ::close(fd);
    }
    ::closedir(directory);
}

/// Only the socket stays, at a fixed place above the standard streams, which lead nowhere.
void keep_only(int socket) noexcept {
    int const high = ::fcntl(socket, F_DUPFD, socket_place + 1);
    int const nowhere = ::open("/dev/null", O_RDWR);
    if (high < 0 || nowhere < 0) ::_exit(1);
    int const kept_streams = STEADFOLD_SANITIZED ? 2 : 3; // a sanitizer's report must be seen
    for (int fd = 0; fd < kept_streams; ++fd) ::dup2(nowhere, fd);
    ::dup2(high, socket_place);
    close_from(socket_place + 1);
}

void reset_signals() noexcept {
    struct sigaction standard {};
    standard.sa_handler = SIG_DFL;
    for (int number = 1; number < NSIG; ++number) ::sigaction(number, &standard, nullptr);
    // A terminal, mpirun and Slurm send these to every process of a job: what they mean is the parent's to decide.
    standard.sa_handler = SIG_IGN;
    for (int const number : {SIGHUP, SIGINT, SIGTERM, SIGUSR1, SIGUSR2}) ::sigaction(number, &standard, nullptr);
    sigset_t none;
    ::sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
}

/// PR_SET_PDEATHSIG fires when the *thread* that forked ends, so only the main thread may ask for it; children of other
/// threads end by the closed socket or their watchdog.
void die_with_parent(pid_t parent, bool forked_by_main_thread) noexcept {
    if (forked_by_main_thread) ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent) ::_exit(1);
}

void limit_memory([[maybe_unused]] std::size_t bytes) noexcept {
    rlimit const no_core{};
    ::setrlimit(RLIMIT_CORE, &no_core);
#if !STEADFOLD_SANITIZED // sanitizers reserve terabytes of address space
    unsigned long long pages = 0;
    std::FILE* const file = std::fopen("/proc/self/statm", "re");
    bool const known = file != nullptr && std::fscanf(file, "%llu", &pages) == 1;
    if (file != nullptr) std::fclose(file);
    if (!known) return;
    rlimit limit{};
    ::getrlimit(RLIMIT_AS, &limit);
    rlim_t total = 0;
    if (__builtin_add_overflow(pages * static_cast<rlim_t>(::sysconf(_SC_PAGESIZE)), bytes, &total)) return;
    limit.rlim_cur = std::min(limit.rlim_max, total);
#ifdef M_MMAP_THRESHOLD // large buffers go back to the system at once, or holes between them use up the limit
    ::mallopt(M_MMAP_THRESHOLD, 1 << 20);
#endif
    ::setrlimit(RLIMIT_AS, &limit);
#endif
}

[[noreturn]] void run_child(int socket, pid_t parent, bool by_main_thread, std::size_t memory_limit_bytes,
                            std::function<void(int)> const& body) noexcept {
    die_with_parent(parent, by_main_thread);
    reset_signals();
    keep_only(socket);
    limit_memory(memory_limit_bytes);
    try {
        body(socket_place);
    } catch (...) {
        ::_exit(1);
    }
    ::_exit(0); // never exit(): handlers registered by MPI, CUDA and HDF5 belong to the parent
}
} // namespace

child_process::child_process(std::size_t memory_limit_bytes, std::function<void(int)> const& body) {
    int ends[2];
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
        throw io_error(std::string("cannot make a socket for the reader process: ") + std::strerror(errno));
    socket_ = unique_fd(ends[0]);
    unique_fd const other(ends[1]);
    pid_t const parent = ::getpid();
    bool const by_main_thread = ::syscall(SYS_gettid) == parent;
    id_ = ::fork();
    if (id_ == 0) run_child(other.get(), parent, by_main_thread, memory_limit_bytes, body);
    if (id_ < 0) throw io_error(std::string("cannot start the reader process: ") + std::strerror(errno));
#ifdef SYS_pidfd_open
    handle_ = unique_fd(static_cast<int>(::syscall(SYS_pidfd_open, id_, 0U)));
#endif
}

bool child_process::wait_for_exit(std::chrono::milliseconds patience) noexcept {
    using clock = std::chrono::steady_clock;
    if (handle_) {
        pollfd exit{handle_.get(), POLLIN, 0};
        (void)::poll(&exit, 1, static_cast<int>(patience.count()));
    }
    for (auto const end = clock::now() + patience;; std::this_thread::sleep_for(std::chrono::microseconds{200})) {
        pid_t const reaped = ::waitpid(id_, &status_, WNOHANG);
        if (reaped < 0 && errno == EINTR) continue;
        if (reaped < 0) status_ = -1;
        if (reaped != 0) return true;
        if (clock::now() >= end) return false;
    }
}

int child_process::end(std::chrono::milliseconds patience) noexcept {
    if (id_ < 0) return status_;
    bool gone = wait_for_exit(patience);
    if (!gone) {
        // the handle cannot hit a stranger that was given the same id
        if (!handle_) ::kill(id_, SIGKILL);
#ifdef SYS_pidfd_send_signal
        else
            ::syscall(SYS_pidfd_send_signal, handle_.get(), SIGKILL, nullptr, 0U);
#endif
        gone = wait_for_exit(std::chrono::seconds{2});
    }
    if (!gone) status_ = -1;
    id_ = -1;
    socket_.close();
    handle_.close();
    return status_;
}

void arm_watchdog(std::chrono::nanoseconds patience) noexcept {
    using namespace std::chrono;
    auto const whole = duration_cast<seconds>(patience);
    itimerval timer{};
    timer.it_value.tv_sec = static_cast<time_t>(whole.count());
    timer.it_value.tv_usec = static_cast<suseconds_t>(duration_cast<microseconds>(patience - whole).count());
    ::setitimer(ITIMER_REAL, &timer, nullptr);
}

} // namespace steadfold::inline v0::io_detail
