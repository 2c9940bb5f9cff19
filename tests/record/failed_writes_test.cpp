#include "record/sample.hpp"
#include "steadfold/error.hpp"

#include <chrono>
#include <csignal>
#include <fcntl.h>
#include <functional>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace record_tests;

namespace {

constexpr int skipped = 77;

/// Runs `body` in a child, which leaves through exit() so that HDF5's own clean-up runs as well.
int exit_code_of(std::function<int()> const& body) {
    pid_t const child = ::fork();
    if (child == 0) {
        ::alarm(60);
        int code = 9; // an exception that should not be
        try {
            code = body();
        } catch (std::exception const& e) {
            std::fprintf(stderr, "%s\n", e.what());
        }
        if (::seteuid(::getuid()) != 0) code = 8; // the leak checker needs its rights back
        std::exit(code);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
}

/// Appends until it fails. 0: one io_error with the path and `words`, and the record was quiet afterwards.
int append_until_failure(sf::run_record& record, std::string const& words, int& rows) {
    try {
        for (rows = 0; rows < 1'000'000; rows += 50) record.append(sample_operations(rows, 50));
        return 1;
    } catch (sf::io_error const& e) {
        std::string const what = e.what();
        bool const good = what.find(words) != std::string::npos && what.find(".partial") != std::string::npos;
        if (!good) std::fprintf(stderr, "unexpected words: %s\n", e.what());
        if (!good || !record.broken()) return 2;
    }
    auto const begin = std::chrono::steady_clock::now();
    for (int i = 0; i < 1000; ++i) record.append(sample_operations(0, 1));
    record.flush();
    record.close();
    return std::chrono::steady_clock::now() - begin < std::chrono::seconds(1) ? 0 : 3;
}

/// 0 if the file that is left holds the first `rows` rows.
int check_what_is_left(fs::path const& path, int rows) {
    sf::record_contents const read = sf::read_record(path);
    if (!read.partial || read.status != sf::run_status::running) return 4;
    return read.operations == sample_operations(0, rows) ? 0 : 5;
}

int fill_up(
    fs::path const& path, std::string const& words, std::function<void()> const& after_opening = [] {}) {
    int rows = 0;
    {
        sf::run_record record{path, sample_facts()};
        after_opening();
        if (int const code = append_until_failure(record, words, rows)) return code;
    }
    if (fs::exists(path)) return 6;
    return check_what_is_left(path, rows);
}

/// Points the record's descriptor at /dev/full: space cannot be reserved there, so that HDF5's own writes fail.
void make_writes_fail(fs::path const& partial) {
    int const full = ::open("/dev/full", O_RDWR);
    for (auto const& entry : fs::directory_iterator("/proc/self/fd")) {
        std::error_code ignored;
        if (fs::read_symlink(entry.path(), ignored) == partial) ::dup2(full, std::stoi(entry.path().filename()));
    }
    ::close(full);
}

} // namespace

TEST(failed_writes, a_limit_on_file_sizes_is_an_error_and_no_signal) {
    temporary_folder const folder;
    for (rlim_t const limit : {400'000U, 500'000U, 1'000'000U, 3'000'001U}) {
        EXPECT_EQ(exit_code_of([&] {
                      rlimit const sizes{limit, limit};
                      ::setrlimit(RLIMIT_FSIZE, &sizes);
                      return fill_up(folder / (std::to_string(limit) + ".h5"),
                                     "raise the limit on file sizes (ulimit -f)");
                  }),
                  0)
            << limit;
    }
}

TEST(failed_writes, too_small_a_limit_leaves_no_file) {
    temporary_folder const folder;
    EXPECT_EQ(exit_code_of([&] {
                  rlimit const sizes{1000, 1000};
                  ::setrlimit(RLIMIT_FSIZE, &sizes);
                  ::signal(SIGXFSZ, SIG_IGN);
                  try {
                      sf::run_record record{folder / "run.h5", sample_facts()};
                  } catch (sf::io_error const&) {
                      return fs::is_empty(folder.path()) ? 0 : 2;
                  }
                  return 1;
              }),
              0);
}

TEST(failed_writes, a_full_disk_leaves_every_row_before_it) {
    temporary_folder const folder;
    int const code = exit_code_of([&] {
        if (::unshare(CLONE_NEWNS) != 0 || ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
            ::mount("none", folder.path().c_str(), "tmpfs", 0, "size=1m") != 0)
            return skipped;
        return fill_up(folder / "run.h5", "No space left on device");
    });
    if (code == skipped) GTEST_SKIP() << "no right to mount a small file system";
    EXPECT_EQ(code, 0);
}

TEST(failed_writes, a_write_that_fails_inside_hdf5_leaves_every_row_before_it) {
    temporary_folder const folder;
    EXPECT_EQ(exit_code_of([&] {
                  int rows = 0;
                  sf::run_record record{folder / "run.h5", sample_facts()};
                  record.append(sample_operations(0, 500));
                  make_writes_fail(folder / "run.h5.partial");
                  if (int const code = append_until_failure(record, "No space left on device", rows)) return code;
                  return check_what_is_left(folder / "run.h5", 500);
              }),
              0);
}

TEST(failed_writes, a_failure_while_closing_throws_and_leaves_the_rows) {
    temporary_folder const folder;
    EXPECT_EQ(exit_code_of([&] {
                  sf::run_record record{folder / "run.h5", sample_facts()};
                  record.append(sample_operations(0, 500));
                  make_writes_fail(folder / "run.h5.partial");
                  try {
                      record.close();
                  } catch (sf::io_error const&) {
                      return check_what_is_left(folder / "run.h5", 500);
                  }
                  return 1;
              }),
              0);
}

TEST(failed_writes, a_folder_without_permission_is_named) {
    temporary_folder const folder;
    fs::permissions(folder.path(), fs::perms::owner_read | fs::perms::owner_exec | fs::perms::others_exec);
    int const code = exit_code_of([&] {
        if (::geteuid() == 0 && ::seteuid(65534) != 0) return skipped; // root may write anywhere
        try {
            sf::run_record record{folder / "run.h5", sample_facts()};
        } catch (sf::io_error const& e) {
            std::string const what = e.what();
            return what.find("Permission denied") != std::string::npos && what.find("run.h5") != std::string::npos ? 0
                                                                                                                   : 2;
        }
        return 1;
    });
    fs::permissions(folder.path(), fs::perms::owner_all);
    if (code == skipped) GTEST_SKIP() << "no right to become another user";
    EXPECT_EQ(code, 0);
}
