#include "required.hpp"

#include <algorithm>
#include <cstdio>
#include <utility>

namespace steadfold::inline v0::app {

namespace {

constexpr char const* exact_name = "steadfold-exact"; // how the names of ours begin
std::vector<dtype> const reals{dtype::float64, dtype::float32}, shorts{dtype::float16, dtype::bfloat16};

/// Every type, operation and power of two with every other.
std::vector<device_question> questions(std::vector<dtype> const& types, std::vector<int> const& exponents,
                                       std::vector<std::string> const& operations = {"sum"}, data_kind kind = {}) {
    std::vector<device_question> all;
    for (dtype const type : types)
        for (auto exponent = exponents.rbegin(); exponent != exponents.rend(); ++exponent) // the data is made once
            for (std::string const& operation : operations)
                all.push_back(
                    {.type = type, .elements = std::int64_t{1} << *exponent, .kind = kind, .operation = operation});
    return all;
}

std::vector<device_question> segments(std::vector<int> const& sizes) {
    std::vector<device_question> all;
    for (dtype const type : reals)
        for (int const size : sizes)
            all.push_back(
                {.type = type, .elements = std::int64_t{1} << 27, .operation = "segments", .segment_size = size});
    return all;
}

std::vector<requirement> made_requirements() {
    std::string const cccl = "STEADFOLD_BENCH_CCCL", blas = "cuBLAS";
    return {{"sum-large", "exact sum, float64 and float32, 2^27 and 2^28, beside CUB", 0.98, 1.00,
             questions(reals, {27, 28})},
            {"sum-short-types", "exact sum, half and bfloat16, 2^28 and 2^29, beside CUB", 0.95, 1.00,
             questions(shorts, {28, 29})},
            {"sum-2^24", "exact sum at 2^24 beside CUB", 1.0, 1.1, questions(reals, {24})},
            {"sum-2^14..2^20", "exact sum at 2^14 to 2^20 beside CUB", 1.2, 1.4, questions(reals, {14, 16, 18, 20})},
            {"sum-1..2^12", "exact sum at 1 to 2^12 beside CUB", 0.95, 1.0, questions(reals, {0, 4, 8, 10, 12})},
            {"gpu-to-gpu", "exact sum at 2^28 beside CUB's gpu_to_gpu", 1.15, 1.3, questions(reals, {28}),
             "cub-gpu-to-gpu", cccl},
            {"dot", "exact dot at 2^27 beside cuBLAS", 0.98, 1.02, questions(reals, {27}, {"dot"}), "cublas", blas},
            {"l2-float64", "exact L2 at 2^27 beside cuBLAS nrm2", 1.15, 1.35, questions({dtype::float64}, {27}, {"l2"}),
             "cublas", blas},
            {"l2-float32", "exact L2 at 2^27 beside cuBLAS nrm2", 3.5, 4.0, questions({dtype::float32}, {27}, {"l2"}),
             "cublas", blas},
            {"l1", "exact L1 of float64 at 2^27 beside cuBLAS asum", 1.1, 1.15,
             questions({dtype::float64}, {27}, {"l1"}), "cublas", blas},
            {"blas-2^12..2^20", "exact dot, L2 and L1 at 2^12 to 2^20 beside cuBLAS", 1.2, 1.5,
             questions(reals, {12, 14, 16, 18, 20}, {"dot", "l2", "l1"}), "cublas", blas},
            {"one-pass-float64", "sum, mean, variance, extrema, norms in one pass beside one CUB sum, 2^28", 0.65, 0.75,
             questions({dtype::float64}, {28}, {"one-pass"})},
            {"one-pass-float32", "sum, mean, variance, extrema, norms in one pass beside one CUB sum, 2^28", 0.6, 0.7,
             questions({dtype::float32}, {28}, {"one-pass"})},
            {"random-exponents", "exact sum of float64 of random exponents at 2^28 beside CUB", 0.25, 0.5,
             questions({dtype::float64}, {28}, {"sum"}, {distribution::random_exponents})},
            {"segments", "exact sums of 2^27 elements in segments of 32, 128 and 1024 beside CUB's segmented sum", 0.85,
             1.0, segments({32, 128, 1024})},
            {"host-simd",
             "exact sum of 1 GiB of doubles on the host beside omp parallel for simd",
             0.9,
             0.98,
             {},
             "omp-for-simd",
             "OpenMP"},
            {"host-plain",
             "exact sum of 1 GiB of doubles on the host beside omp parallel for",
             1.5,
             2,
             {},
             "omp-for",
             "OpenMP"}};
}

std::string case_name(requirement const& what) {
    return "required:" + what.name;
}

void measure_all(requirement const& what, settings const& chosen, group_sink const& done) {
    if (what.questions.empty())
        return done(measure_host_sum({case_name(what), dtype::float64, std::int64_t{1} << 27}, {}, chosen));
    for (device_question question : what.questions) {
        question.case_name = case_name(what);
        question.calls = chosen.calls;
        if (can_be_asked(question)) done(measure_on_device(question, chosen));
    }
}

/// The first one stands for the peers, unless the requirement names one.
measurement const* peer_of(requirement const& what, measured_group const& group) {
    if (!what.peer.empty()) return find(group, what.peer);
    return group.measurements.front().implementation.starts_with(exact_name) ? nullptr : &group.measurements.front();
}

verdict judged(requirement const& what, std::vector<measured_group> const& groups) {
    verdict all{what, {0, {}}, {}};
    for (measured_group const& group : groups) {
        if (group.label.case_name != case_name(what)) continue;
        measurement const* const peer = peer_of(what, group);
        if (peer == nullptr || find(group, exact_name) == nullptr) return {what, {0, {}}, group.label};
        for (measurement const& ours : group.measurements) {
            if (!ours.implementation.starts_with(exact_name)) continue;
            ratio const reached = ratio_of(ours, *peer);
            if (all.reached.value > 0 && reached.value >= all.reached.value) continue;
            all.reached = reached;
            all.where = group.label;
        }
    }
    return all;
}

} // namespace

std::vector<requirement> const& all_requirements() {
    static std::vector<requirement> const all = made_requirements();
    return all;
}

std::vector<bench_case> required_cases() {
    std::vector<bench_case> cases;
    for (requirement const& each : all_requirements())
        cases.push_back({case_name(each), each.description, !each.questions.empty(), true,
                         [each](settings const& chosen, group_sink const& done) { measure_all(each, chosen, done); }});
    return cases;
}

std::string verdict::text() const {
    if (reached.value == 0) return "not measured" + (what.needs.empty() ? "" : ": this build has no " + what.needs);
    return reached.value >= what.target ? "target" : reached.value >= what.required ? "required" : "missed";
}

std::vector<verdict> verdicts(std::vector<measured_group> const& groups) {
    std::vector<verdict> all;
    for (requirement const& each : all_requirements())
        if (std::any_of(groups.begin(), groups.end(),
                        [&](measured_group const& group) { return group.label.case_name == case_name(each); }))
            all.push_back(judged(each, groups));
    return all;
}

std::string verdict_table(std::vector<verdict> const& all) {
    if (all.empty()) return {};
    char line[512];
    std::snprintf(line, sizeof line, "\n%-17s %8s %7s %8s %-15s %-13s %s\n", "requirement", "required", "target",
                  "reached", "95_%_interval", "verdict", "worst_at");
    std::string text = line;
    for (verdict const& each : all) {
        std::string const where = each.reached.value == 0
                                      ? ""
                                      : each.where.operation + " " + std::string(name(each.where.type)) + " " +
                                            std::to_string(each.where.elements);
        std::snprintf(line, sizeof line, "%-17s %8.2f %7.2f %8.3f [%5.3f, %5.3f]  %-13s %s\n", each.what.name.c_str(),
                      each.what.required, each.what.target, each.reached.value, each.reached.range.low,
                      each.reached.range.high, each.text().c_str(), where.c_str());
        text += line;
    }
    return text;
}

} // namespace steadfold::inline v0::app
