#include "demo_report.hpp"

#include "peers.hpp"
#include "steadfold/version.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <set>

namespace steadfold::inline v0::app {

namespace {

using json = nlohmann::ordered_json;

template <class... Values>
std::string formatted(char const* format, Values... values) {
    char text[256];
    std::snprintf(text, sizeof text, format, values...);
    return text;
}

std::string text_of(double value) {
    return formatted("%.8g", value);
}

std::string line_of(char const* name, std::vector<float> const& sums) {
    auto const [least, most] = std::minmax_element(sums.begin(), sums.end());
    return formatted("%-16s %5zu %9d %16.9g %16.9g %12.3g\n", name, sums.size(), distinct(sums),
                     static_cast<double>(*least), static_cast<double>(*most), static_cast<double>(*most - *least));
}

/// JSON has no Inf and no NaN: everything as text, in decimal and in hexadecimal.
json number(double value) {
    return {{"decimal", formatted("%.17g", value)}, {"hex", formatted("%a", value)}};
}

json sums_json(std::vector<float> const& sums) {
    json patterns = json::array();
    for (float const sum : sums) patterns.push_back(formatted("0x%08x", std::bit_cast<std::uint32_t>(sum)));
    return {{"distinct", distinct(sums)}, {"bits", std::move(patterns)}};
}

} // namespace

int distinct(std::vector<float> const& sums) {
    std::set<std::uint32_t> patterns;
    for (float const sum : sums) patterns.insert(std::bit_cast<std::uint32_t>(sum));
    return static_cast<int>(patterns.size());
}

std::string demo_text(repeated_sums const& sums, std::vector<special_sum> const& specials) {
    std::string text = formatted("The same %lld floats summed again and again; rounded once, their sum is %.9g.\n\n",
                                 static_cast<long long>(sums.elements), static_cast<double>(sums.exact));
    text += formatted("%-16s %5s %9s %16s %16s %12s\n", "sum", "runs", "different", "least", "greatest", "spread");
    text += line_of("float atomicAdd", sums.atomic) + line_of("steadfold exact", sums.ours);
    std::string const newer = newer_cub_version();
    text += formatted("\nCUB %s; gpu_to_gpu of CUB %s.\n\n", cub_version().c_str(),
                      newer.empty() ? "(not in this build: STEADFOLD_BENCH_CCCL)" : newer.c_str());
    text +=
        formatted("%-20s %-8s %16s %16s %16s %16s\n", "sum of", "dtype", "right", "CUB", "CUB gpu_to_gpu", "steadfold");
    for (special_sum const& each : specials)
        text += formatted("%-20s %-8s %16s %16s %16s %16s\n", each.what.c_str(), each.type.c_str(),
                          text_of(each.expected).c_str(), text_of(each.cub).c_str(),
                          each.gpu_to_gpu ? text_of(*each.gpu_to_gpu).c_str() : "-", text_of(each.ours).c_str());
    return text;
}

std::string demo_json(repeated_sums const& sums, std::vector<special_sum> const& specials) {
    json values = json::array();
    for (special_sum const& each : specials)
        values.push_back({{"sum_of", each.what},
                          {"dtype", each.type},
                          {"right", number(each.expected)},
                          {"cub", number(each.cub)},
                          {"cub_gpu_to_gpu", each.gpu_to_gpu ? number(*each.gpu_to_gpu) : json()},
                          {"steadfold", number(each.ours)}});
    std::string const newer = newer_cub_version();
    json const document = {{"schema", 1},
                           {"program", "steadfold-bench demo"},
                           {"version", std::string(version())},
                           {"git_revision", std::string(git_revision())},
                           {"cub", cub_version()},
                           {"cub_of_gpu_to_gpu", newer.empty() ? json() : json(newer)},
                           {"elements", sums.elements},
                           {"right", number(static_cast<double>(sums.exact))},
                           {"atomic_add", sums_json(sums.atomic)},
                           {"steadfold_exact", sums_json(sums.ours)},
                           {"special_values", std::move(values)}};
    return document.dump(2, ' ', false, json::error_handler_t::replace) + "\n";
}

} // namespace steadfold::inline v0::app
