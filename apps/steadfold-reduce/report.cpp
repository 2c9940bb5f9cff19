#include "report.hpp"

#include "steadfold/version.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <span>

namespace steadfold::inline v0::app {

namespace {

using nlohmann::ordered_json;

template <class... Arguments>
std::string formatted(char const* format, Arguments... arguments) {
    std::array<char, 512> line;
    int const length = std::snprintf(line.data(), line.size(), format, arguments...);
    return {line.data(), std::min(line.size() - 1, static_cast<std::size_t>(std::max(length, 0)))};
}

std::string shape(dataset_info const& info) {
    if (info.extents.empty()) return "scalar";
    std::string text;
    for (std::int64_t const extent : info.extents) text += (text.empty() ? "" : " x ") + std::to_string(extent);
    return text;
}

std::string mode_name(reduction_mode mode) {
    return mode == reduction_mode::exact ? "exact" : "fast";
}

template <class Function>
void for_each_operation(operation_set set, Function const& f) {
    for (int i = 0; i < operation_count; ++i)
        if (set.contains(static_cast<operation>(i))) f(static_cast<operation>(i));
}

ordered_json json_of(result_value const& value) {
    ordered_json j;
    auto const number = [&](int c) -> ordered_json {
        if (is_integer(value.type))
            return is_signed_integer(value.type) ? ordered_json(value.as_int64()) : ordered_json(value.bits[0]);
        double const x = value.as_double(c);
        return std::isfinite(x) ? ordered_json(x) : ordered_json(nullptr); // JSON has no Inf and NaN: see "text"
    };
    if (is_complex(value.type))
        j["value"] = {number(0), number(1)};
    else
        j["value"] = number(0);
    j["text"] = value.to_decimal();
    j["hex"] = value.to_hex();
    j["bits"] = value.bit_pattern();
    j["dtype"] = name(value.type);
    j["status"] = to_string(value.status);
    return j;
}

ordered_json json_of(dataset_info const& info) {
    ordered_json j;
    j["file"] = info.file;
    j["path"] = info.path;
    j["format"] = name(info.format);
    j["dtype"] = info.unsupported.empty() ? ordered_json(name(info.type)) : ordered_json(nullptr);
    j["stored_type"] = info.stored_type;
    j["extents"] = info.extents;
    j["elements"] = info.elements;
    j["layout"] = info.layout;
    j["units"] = info.units;
    j["declares_missing"] = info.declares_missing;
    if (!info.unsupported.empty()) j["unsupported"] = info.unsupported;
    return j;
}

ordered_json json_of(outcome const& job, speed const& fast) {
    ordered_json j;
    j["input"] = job.input;
    j["dataset"] = json_of(job.info);
    j["mode"] = mode_name(job.options.mode);
    j["nan"] = job.options.nans == nan_policy::ignore ? "ignore" : "propagate";
    for_each_operation(job.operations,
                       [&](operation op) { j["operations"][std::string(name(op))] = json_of(job.results[op]); });
    j["timing"] = {{"read_s", fast.seconds_read},
                   {"reduce_s", fast.seconds_reduce},
                   {"combine_s", fast.seconds_combine},
                   {"total_s", fast.seconds},
                   {"bytes", fast.bytes},
                   {"GB_per_s", fast.gigabytes_per_second}};
    if (job.self_check_ways > 0) j["self_check_ways"] = job.self_check_ways;
    return j;
}

std::string dump(ordered_json const& j) {
    return j.dump(2, ' ', false, ordered_json::error_handler_t::replace) + "\n"; // file names may be any bytes
}

} // namespace

speed measure_speed(communicator const& world, outcome const& job) {
    std::array<double, 4> mine = {0, 0, 0, job.seconds};
    for (share const& s : job.shares) {
        mine[0] += s.seconds_read;
        mine[1] += s.seconds_reduce;
        mine[2] = std::max(mine[2], s.seconds_combine);
    }
    std::vector<std::array<double, 4>> all(static_cast<std::size_t>(world.size()));
    world.all_gather(std::as_bytes(std::span{mine}), std::as_writable_bytes(std::span{all}));
    std::array<double, 4> slowest{};
    for (auto const& rank : all)
        for (std::size_t i = 0; i < rank.size(); ++i) slowest[i] = std::max(slowest[i], rank[i]);
    speed fast{slowest[0], slowest[1], slowest[2], slowest[3], 0, 0};
    int const arrays = job.operations.contains(operation::dot) ? 2 : 1;
    fast.bytes = job.info.elements * static_cast<std::int64_t>(size_bytes(job.info.type)) * arrays;
    fast.gigabytes_per_second = fast.seconds > 0 ? static_cast<double>(fast.bytes) / fast.seconds / 1e9 : 0;
    return fast;
}

std::string text_report(outcome const& job, speed const& fast, int ranks) {
    std::string const type{name(job.info.type)};
    std::string text = job.input + "  " + type + " [" + shape(job.info) + "]  " + std::to_string(job.info.elements) +
                       " elements, " + mode_name(job.options.mode) +
                       (job.options.nans == nan_policy::ignore ? ", NaN and missing left out" : "") +
                       (job.info.units.empty() ? "" : ", units " + job.info.units) + "\n";
    for_each_operation(job.operations, [&](operation op) {
        result_value const& value = job.results[op];
        text += formatted("  %-7s %-26s %-26s", std::string(name(op)).c_str(), value.to_decimal().c_str(),
                          value.to_hex().c_str());
        text += value.status == status_flags::none ? "\n" : " " + to_string(value.status) + "\n";
    });
    text += formatted("  %d rank(s): read %.4f s, reduce %.4f s, combine %.6f s; %lld bytes in %.4f s, %.3f GB/s\n",
                      ranks, fast.seconds_read, fast.seconds_reduce, fast.seconds_combine,
                      static_cast<long long>(fast.bytes), fast.seconds, fast.gigabytes_per_second);
    return text;
}

std::string text_listing(std::vector<dataset_info> const& sets) {
    std::string text;
    for (dataset_info const& info : sets) {
        std::string const place = info.path.empty() ? info.file : info.file + ":" + info.path;
        text += place;
        if (!info.stored_type.empty()) // else not even that much could be read
            text += "  " + info.stored_type + " [" + shape(info) + "]  " + std::to_string(info.elements) + " elements";
        if (!info.layout.empty()) text += ", " + info.layout;
        if (!info.units.empty()) text += ", units " + info.units;
        if (info.declares_missing) text += ", with missing values";
        if (!info.unsupported.empty()) text += "  (cannot be reduced: " + info.unsupported + ")";
        text += "\n";
    }
    return text;
}

std::string json_report(std::vector<outcome> const& jobs, std::vector<speed> const& speeds,
                        std::vector<std::string> const& failures, int ranks, std::string const& record) {
    ordered_json j;
    j["program"] = "steadfold-reduce";
    j["version"] = version();
    j["git_revision"] = git_revision();
    j["ranks"] = ranks;
    j["record"] = record.empty() ? ordered_json(nullptr) : ordered_json(record);
    j["results"] = ordered_json::array();
    for (std::size_t i = 0; i < jobs.size(); ++i) j["results"].push_back(json_of(jobs[i], speeds[i]));
    j["failures"] = failures;
    return dump(j);
}

std::string json_listing(std::vector<dataset_info> const& sets, std::vector<std::string> const& failures) {
    ordered_json j;
    j["program"] = "steadfold-reduce";
    j["version"] = version();
    j["datasets"] = ordered_json::array();
    for (dataset_info const& info : sets) j["datasets"].push_back(json_of(info));
    j["failures"] = failures;
    return dump(j);
}

} // namespace steadfold::inline v0::app
