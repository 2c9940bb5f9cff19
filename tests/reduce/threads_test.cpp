// Worker threads are started for work that is worth them, and help each other out.
#include "base/thread_pool.hpp"
#include "reduce/host/shared_work.hpp"
#include "steadfold/reduce.hpp"

#include <chrono>
#include <filesystem>
#include <gtest/gtest.h>
#include <iterator>
#include <vector>

namespace {

namespace sf = steadfold;

#if defined(__linux__) && !defined(__SANITIZE_THREAD__) // which starts one of its own
std::ptrdiff_t threads_of_this_process() {
    std::filesystem::directory_iterator const tasks{"/proc/self/task"};
    return std::distance(begin(tasks), end(tasks));
}

TEST(threads, are_started_when_there_is_work_for_them) {
    std::ptrdiff_t const before = threads_of_this_process();
    std::vector<double> const few(1000, 1.0), some(50000, 1.0), many(200000, 1.0);
    sf::reduction sums{sf::dtype::float64, sf::sum, {}, {.threads = 6}};
    sums.add(sf::view<double const>(few));
    EXPECT_EQ(threads_of_this_process(), before);
    sums.add(sf::view<double const>(some)); // worth three threads, the caller included
    EXPECT_EQ(threads_of_this_process(), before + 2);
    sums.add(sf::view<double const>(many));
    EXPECT_EQ(threads_of_this_process(), before + 5);
    sums.add(sf::view<double const>(some));
    EXPECT_EQ(threads_of_this_process(), before + 5);
    EXPECT_EQ(sums.finish()[sf::operation::sum].as_double(), 301000.0);
}
#endif

TEST(shared_work, is_done_once_each_whatever_the_sizes) {
    for (int const threads : {1, 2, 3, 7}) {
        steadfold::base::thread_pool pool{threads};
        for (std::int64_t const count : {1, 6, 7, 100, 9999, 10000})
            for (std::int64_t const chunk : {1, 3, 100, 20000}) {
                std::vector<int> times(static_cast<std::size_t>(count), 0);
                sf::host::shared_work work{count, threads, chunk};
                pool.run([&](int thread) {
                    work.work_off(thread, [&](sf::index_range range) {
                        EXPECT_LE(range.count, chunk);
                        for (std::int64_t i = range.first; i < range.last(); ++i) ++times[static_cast<std::size_t>(i)];
                    });
                });
                for (int const n : times) ASSERT_EQ(n, 1) << count << " in " << chunk << " on " << threads;
            }
    }
}

TEST(shared_work, of_a_thread_that_is_held_up_is_done_by_the_others) {
    steadfold::base::thread_pool pool{3};
    sf::host::shared_work work{3000, 3, 10};
    std::atomic<std::int64_t> done = 0;
    pool.run([&](int thread) {
        bool first = true;
        work.work_off(thread, [&](sf::index_range range) {
            auto const patience = std::chrono::steady_clock::now() + std::chrono::seconds(20);
            while (thread == 1 && first && done < 3000 - range.count && std::chrono::steady_clock::now() < patience)
                std::this_thread::yield();
            if (thread == 1 && first) {
                EXPECT_EQ(done, 3000 - range.count);
            }
            first = false;
            done += range.count;
        });
    });
    EXPECT_EQ(done, 3000);
}

// Chunks go to whichever thread is free, so the places of equal extrema come in any order.
TEST(shared_work, does_not_show_in_the_results) {
    std::vector<double> x(3'000'000);
    for (std::size_t i = 0; i < x.size(); ++i)
        x[i] = static_cast<double>(i % 100'003) - 0x1p-60 * static_cast<double>(i % 7);
    auto const results = [&](int threads) {
        sf::reduction all{sf::dtype::float64, sf::sum | sf::variance | sf::extrema, {}, {.threads = threads}};
        all.add(sf::view<double const>(x));
        sf::reduction_results const found = all.finish();
        return std::vector{found[sf::operation::sum].bits[0], found[sf::operation::variance].bits[0],
                           found[sf::operation::argmin].bits[0], found[sf::operation::argmax].bits[0]};
    };
    auto const alone = results(1);
    for (int round = 0; round < 20; ++round) ASSERT_EQ(results(2 + round % 5), alone);
}

} // namespace
