#include "report.hpp"
#include "required.hpp"
#include "steadfold/version.hpp"

#include <cmath>
#include <nlohmann/json.hpp>

namespace steadfold::inline v0::app {

namespace {

using json = nlohmann::ordered_json;

json known(std::string const& text) {
    return text.empty() ? json() : json(text);
}
json known(int number) {
    return number == 0 ? json() : json(number);
}

/// To a tenth of a nanosecond: digits beyond the clock's only fill the file.
double rounded(double microseconds) {
    return std::round(microseconds * 1e4) / 1e4;
}

json machine_json(machine const& where) {
    return {{"cpu_model", known(where.cpu_model)},
            {"allowed_cpus", where.allowed_cpus},
            {"load_average_1_min", where.load_average},
            {"gpu_name", known(where.gpu_name)},
            {"gpu_sm_count", known(where.gpu_sm_count)},
            {"gpu_driver", known(where.gpu_driver)},
            {"cuda_driver_version", known(where.cuda_driver_version)},
            {"cuda_runtime_version", known(where.cuda_runtime_version)}};
}

/// To every other implementation of the group.
json ratios_json(measured_group const& group, measurement const& ours) {
    json all = json::array();
    for (measurement const& other : group.measurements) {
        if (&other == &ours) continue;
        ratio const r = ratio_of(ours, other);
        all.push_back({{"to", other.implementation},
                       {"ratio", r.value},
                       {"interval_95_low", r.range.low},
                       {"interval_95_high", r.range.high}});
    }
    return all;
}

json known(double number) {
    return number == 0 ? json() : json(number);
}

json measurement_json(measured_group const& group, measurement const& one, instruction_rates const& gpu) {
    summary const s = summarise(group, one, gpu);
    return {{"case", group.label.case_name},
            {"operation", known(group.label.operation)},
            {"data", group.label.data},
            {"timing", one.timing},
            {"implementation", one.implementation},
            {"peer", one.peer},
            {"dtype", std::string(name(group.label.type))},
            {"threads", known(one.threads)},
            {"elements", group.label.elements},
            {"bytes", one.bytes},
            {"calls_per_sample", one.calls_per_sample},
            {"samples", one.samples_us.size()},
            {"median_us", rounded(s.median_us)},
            {"p5_us", rounded(s.p5_us)},
            {"p95_us", rounded(s.p95_us)},
            {"min_us", rounded(s.min_us)},
            {"rate_gb_per_s", s.rate_gb_per_s},
            {"of_read", known(s.of_read)},
            {"issue_slots_per_element", known(s.issue_slots_per_element)},
            {"float64_slots_per_element", known(s.float64_slots_per_element)},
            {"budget", known(one.budget)},
            {"ratios", ratios_json(group, one)}};
}

json requirements_json(std::vector<verdict> const& verdicts) {
    json all = json::array();
    for (verdict const& each : verdicts) {
        bool const measured = each.reached.value > 0;
        all.push_back({{"name", each.what.name},
                       {"description", each.what.description},
                       {"required", each.what.required},
                       {"target", each.what.target},
                       {"reached", known(each.reached.value)},
                       {"interval_95_low", known(each.reached.range.low)},
                       {"interval_95_high", known(each.reached.range.high)},
                       {"verdict", each.text()},
                       {"worst_operation", measured ? json(each.where.operation) : json()},
                       {"worst_dtype", measured ? json(std::string(name(each.where.type))) : json()},
                       {"worst_elements", measured ? json(each.where.elements) : json()}});
    }
    return all;
}

} // namespace

std::string to_json(std::vector<measured_group> const& groups, std::vector<verdict> const& verdicts,
                    run_facts const& run, settings const& chosen) {
    json measurements = json::array();
    for (measured_group const& group : groups)
        for (measurement const& one : group.measurements) measurements.push_back(measurement_json(group, one, run.gpu));
    json const document = {{"schema", 2},
                           {"program", "steadfold-bench"},
                           {"version", std::string(version())},
                           {"git_revision", std::string(git_revision())},
                           {"build", std::string(build_description())},
                           {"started_utc", run.started_utc},
                           {"command_line", chosen.command_line},
                           {"machine", machine_json(run.where)},
                           {"host_peer_instruction_set", known(run.host_peer_level)},
                           {"gpu_instructions_per_second", known(run.gpu.issued)},
                           {"gpu_float64_instructions_per_second", known(run.gpu.float64)},
                           {"requirements", requirements_json(verdicts)},
                           {"measurements", std::move(measurements)}};
    return document.dump(2, ' ', false, json::error_handler_t::replace) + "\n";
}

} // namespace steadfold::inline v0::app
