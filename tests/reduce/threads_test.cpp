// Worker threads are started for work that is worth them.
#include "steadfold/reduce.hpp"

#include <filesystem>
#include <gtest/gtest.h>
#include <iterator>
#include <vector>

namespace {

namespace sf = steadfold;

#if defined(__linux__)
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

} // namespace
