#include "job.hpp"

#include "agreement.hpp"
#include "interrupt.hpp"
#include "progress.hpp"
#include "steadfold/error.hpp"
#include "steadfold/reduce.hpp"

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <span>
#include <utility>

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

/// Chunks of all processors in turn, so that all of them are busy at the same time.
class step_sequence {
  public:
    step_sequence(std::vector<share> const& shares, std::int64_t chunk) : shares_{shares}, chunk_{chunk} {}

    [[nodiscard]] std::optional<step> next() {
        for (std::size_t passed = 0; passed <= shares_.size(); ++passed) {
            if (processor_ == shares_.size()) {
                processor_ = 0;
                done_ += chunk_;
            }
            std::size_t const i = processor_++;
            index_range const& whole = shares_[i].range;
            if (done_ < whole.count) return step{i, {whole.first + done_, std::min(chunk_, whole.count - done_)}};
        }
        return std::nullopt;
    }

  private:
    std::vector<share> const& shares_;
    std::int64_t chunk_, done_ = 0;
    std::size_t processor_ = 0;
};

/// The job of this rank: readers, one reduction a processor, and the walk over the chunks.
class local_job {
  public:
    local_job(settings const& chosen, std::vector<std::string> const& inputs, conduct const& how) : how_{how} {
        for (std::string const& input : inputs) readers_.emplace_back(parse_dataset_spec(input), reading(chosen, how));
        dataset_info const& first = readers_.front().info();
        operations_ = inputs.size() == 2 ? operation_set{operation::dot} : chosen.operations;
        options_ = chosen.options;
        for (dataset_reader const& reader : readers_) require_type_as_told(chosen, reader.info());
        for (dataset_reader const& reader : readers_) require_same_shape(first, reader.info());
        for (dataset_reader const& reader : readers_) obey_missing(reader.info(), chosen);
        for (execution const& where : how.processors) add_part(inputs.front(), where);
    }

    void set_ranges(partition const& layout, int rank) {
        for (std::size_t i = 0; i < parts_.size(); ++i) {
            execution const& where = how_.processors[i];
            int const device = where.kind == processor_kind::cuda ? where.device : -1;
            shares_.push_back({device, layout.device_range(rank, static_cast<int>(i)), 0, 0, 0});
        }
    }

    void stream(progress_bar& bar) {
        step_sequence steps(shares_, readers_.front().chunk_elements());
        std::optional<step> before, now = steps.next();
        if (now) start(0, *now);
        for (std::size_t buffer = 0; now; buffer = 1 - buffer) {
            throw_if_interrupted();
            wait(buffer, *now);
            std::optional<step> const after = steps.next();
            if (after) {
                if (before) parts_[before->processor].wait(); // it may still read the buffer that is filled next
                start(1 - buffer, *after);
            }
            reduce(buffer, *now);
            bar.advance(now->range.count);
            before = std::exchange(now, after);
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
    void add_part(std::string const& input, execution const& where) {
        try {
            parts_.emplace_back(info().type, operations_, options_, where);
        } catch (argument_error const& e) {
            throw argument_error(input + ": " + e.what());
        }
    }

    /// A file that declares missing values wants them left out, unless the user says otherwise.
    void obey_missing(dataset_info const& info, settings const& chosen) {
        if (info.declares_missing && !chosen.keep_missing && !chosen.nan_policy_given)
            options_.nans = nan_policy::ignore;
        if (!info.missing) return;
        if (readers_.size() == 2)
            throw argument_error(info.file + ":" + info.path +
                                 " declares a missing value, which a dot of integers cannot leave out; use "
                                 "--keep-missing to take it as a number");
        options_.missing = info.missing;
    }

    static void require_type_as_told(settings const& chosen, dataset_info const& x) {
        if (!chosen.raw_type || x.format == file_format::raw || x.type == *chosen.raw_type) return;
        throw argument_error("--dtype says " + std::string(name(*chosen.raw_type)) + ", but " + x.file +
                             (x.path.empty() ? "" : ":" + x.path) + " holds " + std::string(name(x.type)) +
                             "; only raw files need --dtype, so leave it out");
    }

    static void require_same_shape(dataset_info const& a, dataset_info const& b) {
        auto const is = [](dataset_info const& x, std::string const& what) {
            return x.file + ":" + x.path + " " + what;
        };
        if (a.type != b.type)
            throw argument_error("dot needs two arrays of one type: " + is(a, std::string(name(a.type))) + ", " +
                                 is(b, std::string(name(b.type))) + "; choose others, or convert one");
        if (a.elements != b.elements)
            throw argument_error("dot needs two arrays of one length: " + is(a, std::to_string(a.elements)) + ", " +
                                 is(b, std::to_string(b.elements)) + " elements; choose others");
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
    together(world, combiner, [&] { result.results = job->combine(combiner); });
    result.input = inputs.size() == 2 ? inputs[0] + " . " + inputs[1] : inputs[0];
    result.info = job->info();
    result.operations = job->operations();
    result.options = job->options();
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
    std::size_t const buffers = std::min(2 * readers * how.chunk_bytes, chosen.memory_bytes);
    how.reader_memory_bytes = std::max<std::size_t>((chosen.memory_bytes - buffers) / readers, std::size_t{64} << 20);
    how.progress = !chosen.quiet;
    return how;
}

} // namespace steadfold::inline v0::app
