// The host back end: the elements are cut among the threads, not the segments; what a cut runs through is put together
// at the end.
#include "base/floating_environment.hpp"
#include "base/thread_pool.hpp"
#include "reduce/host/isa.hpp"
#include "reduce/strided.hpp"
#include "segmented/arguments.hpp"
#include "segmented/backend.hpp"
#include "segmented/host/columns.hpp"
#include "segmented/host/segment_worker.hpp"
#include "steadfold/error.hpp"
#include "steadfold/partition.hpp"

#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace steadfold::inline v0::segmented {

namespace {

// Below this many elements a thread, waking it costs more than the work.
constexpr std::int64_t elements_worth_a_thread = 16 * 1024;

// What beginning and rounding a segment costs, in elements.
constexpr std::int64_t cost_of_a_segment = 8;

/// Where one thread ends and the next begins: at an element of a segment. A segment that fits a tile is never cut.
struct cut {
    std::int64_t segment = 0, element = 0;
};

/// The cut after `work` of the whole; segment s is reached after its elements before and its number times the cost.
cut cut_at(boundaries const& segments, std::int64_t count, std::int64_t work, std::int64_t tile) {
    auto const reached = [&](std::int64_t s) { return segments.at(s) - segments.at(0) + s * cost_of_a_segment; };
    std::int64_t low = 0, high = count; // the last one reached is in [low, high]
    while (low < high) {
        std::int64_t const middle = high - (high - low) / 2;
        if (reached(middle) <= work)
            low = middle;
        else
            high = middle - 1;
    }
    if (low == count) return {count, segments.at(count)};
    std::int64_t const begin = segments.at(low), end = segments.at(low + 1), into = work - reached(low);
    if (into == 0) return {low, begin};
    if (end - begin <= tile || begin + into >= end) return {low + 1, end};
    return {low, begin + into};
}

/// What a thread saw of a segment that it shares with others.
struct piece {
    std::int64_t segment = 0;
    exact::reduction_state state;
};

class host_backend final : public backend {
  public:
    host_backend(settings const& settings, execution const& where)
        : settings_{settings}, kernels_{host::choose_level()}, most_threads_{where.threads > 0
                                                                                 ? where.threads
                                                                                 : base::allowed_cpu_count()} {}

    void reserve(std::int64_t, std::int64_t) override {}
    void wait() override {}

    void run(problem const& problem, stream_ref) override {
        require_reachable(problem);
        if (problem.segments.offsets != nullptr)
            require_offsets(problem.segments.offsets, problem.outputs, problem.x.count);
        if (problem.outputs == 0) return;
        if (problem.inner == 1)
            run_segments(problem);
        else
            run_columns(problem);
    }

  private:
    static void require_reachable(problem const& problem) {
        auto const require = [](void const* data, std::string const& name) {
            if (locate(data).kind == memory_kind::device)
                throw argument_error(name +
                                     " is device memory; reduce it with execution{.kind = " + "processor_kind::cuda}");
        };
        require(problem.x.data, "the array");
        require(problem.segments.offsets, "the array of offsets");
        require(problem.out.data, "the output");
        require(problem.out.status, "the status output");
    }

    [[nodiscard]] int threads_for(std::int64_t work) const {
        return static_cast<int>(std::clamp<std::int64_t>(work / elements_worth_a_thread, 1, most_threads_));
    }

    void run_segments(problem const& problem) {
        boundaries const& segments = problem.segments;
        std::int64_t const work = segments.at(problem.outputs) - segments.at(0) + problem.outputs * cost_of_a_segment;
        int const threads = threads_for(work);
        result_writer const out{problem.out};
        std::vector<std::vector<piece>> shared(static_cast<std::size_t>(threads));
        run_threads(threads, [&](int thread, segment_worker& worker) {
            index_range const mine = block_range(work, threads, thread);
            cut const begin = cut_at(segments, problem.outputs, mine.first, worker.tile());
            cut const end = cut_at(segments, problem.outputs, mine.last(), worker.tile());
            between(worker, problem.x, segments, begin, end, out, shared[static_cast<std::size_t>(thread)]);
        });
        join(shared, out);
    }

