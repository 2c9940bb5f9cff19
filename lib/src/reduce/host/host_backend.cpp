// The host back end: the data divided among threads, one pass a thread, states merged at the end.
#include "base/floating_environment.hpp"
#include "base/thread_pool.hpp"
#include "reduce/backend.hpp"
#include "reduce/host/host_pass.hpp"
#include "reduce/host/isa.hpp"
#include "reduce/host/shared_work.hpp"
#include "reduce/strided.hpp"
#include "steadfold/partition.hpp"

#include <algorithm>
#include <optional>
#include <vector>

namespace steadfold::inline v0::reduce_detail {

namespace {

/// Whole tiles: about an eighth of what a thread gets, and not so many that others could not help much.
std::int64_t chunk_elements(std::int64_t count, int threads) {
    return host::tile_elements * std::clamp<std::int64_t>(count / threads / (8 * host::tile_elements), 1, 8);
}

class host_backend final : public backend {
  public:
    host_backend(plan const& plan, execution const& where)
        : plan_{plan}, kernels_{host::choose_level()}, most_threads_{where.threads > 0 ? where.threads
                                                                                       : base::allowed_cpu_count()} {}

    void add(array_view x, std::int64_t first_index, stream_ref) override {
        split(x.count, [&](host::host_pass& pass, index_range range) {
            pass.add(part_of(x, range.first, range.count), first_index + range.first);
        });
    }

    void add_pairs(array_view x, array_view y, stream_ref) override {
        split(x.count, [&](host::host_pass& pass, index_range range) {
            pass.add_pairs(part_of(x, range.first, range.count), part_of(y, range.first, range.count));
        });
    }

    void add_source(detail::tile_source source, std::int64_t count, std::int64_t first_index) override {
        split(count, [&](host::host_pass& pass, index_range range) {
            auto const tile = std::make_unique_for_overwrite<std::byte[]>(
                static_cast<std::size_t>(host::tile_elements) * size_bytes(plan_.type));
            for (std::int64_t done = 0; done < range.count; done += host::tile_elements) {
                std::int64_t const n = std::min<std::int64_t>(host::tile_elements, range.count - done);
                source.fill(source.context, range.first + done, n, tile.get());
                pass.add(tile.get(), n, first_index + range.first + done);
            }
        });
    }

    void wait() override {}

    exact::reduction_state take() override {
        exact::reduction_state total;
        for (auto& pass : passes_) {
            exact::merge(total, pass->state(), plan_.type);
            pass->state() = {};
        }
        exact::normalise(total, plan_.type);
        return total;
    }

  private:
    template <class Work>
    void split(std::int64_t count, Work const& work) {
        if (count == 0) return;
        int const useful = base::useful_threads(count, most_threads_);
        while (static_cast<int>(passes_.size()) < useful)
            passes_.push_back(std::make_unique<host::host_pass>(plan_, kernels_));
        // Plain sums, and products of more than 128 bits, depend on who takes what.
        bool const fixed = useful == 1 || plan_.fast_features != 0 || (plan_.features & feature_factors) != 0;
        host::shared_work shared{count, useful, chunk_elements(count, useful)};
        auto const job = [&](int thread) {
            if (thread >= useful) return;
            base::default_floating_environment const environment;
            host::host_pass& pass = *passes_[static_cast<std::size_t>(thread)];
            if (fixed)
                work(pass, block_range(count, useful, thread));
            else
                shared.work_off(thread, [&](index_range range) { work(pass, range); });
        };
        if (useful == 1)
            job(0);
        else
            pool_of(useful).run(job);
    }

    /// Threads are started when there is work for them: starting a hundred takes longer than most small sums.
    base::thread_pool& pool_of(int threads) {
        if (!pool_ || pool_->size() < threads) pool_.emplace(threads);
        return *pool_;
    }

    plan plan_;
    host::tile_kernels const& kernels_;
    int most_threads_;
    std::optional<base::thread_pool> pool_;
    std::vector<std::unique_ptr<host::host_pass>> passes_;
};

} // namespace

std::unique_ptr<backend> make_host_backend(plan const& plan, execution const& where) {
    return std::make_unique<host_backend>(plan, where);
}

} // namespace steadfold::inline v0::reduce_detail
