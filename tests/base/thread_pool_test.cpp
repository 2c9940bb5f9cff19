// Every job runs once on every thread, whatever the threads were doing before.
#include "base/thread_pool.hpp"

#include <atomic>
#include <chrono>
#include <gtest/gtest.h>
#include <numeric>
#include <set>
#include <stdexcept>

namespace {

namespace base = steadfold::base;
using namespace std::chrono_literals;

/// Plain counters on purpose: what a job wrote must be visible when run() returns.
void expect_every_thread_once(base::thread_pool& pool) {
    std::vector<int> runs(static_cast<std::size_t>(pool.size()), 0);
    pool.run([&](int i) { ++runs[static_cast<std::size_t>(i)]; });
    for (int const count : runs) ASSERT_EQ(count, 1);
}

TEST(thread_pool, runs_a_job_once_on_every_thread) {
    for (int const threads : {1, 2, 3, 16}) {
        base::thread_pool pool{threads};
        ASSERT_EQ(pool.size(), threads);
        for (int i = 0; i < 2000; ++i) expect_every_thread_once(pool); // threads wait awake
        for (int i = 0; i < 20; ++i) {
            std::this_thread::sleep_for(1ms); // and asleep
            expect_every_thread_once(pool);
        }
    }
}

TEST(thread_pool, waits_for_jobs_of_any_length) {
    base::thread_pool pool{3};
    for (auto const length : {0us, 40us, 60us, 5000us})
        for (int slow = 0; slow < 3; ++slow) {
            std::atomic<int> ended = 0;
            pool.run([&](int i) {
                if (i == slow) std::this_thread::sleep_for(length);
                ++ended;
            });
            ASSERT_EQ(ended, 3);
        }
}

TEST(thread_pool, has_a_thread_for_every_allowed_cpu_unless_told) {
    EXPECT_EQ(base::thread_pool(0).size(), base::allowed_cpu_count());
}

TEST(thread_pool, throws_the_exception_of_a_job_and_goes_on) {
    base::thread_pool pool{3};
    for (int failing = 0; failing < 3; ++failing) {
        auto const job = [&](int i) {
            if (i == failing) throw std::runtime_error("thread " + std::to_string(i));
        };
        try {
            pool.run(job);
            FAIL() << "no exception";
        } catch (std::runtime_error const& e) {
            EXPECT_EQ(e.what(), "thread " + std::to_string(failing));
        }
        expect_every_thread_once(pool);
    }
}

TEST(thread_pool, ends_while_its_threads_wait_awake_or_asleep) {
    for (auto const pause : {0us, 30us, 2000us})
        for (int i = 0; i < 20; ++i) {
            base::thread_pool pool{4};
            pool.run([](int) {});
            std::this_thread::sleep_for(pause);
        }
}

TEST(thread_pool, keeps_threads_at_home) {
    base::cpu_list const cpus = base::allowed_cpus();
    if (cpus.size() < 2) GTEST_SKIP() << "one CPU";
    base::cpu_list const first{cpus.front()}, second{cpus.back()};
    std::vector<base::cpu_list> found(3);
    auto const note = [&](int i) { found[static_cast<std::size_t>(i)] = base::allowed_cpus(); };
    base::thread_pool at_home{3, {first, first, second}};
    at_home.run(note);
    EXPECT_EQ(found, (std::vector{cpus, first, second})); // the caller is not moved
    base::thread_pool elsewhere{3, {first, second}};
    elsewhere.run(note);
    EXPECT_EQ(found, (std::vector{cpus, cpus, cpus}));
}

} // namespace