    void between(segment_worker& worker, array_view const& x, boundaries const& segments, cut const& begin,
                 cut const& end, result_writer const& out, std::vector<piece>& shared) const {
        auto const share = [&](std::int64_t segment, std::int64_t first, std::int64_t last) {
            shared.push_back({segment, {}});
            worker.add(shared.back().state, reduce_detail::part_of(x, first, last - first),
                       first - segments.at(segment));
        };
        std::int64_t first = begin.segment;
        if (begin.element > segments.at(first)) { // begun by an earlier thread
            std::int64_t const last = end.segment == first ? end.element : segments.at(first + 1);
            share(first, begin.element, last);
            if (end.segment == first) return;
            ++first;
        }
        worker.reduce(x, segments, first, end.segment, first, out);
        if (end.element > segments.at(end.segment)) share(end.segment, segments.at(end.segment), end.element);
    }

    /// Pieces of one segment follow each other, from thread to thread.
    void join(std::vector<std::vector<piece>>& shared, result_writer const& out) {
        std::optional<piece> open;
        auto const close = [&] {
            if (open) out.put(open->segment, workers_.front()->finish(open->state));
        };
        for (auto& pieces : shared)
            for (piece& next : pieces) {
                if (open && open->segment == next.segment) {
                    exact::merge(open->state, next.state, settings_.what.type);
                    continue;
                }
                close();
                open = next;
            }
        close();
    }

    void run_columns(problem const& problem) {
        column_blocks const blocks{problem};
        std::int64_t const elements = problem.x.count + problem.outputs * cost_of_a_segment;
        int const threads = threads_for(elements);
        int const parts = blocks.parts_for(threads);
        result_writer const out{problem.out};
        std::vector<column_states> shared(static_cast<std::size_t>(parts > 1 ? blocks.count() * parts : 0));
        run_threads(threads, [&](int thread, segment_worker& worker) {
            column_worker columns{blocks, worker};
            index_range const mine = block_range(blocks.count() * parts, threads, thread);
            for (std::int64_t i = mine.first; i < mine.last(); ++i) {
                if (parts == 1)
                    columns.reduce(i, out);
                else
                    shared[static_cast<std::size_t>(i)] = columns.add(i / parts, parts, static_cast<int>(i % parts));
            }
        });
        for (std::size_t first = 0; first < shared.size(); first += static_cast<std::size_t>(parts))
            join_columns(blocks, static_cast<std::int64_t>(first) / parts,
                         std::span{shared}.subspan(first, static_cast<std::size_t>(parts)), out);
    }

    void join_columns(column_blocks const& blocks, std::int64_t block, std::span<column_states> parts,
                      result_writer const& out) {
        for (std::size_t c = 0; c < parts.front().size(); ++c) {
            exact::reduction_state& whole = parts.front()[c];
            for (column_states& part : parts.subspan(1)) exact::merge(whole, part[c], settings_.what.type);
            out.put(blocks.first_output(block) + static_cast<std::int64_t>(c), workers_.front()->finish(whole));
        }
    }

    template <class Work>
    void run_threads(int threads, Work const& work) {
        while (static_cast<int>(workers_.size()) < threads)
            workers_.push_back(std::make_unique<segment_worker>(settings_, kernels_));
        auto const job = [&](int thread) {
            if (thread >= threads) return;
            base::default_floating_environment const environment;
            work(thread, *workers_[static_cast<std::size_t>(thread)]);
        };
        if (threads == 1) {
            job(0);
            return;
        }
        if (!pool_ || pool_->size() < threads) pool_.emplace(threads);
        pool_->run(job);
    }

    settings settings_;
    host::tile_kernels const& kernels_;
    int most_threads_;
    std::optional<base::thread_pool> pool_;
    std::vector<std::unique_ptr<segment_worker>> workers_;
};

} // namespace

std::unique_ptr<backend> make_host_backend(settings const& settings, execution const& where) {
    return std::make_unique<host_backend>(settings, where);
}

} // namespace steadfold::inline v0::segmented
