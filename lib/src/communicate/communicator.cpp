#include "steadfold/communicator.hpp"

#include "communicate/turns.hpp"
#include "steadfold/error.hpp"

#include <algorithm>
#include <cstring>
#include <optional>
#include <string>
#include <utility>

namespace steadfold {
inline namespace v0 {

namespace {

/// One rank without any transport.
class self_backend final : public communicator_backend {
  public:
    int rank() const noexcept override { return 0; }
    int size() const noexcept override { return 1; }
    std::string_view transport() const noexcept override { return "self"; }
    void all_reduce_sum(std::span<std::int64_t>, std::chrono::nanoseconds) override {}
    void all_gather(std::span<std::byte const> mine, std::span<std::byte> all, std::chrono::nanoseconds) override {
        if (!mine.empty()) std::memmove(all.data(), mine.data(), mine.size());
    }
};

[[noreturn]] void refuse_streams(std::string_view transport, char const* what) {
    throw argument_error(std::string(what) + ": a communicator of transport " + std::string(transport) +
                         " knows no streams; nccl::create makes one that does");
}

} // namespace

void communicator_backend::enqueue_all_reduce_sum(std::int64_t*, std::size_t, stream_ref, std::chrono::nanoseconds) {
    refuse_streams(transport(), "enqueue_all_reduce_sum");
}

void communicator_backend::synchronise(stream_ref, std::chrono::nanoseconds) {
    refuse_streams(transport(), "synchronise");
}

struct communicator::shared_state {
    std::shared_ptr<communicator_backend> backend;
    std::chrono::nanoseconds deadline = std::chrono::minutes(5);
    std::optional<std::string> failure;
    std::vector<std::shared_ptr<detail::turn>> turns;

    /// Runs one call on the transport; a failure of the transport poisons the communicator.
    template <class Call>
    void run(Call&& call) {
        if (failure) throw timeout_error("this communicator is poisoned by an earlier failure: " + *failure);
        try {
            call(*backend);
        } catch (timeout_error const& e) {
            failure = e.what();
            throw;
        } catch (library_error const& e) {
            failure = e.what();
            throw;
        }
    }
};

communicator::communicator() : communicator(std::make_shared<self_backend>()) {}

communicator::communicator(std::shared_ptr<communicator_backend> backend) : state_(std::make_shared<shared_state>()) {
    if (!backend) throw argument_error("communicator: the backend is null");
    state_->backend = std::move(backend);
}

int communicator::rank() const noexcept {
    return state_->backend->rank();
}
int communicator::size() const noexcept {
    return state_->backend->size();
}
std::string_view communicator::transport() const noexcept {
    return state_->backend->transport();
}
bool communicator::poisoned() const noexcept {
    return state_->failure.has_value();
}
std::chrono::nanoseconds communicator::deadline() const noexcept {
    return state_->deadline;
}

void communicator::set_deadline(std::chrono::nanoseconds deadline) {
    if (deadline <= std::chrono::nanoseconds::zero())
        throw argument_error("communicator: the deadline must be positive");
    state_->deadline = deadline;
}

void communicator::all_reduce_sum(std::span<std::int64_t> words) const {
    state_->run([&](communicator_backend& backend) {
        if (!words.empty()) backend.all_reduce_sum(words, state_->deadline);
    });
}

void communicator::all_gather(std::span<std::byte const> mine, std::span<std::byte> all) const {
    auto const ranks = static_cast<std::size_t>(size());
    if (all.size() % ranks != 0 || all.size() / ranks != mine.size())
        throw argument_error("all_gather: " + std::to_string(all.size()) + " bytes cannot hold " +
                             std::to_string(ranks) + " blocks of " + std::to_string(mine.size()));
    state_->run([&](communicator_backend& backend) {
        if (!mine.empty()) backend.all_gather(mine, all, state_->deadline);
    });
}

void communicator::barrier() const {
    std::int64_t word = 0;
    all_reduce_sum({&word, 1});
}

int communicator::stream_device() const noexcept {
    return state_->backend->stream_device();
}

void communicator::enqueue_all_reduce_sum(std::int64_t* words, std::size_t count, stream_ref stream) const {
    state_->run(
        [&](communicator_backend& backend) { backend.enqueue_all_reduce_sum(words, count, stream, state_->deadline); });
}

void communicator::synchronise(stream_ref stream) const {
    state_->run([&](communicator_backend& backend) { backend.synchronise(stream, state_->deadline); });
}

std::vector<std::byte> communicator::all_gather_varying(std::span<std::byte const> mine,
                                                        std::vector<std::size_t>& lengths) const {
    auto const ranks = static_cast<std::size_t>(size());
    std::uint64_t const my_length = mine.size();
    std::vector<std::uint64_t> all_lengths(ranks);
    all_gather(std::as_bytes(std::span(&my_length, 1)), std::as_writable_bytes(std::span(all_lengths)));

    std::vector<std::size_t> offsets(ranks + 1, 0);
    for (std::size_t r = 0; r < ranks; ++r) offsets[r + 1] = offsets[r] + static_cast<std::size_t>(all_lengths[r]);
    std::vector<std::byte> result(offsets[ranks]);

    constexpr std::size_t round_bytes = std::size_t{1} << 20;
    auto const longest = static_cast<std::size_t>(*std::max_element(all_lengths.begin(), all_lengths.end()));
    std::vector<std::byte> block(std::min(longest, round_bytes)), blocks(block.size() * ranks);
    for (std::size_t begin = 0; begin < longest; begin += block.size()) {
        std::size_t const mine_here = begin < mine.size() ? std::min(block.size(), mine.size() - begin) : 0;
        if (mine_here > 0) std::memcpy(block.data(), mine.data() + begin, mine_here);
        all_gather(block, blocks);
        for (std::size_t r = 0; r < ranks; ++r) {
            std::size_t const length = offsets[r + 1] - offsets[r];
            if (begin < length)
                std::memcpy(result.data() + offsets[r] + begin, blocks.data() + r * block.size(),
                            std::min(block.size(), length - begin));
        }
    }
    lengths.assign(all_lengths.begin(), all_lengths.end());
    return result;
}

std::vector<std::shared_ptr<detail::turn>>& detail::turns::of(communicator const& ranks) noexcept {
    return ranks.state_->turns;
}

void detail::turns::poison(communicator const& ranks, std::string why) {
    if (!ranks.state_->failure) ranks.state_->failure = std::move(why);
}

} // namespace v0
} // namespace steadfold
