#include "job_record.hpp"

#include "output.hpp"
#include "steadfold/error.hpp"
#include "topology_json.hpp"

#include <exception>
#include <iterator>

namespace steadfold::inline v0::app {

namespace {

std::string joined(operation_set set) {
    std::string text = to_string(set);
    for (char& c : text)
        if (c == ',') c = '|';
    return text;
}

std::vector<operation_row> rows_of(outcome const& job, int rank) {
    std::vector<operation_row> rows;
    int const arrays = job.operations.contains(operation::dot) ? 2 : 1;
    for (share const& s : job.shares) {
        operation_row row;
        row.input = job.input;
        row.rank = rank;
        row.device = s.device;
        row.operations = joined(job.operations);
        row.dtype = name(job.info.type);
        row.mode = job.options.mode == reduction_mode::exact ? "exact" : "fast";
        row.elements = s.range.count;
        row.bytes = s.range.count * static_cast<std::int64_t>(size_bytes(job.info.type)) * arrays;
        row.seconds_read = s.seconds_read;
        row.seconds_reduce = s.seconds_reduce;
        row.seconds_combine = s.seconds_combine;
        // Of the reduction alone: what the disk gave is in seconds_read.
        row.bandwidth = s.seconds_reduce > 0 ? static_cast<double>(row.bytes) / s.seconds_reduce / 1e9 : 0;
        rows.push_back(std::move(row));
    }
    return rows;
}

std::vector<result_row> results_of(outcome const& job) {
    std::vector<result_row> rows;
    for (int i = 0; i < operation_count; ++i) {
        auto const op = static_cast<operation>(i);
        if (!job.operations.contains(op)) continue;
        result_value const& value = job.results[op];
        dtype const part = component_type(value.type);
        for (int c = 0; c < component_count(value.type); ++c) {
            result_row row;
            row.input = job.input;
            row.operation = std::string(name(op)) + (is_complex(value.type) ? (c == 0 ? ".real" : ".imag") : "");
            row.dtype = name(part);
            row.value = value.as_double(c);
            row.bits = hex_digits(value.bits[static_cast<std::size_t>(c)], static_cast<int>(size_bytes(part)));
            row.status = value.status == status_flags::none ? "ok" : to_string(value.status);
            rows.push_back(std::move(row));
        }
    }
    return rows;
}

/// @param done  the rows of all ranks in the order of ranks: their shares lie end to end
std::vector<partition_row> partition_of(std::vector<operation_row> const& done) {
    std::vector<partition_row> rows;
    std::int64_t first = 0;
    for (operation_row const& row : done) {
        rows.push_back({std::ssize(rows), row.rank, row.device, row.domain, first, row.elements});
        first += row.elements;
    }
    return rows;
}

std::int64_t count_gpus(topology const& here) {
    std::int64_t count = 0;
    for (host_ranks const& host : here.hosts)
        count +=
            static_cast<std::int64_t>(here.ranks[static_cast<std::size_t>(host.ranks.front())].process.gpus.size());
    return count;
}

} // namespace

template <class Work>
void job_record::attempt(Work const& work) {
    if (failed_) return;
    try {
        work();
    } catch (std::exception const& e) {
        failed_ = true;
        complain(std::string(required_ ? "error" : "warning") + ": no run record: " + e.what());
    }
}

job_record::job_record(communicator const& world, settings const& chosen, topology const& here, int argc, char** argv)
    : world_{world}, wanted_{!chosen.record.empty()}, required_{chosen.record_required} {
    if (!wanted_ || world.rank() != 0) return;
    attempt([&] {
        run_facts facts = collect_run_facts(argc, argv);
        facts.ranks = world.size();
        facts.hosts.clear();
        for (host_ranks const& host : here.hosts) facts.hosts.push_back(host.name);
        record_options options;
        options.existing = chosen.existing;
        options.replace_stale_partial = chosen.existing == existing_record::overwrite;
        record_.emplace(chosen.record, facts, options);
        if (record_->path() != chosen.record && !chosen.quiet)
            complain("note: " + chosen.record + " exists; the record is " + record_->path().string());
        record_->set_topology(to_json(here, -1), {{"hosts", static_cast<std::int64_t>(here.hosts.size())},
                                                  {"ranks", static_cast<std::int64_t>(here.ranks.size())},
                                                  {"gpus", count_gpus(here)}});
    });
}

void job_record::add(outcome const& job, speed const&) {
    if (!wanted_) return;
    std::vector<operation_row> const mine = rows_of(job, world_.rank());
    std::vector<std::size_t> lengths;
    std::vector<std::byte> const all = world_.all_gather_varying(pack(mine), lengths);
    if (!record_) return;
    attempt([&] {
        std::vector<operation_row> const done = unpack(all);
        if (!partition_stored_) record_->append(std::span<partition_row const>(partition_of(done)));
        partition_stored_ = true;
        record_->append(std::span<operation_row const>(done));
        record_->append(std::span<result_row const>(results_of(job)));
    });
}

void job_record::add_failure(std::string const& text) {
    if (record_) attempt([&] { record_->message("error", text, world_.rank()); });
}

std::string job_record::path() const {
    return record_ && !failed_ ? record_->path().string() : std::string{};
}

void job_record::close(run_status status) {
    if (record_) attempt([&] { record_->close(status); });
}

} // namespace steadfold::inline v0::app
