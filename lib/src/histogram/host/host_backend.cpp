// The host back end: contiguous ranges of the data, counts of every thread's own, added at the end.
#include "base/floating_environment.hpp"
#include "base/thread_pool.hpp"
#include "histogram/backend.hpp"
#include "histogram/host/decode.hpp"
#include "reduce/strided.hpp"
#include "steadfold/partition.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <vector>

namespace steadfold::inline v0::histogram_detail {

namespace {

// Below this many elements a thread, waking it costs more than the work; and adding its counts costs about one a slot.
constexpr std::int64_t elements_worth_a_thread = 16 * 1024;
constexpr std::int64_t most_private_bytes = std::int64_t{1} << 30;
constexpr int tile_elements = 2048; // tile and guesses sit in the first-level cache
// With few bins neighbours often meet in one: counts that wait for each other cost time, so they take turns.
constexpr int most_bins_with_copies = 4096;
constexpr int copies_of_few = 4;

/// What one thread has counted.
class thread_counts {
  public:
    explicit thread_counts(plan const& plan)
        : copies_{plan.bins.count() <= most_bins_with_copies ? copies_of_few : 1}, slots_{static_cast<std::size_t>(
                                                                                       plan.slots())},
          counts_(slots_ * static_cast<std::size_t>(copies_)) {}

    void add(double const* x, int n, bin_table<double> const& table) {
        if (copies_ == 1)
            count<1>(x, n, table);
        else
            count<copies_of_few>(x, n, table);
    }

    void take(std::span<std::int64_t> totals) {
        for (std::size_t start = 0; start < counts_.size(); start += slots_)
            for (std::size_t i = 0; i < slots_; ++i) totals[i] += static_cast<std::int64_t>(counts_[start + i]);
        std::fill(counts_.begin(), counts_.end(), 0);
    }

  private:
    template <int Copies>
    void count(double const* x, int n, bin_table<double> const& by) {
        bin_table<double> const table = by; // so that the loops keep it in registers
        std::array<int, tile_elements> likely;
        if (table.uniform)
            for (int i = 0; i < n; ++i) likely[static_cast<std::size_t>(i)] = table.guess(x[i]); // in vectors
        else
            search(x, n, table, likely.data());
        for (int i = 0; i < n; ++i) {
            int const slot = likely[static_cast<std::size_t>(i)];
            ++counter(i % Copies, table.holds(slot, x[i]) ? slot : table.slot_beside(slot, x[i]));
        }
    }

    /// bin_table::search() for a few elements at a time, side by side.
    static void search(double const* x, int n, bin_table<double> const& table, int* slots) {
        constexpr int side_by_side = 4;
        int i = 0;
        for (; i + side_by_side <= n; i += side_by_side) {
            int slot[side_by_side] = {};
            for (int length = table.bins + 2; length > 1;) {
                int const half = length / 2;
                for (int j = 0; j < side_by_side; ++j)
                    slot[j] += half & -static_cast<int>(x[i + j] >= table.threshold[slot[j] + half]);
                length -= half;
            }
            std::copy_n(slot, side_by_side, slots + i);
        }
        for (; i < n; ++i) slots[i] = table.search(x[i]);
    }

    std::uint64_t& counter(int copy, int slot) {
        return counts_[static_cast<std::size_t>(copy) * slots_ + static_cast<std::size_t>(slot)];
    }

    int copies_;
    std::size_t slots_;
    std::vector<std::uint64_t> counts_;
};

class host_backend final : public backend {
  public:
    host_backend(plan const& plan, execution const& where)
        : plan_{plan}, decode_{plan.type, plan.bins.edges().back(), plan.missing},
          most_threads_{where.threads > 0 ? where.threads : base::allowed_cpu_count()} {
        base::default_floating_environment const environment;
        table_.emplace(plan.bins);
        most_threads_ = static_cast<int>(
            std::clamp<std::int64_t>(most_private_bytes / (8 * std::int64_t{plan.slots()}), 1, most_threads_));
    }

    void add(array_view x, stream_ref) override {
        std::int64_t const worth = std::max<std::int64_t>(elements_worth_a_thread, plan_.slots());
        auto const useful = static_cast<int>(std::clamp<std::int64_t>(x.count / worth, 1, most_threads_));
        if (static_cast<int>(threads_.size()) < useful) threads_.resize(static_cast<std::size_t>(useful));
        auto const job = [&](int thread) {
            if (thread < useful)
                add_part(threads_[static_cast<std::size_t>(thread)], x, block_range(x.count, useful, thread));
        };
        if (useful == 1)
            job(0);
        else
            pool_of(useful).run(job);
    }

    void wait() override {}

    void take(std::span<std::int64_t> totals) override {
        for (auto& counts : threads_)
            if (counts) counts->take(totals);
    }

  private:
    void add_part(std::unique_ptr<thread_counts>& counts, array_view const& x, index_range range) {
        base::default_floating_environment const environment;
        if (!counts) counts = std::make_unique<thread_counts>(plan_); // memory near the thread that counts
        alignas(double) std::byte gathered[tile_elements * sizeof(double)];
        std::array<double, tile_elements> widened;
        for (std::int64_t done = 0; done < range.count; done += tile_elements) {
            auto const n = static_cast<int>(std::min<std::int64_t>(tile_elements, range.count - done));
            void const* start = reduce_detail::contiguous_part(x, range.first + done, n, gathered);
            counts->add(decode_(start, n, widened.data()), n, table_->ref());
        }
    }

    /// Threads are started when there is work for them.
    base::thread_pool& pool_of(int threads) {
        if (!pool_ || pool_->size() < threads) pool_.emplace(threads);
        return *pool_;
    }

    plan const& plan_;
    decoder decode_;
    int most_threads_;
    std::optional<owned_bin_table<double>> table_;
    std::optional<base::thread_pool> pool_;
    std::vector<std::unique_ptr<thread_counts>> threads_;
};

} // namespace

std::unique_ptr<backend> make_host_backend(plan const& plan, execution const& where) {
    return std::make_unique<host_backend>(plan, where);
}

} // namespace steadfold::inline v0::histogram_detail
