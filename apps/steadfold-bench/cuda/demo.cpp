#include "demo.hpp"

#include "atomic_sum.hpp"
#include "demo_report.hpp"
#include "device_data.hpp"
#include "output.hpp"
#include "questions.hpp"
#include "steadfold/reduce.hpp"

#include <cstdio>

namespace steadfold::inline v0::app {

namespace {

repeated_sums sums_of(device_data<float> const& data, std::int64_t elements) {
    constexpr int runs = 20;
    repeated_sums sums;
    sums.elements = elements;
    sums.exact = data.expected(elements).sum;
    for (int run = 0; run < runs; ++run) {
        sums.atomic.push_back(atomic_sum(data.x(), elements));
        sums.ours.push_back(reduce({}, view<float const>{data.x(), elements}, sum).sum);
        require_same_bits(sums.ours.back(), sums.exact, "sum");
        require_close<float>(sums.atomic.back(), data.expected(elements));
    }
    return sums;
}

} // namespace

int run_demo(settings const& chosen) {
    if (std::string const reason = cuda_unavailable(); !reason.empty()) {
        std::fprintf(stderr, "steadfold-bench: %s\n", reason.c_str());
        return exit_no_gpu;
    }
    std::int64_t const elements = chosen.elements.empty() ? std::int64_t{1} << 24 : chosen.elements.front();
    device_data<float> const data{chosen.data, elements, false, chosen.threads};
    repeated_sums const sums = sums_of(data, elements);
    std::vector<special_sum> const specials = special_sums();
    if (!chosen.quiet) print(demo_text(sums, specials));
    if (!chosen.json.empty()) write(chosen.json, demo_json(sums, specials));
    return exit_ok;
}

} // namespace steadfold::inline v0::app
