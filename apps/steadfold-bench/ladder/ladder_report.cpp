#include "ladder/ladder_report.hpp"

#include "statistics.hpp"
#include "steadfold/version.hpp"

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <optional>

namespace steadfold::inline v0::app::ladder {

namespace {

using json = nlohmann::ordered_json;

template <class... Values>
std::string formatted(char const* format, Values... values) {
    char text[512];
    std::snprintf(text, sizeof text, format, values...);
    return text;
}

std::optional<int> instructions_of(timed_rung const& one, machine_code const& code) {
    auto const found = code.instructions.find(one.what.kernel);
    return found == code.instructions.end() ? std::nullopt : std::optional(found->second);
}

/// Over the last rung before of the same type, or else the last one. None for the first, and for readers, which are not
/// built on each other.
std::optional<double> ratio_to_previous(std::vector<timed_rung> const& rungs, std::size_t i) {
    auto const rises = [](timed_rung const& each) { return each.what.merge != merging::none; };
    std::optional<std::size_t> last, same_type;
    for (std::size_t j = 0; j < i; ++j) {
        if (!rises(rungs[j])) continue;
        last = j;
        if (rungs[j].what.type == rungs[i].what.type) same_type = j;
    }
    auto const previous = same_type ? same_type : last;
    if (!previous || !rises(rungs[i])) return {};
    return rungs[i].rate_gb_per_s() / rungs[*previous].rate_gb_per_s();
}

std::string table_head() {
    return formatted("%-22s %-7s %12s %11s %8s %11s %7s %4s %9s %9s %14s %11s %-24s %s\n", "rung", "dtype", "bytes_B",
                     "median_us", "GB/s", "to_previous", "of_peak", "ops", "registers", "SASS_inst", "shared_B",
                     "occupancy_%", "limited_by", "what_it_changes");
}

std::string table_line(std::vector<timed_rung> const& rungs, std::size_t i, machine_code const& code) {
    timed_rung const& one = rungs[i];
    auto const previous = ratio_to_previous(rungs, i);
    auto const instructions = instructions_of(one, code);
    std::string const shared = formatted("%d+%d", one.facts.static_shared_bytes, one.facts.dynamic_shared_bytes);
    return formatted("%-22s %-7s %12lld %11.2f %8.1f %11s %7.3f %4d %9d %9s %14s %11.1f %-24s %s\n",
                     one.what.name.c_str(), std::string(name(one.what.type)).c_str(), static_cast<long long>(one.bytes),
                     one.median_us(), one.rate_gb_per_s(), previous ? formatted("%.3f", *previous).c_str() : "-",
                     one.rate_gb_per_s() / peak_gb_per_s(rungs), one.work.operations, one.facts.registers,
                     instructions ? std::to_string(*instructions).c_str() : "-", shared.c_str(),
                     100 * one.facts.occupancy, one.facts.limit.c_str(), one.what.change.c_str());
}

json rung_json(std::vector<timed_rung> const& rungs, std::size_t i, machine_code const& code) {
    timed_rung const& one = rungs[i];
    auto const previous = ratio_to_previous(rungs, i);
    auto const instructions = instructions_of(one, code);
    return {{"rung", one.what.name},
            {"what_it_changes", one.what.change},
            {"dtype", std::string(name(one.what.type))},
            {"elements", one.elements},
            {"bytes", one.bytes},
            {"calls_per_sample", one.calls_per_sample},
            {"samples", one.samples_us.size()},
            {"median_us", one.median_us()},
            {"p5_us", quantile(one.samples_us, 0.05)},
            {"p95_us", quantile(one.samples_us, 0.95)},
            {"rate_gb_per_s", one.rate_gb_per_s()},
            {"ratio_to_previous", previous ? json(*previous) : json()},
            {"ratio_to_peak", one.rate_gb_per_s() / peak_gb_per_s(rungs)},
            {"operations", one.work.operations},
            {"blocks", one.work.blocks},
            {"threads_per_block", one.what.threads},
            {"blocks_per_cluster", one.what.cluster},
            {"registers", one.facts.registers},
            {"local_bytes", one.facts.local_bytes},
            {"instructions", instructions ? json(*instructions) : json()},
            {"static_shared_bytes", one.facts.static_shared_bytes},
            {"dynamic_shared_bytes", one.facts.dynamic_shared_bytes},
            {"blocks_per_multiprocessor", one.facts.blocks_per_multiprocessor},
            {"occupancy", one.facts.occupancy},
            {"limited_by", one.facts.limit}};
}

} // namespace

double peak_gb_per_s(std::vector<timed_rung> const& rungs) {
    double peak = 0;
    for (timed_rung const& each : rungs)
        if (each.what.merge == merging::none) peak = std::max(peak, each.rate_gb_per_s());
    return peak;
}

std::string to_table(std::vector<timed_rung> const& rungs, machine_code const& code) {
    std::string text = table_head();
    for (std::size_t i = 0; i < rungs.size(); ++i) text += table_line(rungs, i, code);
    return text +
           formatted("peak: the fastest of the readers, %.1f GB/s; to_previous: to the last rung of the same type; "
                     "ops: kernels and fills of one sum; SASS_inst: instructions in the first kernel's code\n",
                     peak_gb_per_s(rungs));
}

std::string to_json(std::vector<std::vector<timed_rung>> const& sizes, machine_code const& code,
                    run_description const& run, settings const& chosen) {
    json all = json::array();
    for (auto const& rungs : sizes)
        for (std::size_t i = 0; i < rungs.size(); ++i) all.push_back(rung_json(rungs, i, code));
    json const document = {{"schema", 1},
                           {"program", "steadfold-bench ladder"},
                           {"version", std::string(version())},
                           {"git_revision", std::string(git_revision())},
                           {"build", std::string(build_description())},
                           {"started_utc", run.started_utc},
                           {"command_line", chosen.command_line},
                           {"gpu_name", run.where.gpu_name},
                           {"gpu_driver", run.where.gpu_driver},
                           {"cuda_runtime_version", run.where.cuda_runtime_version},
                           {"sums_checked", run.sums_checked},
                           {"rungs", std::move(all)}};
    return document.dump(2, ' ', false, json::error_handler_t::replace) + "\n";
}

} // namespace steadfold::inline v0::app::ladder
