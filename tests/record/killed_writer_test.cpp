#include "record/sample.hpp"

#include <atomic>
#include <chrono>
#include <csignal>
#include <gtest/gtest.h>
#include <random>
#include <sys/mman.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace record_tests;

namespace {

/// Memory the parent still sees after the child has died.
class shared_counter {
  public:
    shared_counter()
        : value_(static_cast<std::atomic<int>*>(
              ::mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0))) {}
    shared_counter(shared_counter const&) = delete;
    shared_counter& operator=(shared_counter const&) = delete;
    ~shared_counter() { ::munmap(value_, 4096); }
    [[nodiscard]] std::atomic<int>& operator*() const { return *value_; }

  private:
    std::atomic<int>* value_;
};

/// Appends batches of `batch` rows until it is killed; `flushed` counts the rows whose append has returned.
[[noreturn]] void write_forever(fs::path const& path, int batch, std::atomic<int>& flushed) {
    try {
        sf::run_record record{path, sample_facts()};
        for (int rows = 0;; rows += batch) {
            record.append(sample_operations(rows, batch));
            flushed = rows + batch;
            // As fast as a job with an operation every fraction of a millisecond, and below the 24,000 rows behind
            // which a kill can meet a split of HDF5's chunk index: see record_table.cpp.
            std::this_thread::sleep_for(std::chrono::microseconds(300));
        }
    } catch (...) {
        ::_exit(1);
    }
}

void kill_at_a_random_moment(int trial, int batch) {
    temporary_folder const folder;
    shared_counter flushed;
    pid_t const child = ::fork();
    if (child == 0) write_forever(folder / "run.h5", batch, *flushed);
    while (*flushed == 0) std::this_thread::yield();
    std::mt19937 random(static_cast<unsigned>(1000 * batch + trial));
    std::this_thread::sleep_for(std::chrono::microseconds(random() % 60'000));
    ::kill(child, SIGKILL);
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFSIGNALED(status)) << "the writer failed before it was killed";

    sf::record_contents const read = sf::read_record(folder / "run.h5");
    EXPECT_TRUE(read.partial);
    EXPECT_EQ(read.status, sf::run_status::running);
    EXPECT_EQ(read.facts.hosts, sample_facts().hosts);
    int const rows = static_cast<int>(read.operations.size());
    EXPECT_GE(rows, *flushed);
    EXPECT_LE(rows, *flushed + batch);
    EXPECT_EQ(read.operations, sample_operations(0, rows)) << "of " << rows << " rows";
}

} // namespace

TEST(killed_writer, every_flushed_row_is_there_for_single_rows) {
    for (int trial = 0; trial < 25; ++trial) kill_at_a_random_moment(trial, 1);
}

TEST(killed_writer, every_flushed_row_is_there_for_batches) {
    for (int trial = 0; trial < 25; ++trial) kill_at_a_random_moment(trial, 150);
}
