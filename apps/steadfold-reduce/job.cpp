#include "job.hpp"

#include "agreement.hpp"
#include "interrupt.hpp"
#include "progress.hpp"
#include "steadfold/error.hpp"
#include "steadfold/reduce.hpp"

#include <algorithm>
#include <chrono>
#include <memory>
#include <span>

namespace steadfold::inline v0::app {

namespace {

using clock = std::chrono::steady_clock;

double seconds_since(clock::time_point start) {
    return std::chrono::duration<double>(clock::now() - start).count();
}

read_options reading(settings const& chosen, conduct const& how) {
    read_options options;
    options.deadline = chosen.deadline;
    options.memory_limit_bytes = how.reader_memory_bytes;
    options.buffer_bytes = how.chunk_bytes;
    options.raw_type = chosen.raw_type;
    options.raw_offset_bytes = chosen.raw_offset_bytes;
    options.raw_big_endian = chosen.raw_big_endian;
    options.unpack = chosen.unpack;
    options.keep_missing = chosen.keep_missing;
    return options;
}

/// One chunk of one processor's share.
struct step {
    std::size_t processor;
    index_range range;
};

/// The job of this rank: readers, one reduction a processor, and the walk over the chunks.
class local_job {
  public:
    local_job(settings const& chosen, std::vector<std::string> const& inputs, conduct const& how) : how_{how} {
        for (std::string const& input : inputs) readers_.emplace_back(parse_dataset_spec(input), reading(chosen, how));
        dataset_info const& first = readers_.front().info();
        operations_ = inputs.size() == 2 ? operation_set{operation::dot} : chosen.operations;
        options_ = chosen.options;
        for (dataset_reader const& reader : readers_) require_same_shape(first, reader.info());
        // A file that declares missing values wants them left out, unless the user says otherwise.
        if (first.declares_missing && !chosen.nan_policy_given) options_.nans = nan_policy::ignore;
        if (inputs.size() == 1) options_.missing = first.missing;
        for (execution const& where : how.processors) parts_.emplace_back(first.type, operations_, options_, where);
    }

    void set_ranges(partition const& layout, int rank) {
        for (std::size_t i = 0; i < parts_.size(); ++i) {
            execution const& where = how_.processors[i];
            int const device = where.kind == processor_kind::cuda ? where.device : -1;
            shares_.push_back({device, layout.device_range(rank, static_cast<int>(i)), 0, 0, 0});
        }
    }

    void stream(progress_bar& bar) {
        std::vector<step> const steps = plan_steps();
        for (std::size_t k = 0; k < steps.size(); ++k) {
            throw_if_interrupted();
            if (k == 0) start(0, steps[0]);
            wait(k % 2, steps[k]);
            if (k + 1 < steps.size()) {
                if (k > 0) parts_[steps[k - 1].processor].wait(); // it may still read the buffer that is filled next
                start((k + 1) % 2, steps[k + 1]);
            }
            reduce(k % 2, steps[k]);
            bar.advance(steps[k].range.count);
        }
        for (std::size_t i = 0; i < parts_.size(); ++i) {
            auto const begin = clock::now();
            parts_[i].wait();
            shares_[i].seconds_reduce += seconds_since(begin);
        }
    }

    reduction_results combine(communicator const& combiner) {
        auto const begin = clock::now();
        for (std::size_t i = 1; i < parts_.size(); ++i) parts_[0].merge(parts_[i]);
        reduction_results results = parts_[0].finish(combiner);
        for (share& s : shares_) s.seconds_combine = seconds_since(begin);
        return results;
    }

    [[nodiscard]] dataset_info const& info() const { return readers_.front().info(); }
    [[nodiscard]] operation_set operations() const { return operations_; }
    [[nodiscard]] reduce_options const& options() const { return options_; }
    [[nodiscard]] std::vector<share> const& shares() const { return shares_; }

  private:
    static void require_same_shape(dataset_info const& a, dataset_info const& b) {
        if (a.type != b.type)
            throw argument_error("dot needs two arrays of one type: " + a.file + " holds " + std::string(name(a.type)) +
                                 ", " + b.file + " " + std::string(name(b.type)));
        if (a.elements != b.elements)
            throw argument_error("dot needs two arrays of one length: " + a.file + " holds " +
                                 std::to_string(a.elements) + " elements, " + b.file + " " +
                                 std::to_string(b.elements));
    }

