// What progress() does with promised collective calls: in order, without waiting for devices, errors kept.
#include "communicate/turns.hpp"
#include "reduce/twin_ranks.hpp"
#include "steadfold/error.hpp"
#include "steadfold/future.hpp"

#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace {

namespace sf = steadfold;
using namespace std::chrono_literals;
using oracle::twin_ranks;

std::vector<double> const numbers = {1, 2, 3};
sf::view<double const> const x = numbers;

/// A promise of a device that is done, is not, or has failed; it writes down what happens to it.
class made_up_turn final : public sf::detail::turn {
  public:
    made_up_turn(std::string name, std::vector<std::string>& events) : name_{std::move(name)}, events_{events} {}
    bool can_be_taken() override {
        if (broken) throw sf::library_error("the made-up device is on fire");
        return done;
    }
    void take(sf::communicator const&) noexcept override { events_.push_back(name_ + " taken"); }
    void fail(std::exception_ptr) noexcept override { events_.push_back(name_ + " failed"); }

    bool done = true, broken = false;

  private:
    std::string name_;
    std::vector<std::string>& events_;
};

struct twins {
    std::shared_ptr<twin_ranks> backend = std::make_shared<twin_ranks>();
    sf::communicator ranks{backend};
    std::vector<std::string> events;

    std::shared_ptr<made_up_turn> promise(std::string name) {
        auto const turn = std::make_shared<made_up_turn>(std::move(name), events);
        sf::detail::turns::of(ranks).push_back(turn);
        return turn;
    }
};

using words = std::vector<std::string>;

TEST(progress, of_one_rank_has_nothing_to_do) {
    sf::communicator const alone;
    EXPECT_TRUE(sf::progress(alone));
    sf::workspace work{sf::dtype::float64, sf::sum};
    auto later = sf::reduce_async(alone, x, work, {});
    EXPECT_TRUE(sf::progress(alone));
    EXPECT_TRUE(work.busy()); // its future has the result still
    EXPECT_EQ(later.get().sum, 6.0);
}

TEST(progress, keeps_promises_in_order_as_far_as_the_devices_are_done) {
    twins two;
    auto const first = two.promise("first"), second = two.promise("second"), third = two.promise("third");
    second->done = false;
    EXPECT_FALSE(sf::progress(two.ranks));
    EXPECT_EQ(two.events, (words{"first taken"})); // the third one waits its turn
    EXPECT_FALSE(sf::progress(two.ranks));
    EXPECT_EQ(two.events.size(), 1U);
    second->done = true;
    EXPECT_TRUE(sf::progress(two.ranks));
    EXPECT_EQ(two.events, (words{"first taken", "second taken", "third taken"}));
    EXPECT_TRUE(sf::progress(two.ranks));
    EXPECT_EQ(two.events.size(), 3U);
    EXPECT_FALSE(two.ranks.poisoned());
}

TEST(progress, leaves_results_for_get_which_then_calls_nobody) {
    twins two;
    two.ranks.set_deadline(7s);
    sf::workspace sums{sf::dtype::float64, sf::sum}, dots{sf::dtype::float64, sf::operation::dot};
    auto sum = sf::reduce_async(two.ranks, x, sums, {});
    auto dot = sf::dot_async(two.ranks, x, x, dots, {});
    EXPECT_TRUE(two.backend->first_words.empty());
    EXPECT_TRUE(sf::progress(two.ranks));
    std::size_t const calls = two.backend->first_words.size();
    EXPECT_EQ(calls, 2U);
    for (auto const deadline : two.backend->deadlines) EXPECT_EQ(deadline, 7s);
    EXPECT_TRUE(dot.ready());
    EXPECT_EQ(dot.get(0s), 28.0);
    EXPECT_EQ(sum.get(0s).sum, 12.0);
    EXPECT_EQ(two.backend->first_words.size(), calls);
    EXPECT_FALSE(sums.busy());
}

TEST(progress, leaves_the_workspaces_of_dropped_futures_free) {
    twins two;
    sf::workspace work{sf::dtype::float64, sf::sum};
    { auto const dropped = sf::reduce_async(two.ranks, x, work, {}); }
    EXPECT_TRUE(work.busy());
    EXPECT_TRUE(sf::progress(two.ranks));
    EXPECT_EQ(two.backend->first_words.size(), 1U);
    EXPECT_FALSE(work.busy());
}

TEST(progress, keeps_the_error_of_a_call_for_its_future) {
    twins two;
    sf::workspace one{sf::dtype::float64, sf::sum}, other{sf::dtype::float64, sf::sum};
    auto refused = sf::reduce_async(two.ranks, x, one, {});
    two.backend->disagrees = true;
    EXPECT_TRUE(sf::progress(two.ranks));
    two.backend->disagrees = false;
    auto fine = sf::reduce_async(two.ranks, x, other, {});
    EXPECT_TRUE(sf::progress(two.ranks));
    EXPECT_TRUE(refused.ready());
    EXPECT_THROW((void)refused.get(), sf::mismatch_error);
    EXPECT_EQ(fine.get().sum, 12.0);
    EXPECT_EQ(sf::reduce_async(two.ranks, x, one, {}).get().sum, 12.0); // and it was thrown once
}

TEST(progress, forgets_the_error_of_a_dropped_future) {
    twins two;
    sf::workspace work{sf::dtype::float64, sf::sum};
    { auto const dropped = sf::reduce_async(two.ranks, x, work, {}); }
    two.backend->disagrees = true;
    EXPECT_TRUE(sf::progress(two.ranks));
    two.backend->disagrees = false;
    EXPECT_EQ(sf::reduce_async(two.ranks, x, work, {}).get().sum, 12.0);
}

TEST(progress, of_a_failed_device_ends_with_an_error_for_every_future_and_no_more_calls) {
    twins two;
    sf::workspace work{sf::dtype::float64, sf::sum};
    auto const first = two.promise("first"), second = two.promise("second");
    auto later = sf::reduce_async(two.ranks, x, work, {});
    second->broken = true;
    EXPECT_TRUE(sf::progress(two.ranks)); // or a loop around it would never end
    EXPECT_EQ(two.events, (words{"first taken", "second failed"}));
    EXPECT_TRUE(two.backend->first_words.empty()); // the twin is in the call of the second one
    EXPECT_TRUE(two.ranks.poisoned());
    EXPECT_TRUE(later.ready());
    try {
        (void)later.get();
        ADD_FAILURE() << "no error";
    } catch (sf::timeout_error const& e) {
        EXPECT_NE(std::string(e.what()).find("on fire"), std::string::npos) << e.what();
    }
}

TEST(progress, gives_the_error_of_a_failed_device_to_its_own_future) {
    twins two;
    sf::workspace work{sf::dtype::float64, sf::sum};
    auto broken = sf::reduce_async(two.ranks, x, work, {});
    sf::detail::turns::of(two.ranks).front()->fail(std::make_exception_ptr(sf::library_error("on fire")));
    EXPECT_TRUE(broken.ready());
    EXPECT_THROW((void)broken.get(0s), sf::library_error);
    EXPECT_FALSE(work.busy());
}

} // namespace
