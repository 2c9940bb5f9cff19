#include "steadfold/error.hpp"
#include "steadfold/topology.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <vector>

namespace {

namespace sf = steadfold;
using devices = std::vector<int>;

TEST(choose_devices, a_single_gpu_serves_every_rank) {
    EXPECT_EQ(sf::choose_devices(0, 1, 1), devices{0});
    for (int rank = 0; rank < 5; ++rank) EXPECT_EQ(sf::choose_devices(rank, 5, 1), devices{0});
}

TEST(choose_devices, more_ranks_than_gpus_go_round) {
    EXPECT_EQ(sf::choose_devices(0, 5, 2), devices{0});
    EXPECT_EQ(sf::choose_devices(3, 5, 2), devices{1});
    EXPECT_EQ(sf::choose_devices(4, 5, 2), devices{0});
}

TEST(choose_devices, fewer_ranks_than_gpus_get_several_neighbours) {
    EXPECT_EQ(sf::choose_devices(0, 1, 4), (devices{0, 1, 2, 3}));
    EXPECT_EQ(sf::choose_devices(1, 2, 4), (devices{2, 3}));
    EXPECT_EQ(sf::choose_devices(2, 3, 8), (devices{4, 5}));
}

TEST(choose_devices, no_gpu_is_chosen_where_there_is_none_or_none_is_wanted) {
    EXPECT_EQ(sf::choose_devices(0, 2, 0), devices{});
    EXPECT_EQ(sf::choose_devices(0, 2, 4, sf::device_policy::none), devices{});
}

TEST(choose_devices, single_spreads_ranks_over_the_gpus) {
    EXPECT_EQ(sf::choose_devices(1, 2, 8, sf::device_policy::single), devices{4});
    EXPECT_EQ(sf::choose_devices(3, 4, 2, sf::device_policy::single), devices{1});
}

TEST(choose_devices, ranks_get_equally_many_and_share_as_little_as_possible) {
    for (int gpus = 1; gpus <= 9; ++gpus) {
        for (int ranks = 1; ranks <= 20; ++ranks) {
            std::vector<int> users(static_cast<std::size_t>(gpus), 0);
            std::size_t const expected = sf::choose_devices(0, ranks, gpus).size();
            EXPECT_GE(expected, 1u);
            for (int rank = 0; rank < ranks; ++rank) {
                devices const mine = sf::choose_devices(rank, ranks, gpus);
                EXPECT_EQ(mine.size(), expected);
                for (int const device : mine) ++users.at(static_cast<std::size_t>(device));
            }
            auto const [least, most] = std::minmax_element(users.begin(), users.end());
            EXPECT_LE(*most - *least, 1) << ranks << " ranks, " << gpus << " GPUs";
            if (ranks <= gpus) {
                EXPECT_EQ(*most, 1);
            }
            if (ranks <= gpus && gpus % ranks == 0) {
                EXPECT_EQ(*least, 1);
            }
        }
    }
}

TEST(choose_devices, impossible_numbers_are_named) {
    try {
        (void)sf::choose_devices(4, 4, 2);
        FAIL();
    } catch (sf::argument_error const& e) {
        EXPECT_STREQ(e.what(), "cannot choose devices for local rank 4 of 4 with 2 GPU(s)");
    }
    EXPECT_THROW((void)sf::choose_devices(-1, 4, 2), sf::argument_error);
    EXPECT_THROW((void)sf::choose_devices(0, 1, -1), sf::argument_error);
}

} // namespace