    /// Chunks of all processors in turn, so that all of them are busy at the same time.
    [[nodiscard]] std::vector<step> plan_steps() const {
        std::int64_t const chunk = readers_.front().chunk_elements();
        std::vector<step> steps;
        for (std::int64_t done = 0;; done += chunk) {
            std::size_t const before = steps.size();
            for (std::size_t i = 0; i < shares_.size(); ++i) {
                index_range const& whole = shares_[i].range;
                if (done < whole.count) steps.push_back({i, {whole.first + done, std::min(chunk, whole.count - done)}});
            }
            if (steps.size() == before) return steps;
        }
    }

    void start(std::size_t buffer, step const& s) {
        for (dataset_reader& reader : readers_) reader.start(static_cast<int>(buffer), s.range.first, s.range.count);
    }

    void wait(std::size_t buffer, step const& s) {
        double before = 0, after = 0;
        for (dataset_reader const& reader : readers_) before += reader.read_seconds();
        for (dataset_reader& reader : readers_) reader.wait(static_cast<int>(buffer));
        for (dataset_reader const& reader : readers_) after += reader.read_seconds();
        shares_[s.processor].seconds_read += after - before;
    }

    void reduce(std::size_t buffer, step const& s) {
        auto const begin = clock::now();
        auto const view_of = [&](dataset_reader& reader) {
            return array_view{reader.buffer(static_cast<int>(buffer)), s.range.count, reader.info().type};
        };
        reduction& part = parts_[s.processor];
        if (readers_.size() == 2)
            part.add_products(view_of(readers_[0]), view_of(readers_[1]));
        else
            part.add(view_of(readers_[0]), s.range.first);
        shares_[s.processor].seconds_reduce += seconds_since(begin);
    }

    conduct const& how_;
    std::vector<dataset_reader> readers_;
    operation_set operations_;
    reduce_options options_;
    std::vector<reduction> parts_;
    std::vector<share> shares_;
};

partition layout_of(dataset_info const& info, int ranks, int processors) {
    level_counts const levels{ranks, processors, 1};
    bool const shown = !info.extents.empty() && info.extents.size() <= max_dimensions;
    std::int64_t const all[1] = {info.elements};
    return block_partition(shown ? std::span<std::int64_t const>(info.extents) : std::span<std::int64_t const>(all),
                           levels);
}

} // namespace

outcome run_job(communicator const& world, communicator const& combiner, settings const& chosen,
                std::vector<std::string> const& inputs, conduct const& how) {
    auto const begin = clock::now();
    std::unique_ptr<local_job> job;
    partition layout;
    together(world, [&] {
        job = std::make_unique<local_job>(chosen, inputs, how);
        layout = layout_of(job->info(), world.size(), static_cast<int>(how.processors.size()));
    });
    together(world, [&] {
        int const place = (world.rank() + how.rotation) % world.size();
        job->set_ranges(layout, place);
        progress_bar bar{how.progress, inputs.front(), layout.rank_range(place).count};
        job->stream(bar);
        bar.complete();
    });
    outcome result;
    result.results = job->combine(combiner);
    result.input = inputs.size() == 2 ? inputs[0] + " . " + inputs[1] : inputs[0];
    result.info = job->info();
    result.operations = job->operations();
    result.options = job->options();
    result.layout = layout;
    result.shares = job->shares();
    result.seconds = seconds_since(begin);
    return result;
}

conduct planned_conduct(settings const& chosen, std::vector<execution> processors, int inputs) {
    constexpr std::size_t largest = std::size_t{64} << 20, smallest = std::size_t{64} << 10;
    conduct how;
    how.processors = std::move(processors);
    // Two buffers for each input take a quarter of the memory, the readers' own work (caches of chunks) the rest.
    auto const readers = static_cast<std::size_t>(inputs);
    how.chunk_bytes =
        chosen.chunk_bytes != 0 ? chosen.chunk_bytes : std::clamp(chosen.memory_bytes / 8 / readers, smallest, largest);
    std::size_t const buffers = 2 * readers * how.chunk_bytes;
    if (buffers > chosen.memory_bytes)
        throw argument_error("--chunk " + std::to_string(how.chunk_bytes) + " needs " + std::to_string(buffers) +
                             " bytes of buffers, more than --memory allows");
    how.reader_memory_bytes = std::max<std::size_t>((chosen.memory_bytes - buffers) / readers, std::size_t{64} << 20);
    how.progress = !chosen.quiet;
    return how;
}

} // namespace steadfold::inline v0::app
