#include "report.hpp"

#include <cstdio>

namespace steadfold::inline v0::app {

namespace {

template <class... Values>
std::string formatted(char const* format, Values... values) {
    char text[512];
    std::snprintf(text, sizeof text, format, values...);
    return text;
}

std::string type_name(measured_group const& group) {
    return std::string(name(group.label.type));
}

} // namespace

summary summarise(measured_group const& group, measurement const& one, instruction_rates const& gpu) {
    summary s;
    s.median_us = quantile(one.samples_us, 0.5);
    s.p5_us = quantile(one.samples_us, 0.05);
    s.p95_us = quantile(one.samples_us, 0.95);
    s.min_us = quantile(one.samples_us, 0);
    s.rate_gb_per_s = static_cast<double>(one.bytes) / s.median_us / 1e3;
    if (measurement const* const read = find(group, "plain-read"); read != nullptr)
        s.of_read = s.rate_gb_per_s * 1e3 * quantile(read->samples_us, 0.5) / static_cast<double>(read->bytes);
    if (one.threads == 0) {
        double const seconds_per_element = 1e-6 * s.median_us / static_cast<double>(group.label.elements);
        s.issue_slots_per_element = gpu.issued * seconds_per_element;
        s.float64_slots_per_element = gpu.float64 * seconds_per_element;
    }
    return s;
}

ratio ratio_of(measurement const& ours, measurement const& peer) {
    if (&ours == &peer) return {1, {1, 1}};
    double const bytes = static_cast<double>(ours.bytes) / static_cast<double>(peer.bytes);
    interval const times = median_ratio_interval(peer.samples_us, ours.samples_us);
    return {bytes * quantile(peer.samples_us, 0.5) / quantile(ours.samples_us, 0.5),
            {bytes * times.low, bytes * times.high}};
}

std::string table_head() {
    return formatted("%-13s %-13s %-25s %-8s %-16s %10s %11s %11s %10s %10s %8s %7s %6s %6s %7s %-15s  %-25s %s\n",
                     "case", "timing", "implementation", "dtype", "data", "elements", "bytes_B", "median_us", "p5_us",
                     "p95_us", "GB/s", "of_read", "issue", "fp64", "ratio", "95_%_interval", "ratio_to",
                     "needs_an_element");
}

std::string table_lines(measured_group const& group, instruction_rates const& gpu) {
    std::string lines;
    measurement const& peer = group.measurements.front();
    // Slots mean something where the whole chip is at work all the time.
    bool const busy = group.label.elements >= 1 << 22;
    auto const known = [](double value, bool is_known, char const* format) {
        return is_known && value > 0 ? formatted(format, value) : std::string("-");
    };
    for (measurement const& one : group.measurements) {
        summary const s = summarise(group, one, gpu);
        ratio const r = ratio_of(one, peer);
        lines +=
            formatted("%-13s %-13s %-25s %-8s %-16s %10lld %11lld %11.2f %10.2f %10.2f %8.1f %7s %6s %6s %7.3f "
                      "[%5.3f, %5.3f]  %-25s %s\n",
                      group.label.case_name.c_str(), one.timing.c_str(), one.implementation.c_str(),
                      type_name(group).c_str(), group.label.data.c_str(), static_cast<long long>(group.label.elements),
                      static_cast<long long>(one.bytes), s.median_us, s.p5_us, s.p95_us, s.rate_gb_per_s,
                      known(s.of_read, true, "%.3f").c_str(), known(s.issue_slots_per_element, busy, "%.1f").c_str(),
                      known(s.float64_slots_per_element, busy, "%.1f").c_str(), r.value, r.range.low, r.range.high,
                      peer.implementation.c_str(), one.budget.empty() ? "-" : one.budget.c_str());
    }
    return lines;
}

std::string to_csv(std::vector<measured_group> const& groups, instruction_rates const& gpu) {
    std::string text = "case,operation,data,timing,implementation,peer,dtype,threads,elements,bytes_B,calls_per_sample,"
                       "samples,median_us,p5_us,p95_us,min_us,rate_GB_per_s,of_read,issue_slots_per_element,"
                       "float64_slots_per_element,ratio,ratio_low,ratio_high,ratio_to\n";
    for (measured_group const& group : groups) {
        measurement const& peer = group.measurements.front();
        for (measurement const& one : group.measurements) {
            summary const s = summarise(group, one, gpu);
            ratio const r = ratio_of(one, peer);
            text +=
                formatted("%s,%s,%s,%s,%s,%d,%s,%d,%lld,%lld,%d,%zu,%.4f,%.4f,%.4f,%.4f,%.3f,%.4f,%.2f,%.2f,%.4f,"
                          "%.4f,%.4f,%s\n",
                          group.label.case_name.c_str(), group.label.operation.c_str(), group.label.data.c_str(),
                          one.timing.c_str(), one.implementation.c_str(), one.peer ? 1 : 0, type_name(group).c_str(),
                          one.threads, static_cast<long long>(group.label.elements), static_cast<long long>(one.bytes),
                          one.calls_per_sample, one.samples_us.size(), s.median_us, s.p5_us, s.p95_us, s.min_us,
                          s.rate_gb_per_s, s.of_read, s.issue_slots_per_element, s.float64_slots_per_element, r.value,
                          r.range.low, r.range.high, peer.implementation.c_str());
        }
    }
    return text;
}

} // namespace steadfold::inline v0::app
