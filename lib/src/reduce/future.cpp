#include "steadfold/future.hpp"

#include "base/patience.hpp"
#include "reduce/combine.hpp"
#include "reduce/finish.hpp"
#include "reduce/workspace_state.hpp"
#include "steadfold/error.hpp"

#include <algorithm>
#include <string>
#include <vector>

namespace steadfold {
inline namespace v0 {
namespace detail {

namespace {

using std::chrono::nanoseconds;
using stage = workspace_state::stage;

/// The time a get() may take, of which waits for devices and for ranks take their shares.
class allowance {
  public:
    allowance(std::optional<nanoseconds> all, nanoseconds for_device)
        : limited_{all.has_value()}, turns_{all.value_or(for_device)}, all_{all.value_or(for_device)} {}

    void wait_for(turn& what) {
        while (!what.can_be_taken())
            if (!turns_.wait())
                throw timeout_error(
                    "the device did not finish a reduction within " +
                    std::to_string(std::chrono::duration_cast<std::chrono::milliseconds>(all_).count()) +
                    " ms; the result is not lost: call get() again, with a longer deadline if the work "
                    "before it on the stream needs one");
    }

    /// What is left for the ranks; a little in any case, since the device's part is done.
    [[nodiscard]] nanoseconds for_ranks(communicator const& ranks) const {
        if (!limited_) return ranks.deadline();
        constexpr nanoseconds least = std::chrono::milliseconds{1};
        return std::min(ranks.deadline(), std::max(least, all_ - turns_.elapsed()));
    }

  private:
    bool limited_;
    patience turns_;
    nanoseconds all_;
};

/// Another deadline for the communicator, for as long as this lives.
class temporary_deadline {
  public:
    temporary_deadline(communicator const& ranks, nanoseconds deadline) : ranks_{ranks}, before_{ranks.deadline()} {
        ranks_.set_deadline(deadline);
    }
    ~temporary_deadline() { ranks_.set_deadline(before_); } // it was positive
    temporary_deadline(temporary_deadline const&) = delete;
    temporary_deadline& operator=(temporary_deadline const&) = delete;

  private:
    communicator ranks_; // a handle on the same
    nanoseconds before_;
};

/// The earliest promise, which is kept or broken now.
std::shared_ptr<turn> next_turn(std::vector<std::shared_ptr<turn>>& waiting) {
    std::shared_ptr<turn> first = std::move(waiting.front());
    waiting.erase(waiting.begin());
    return first;
}

/// Keeps the communicator's promises up to and including that of `mine`.
void take_turns(workspace_state& mine, communicator const& ranks, allowance& time) {
    auto& waiting = turns::of(ranks);
    while (mine.at == stage::started) {
        time.wait_for(*waiting.front());
        temporary_deadline const limited{ranks, time.for_ranks(ranks)};
        next_turn(waiting)->take(ranks);
    }
}

} // namespace

void workspace_state::take(communicator const& ranks) noexcept {
    try {
        exact::reduction_state state = engine->state();
        combine(state, plan, options, ranks);
        results = finish(state, plan, options);
    } catch (...) {
        failure = std::current_exception();
    }
    end_turn();
}

void workspace_state::fail(std::exception_ptr error) noexcept {
    failure = std::move(error);
    end_turn();
}

void workspace_state::end_turn() noexcept {
    if (dropped) failure = nullptr; // nobody will ask for it, the next future least of all
    at = dropped ? stage::idle : stage::finished;
}

pending_results::pending_results(std::shared_ptr<workspace_state> state, communicator const& ranks)
    : state_{std::move(state)}, ranks_{ranks} {}

pending_results& pending_results::operator=(pending_results&& other) noexcept {
    if (this == &other) return *this;
    drop();
    state_ = std::move(other.state_);
    ranks_ = std::move(other.ranks_);
    return *this;
}

pending_results::~pending_results() {
    drop();
}

void pending_results::drop() noexcept {
    if (!state_) return;
    if (state_->at == stage::started && ranks_->size() > 1)
        state_->dropped = true; // the other ranks wait for this one: the workspace is busy until its turn has come
    else
        state_->at = stage::idle;
    state_.reset();
}

bool pending_results::ready() {
    if (!state_) throw argument_error("this future is not valid: its result was taken, or it never had one");
    return state_->at == stage::finished || state_->engine->done();
}

reduction_results pending_results::take(std::optional<nanoseconds> deadline) {
    if (!state_) throw argument_error("this future is not valid: its result was taken, or it never had one");
    workspace_state& state = *state_;
    allowance time{deadline, state.where.deadline};
    if (ranks_->size() > 1) {
        take_turns(state, *ranks_, time);
    } else {
        time.wait_for(state);
        state.results = state.engine->results();
    }
    std::exception_ptr const failure = std::exchange(state.failure, nullptr);
    state.at = stage::idle;
    std::shared_ptr<workspace_state> const keep = std::move(state_); // results live there
    if (failure) std::rethrow_exception(failure);
    return state.results;
}

} // namespace detail

bool progress(communicator const& ranks) {
    auto& waiting = detail::turns::of(ranks);
    while (!waiting.empty()) {
        try {
            if (!waiting.front()->can_be_taken()) return false;
        } catch (error const& e) {
            detail::turns::poison(ranks, std::string("a device failed before a promised call: ") + e.what());
            detail::next_turn(waiting)->fail(std::current_exception());
            continue;
        }
        detail::next_turn(waiting)->take(ranks);
    }
    return true;
}
} // namespace v0
} // namespace steadfold
