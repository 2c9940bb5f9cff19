#include "steadfold/self_test.hpp"

#include "reduce/host/isa.hpp"
#include "reduce/self_test_vectors.hpp"
#include "steadfold/error.hpp"
#include "steadfold/reduce.hpp"
#include "steadfold/topology.hpp"

#include <bit>
#include <cstdint>
#include <cstdio>
#include <vector>

namespace steadfold::inline v0 {

namespace {

using reduce_detail::self_test_vector;
using reduce_detail::self_test_vectors;

constexpr operation_set checked = sum | mean | l1 | sum_of_squares | l2 | variance | stddev;

class checker {
  public:
    explicit checker(self_test_result& result) : result_{result} {}

    void expect(std::string const& name, std::uint64_t got, std::uint64_t expected) {
        ++result_.checks;
        if (got == expected) return;
        char line[160];
        std::snprintf(line, sizeof line, "%s: 0x%016llx, not 0x%016llx", name.c_str(),
                      static_cast<unsigned long long>(got), static_cast<unsigned long long>(expected));
        result_.failures.emplace_back(line);
    }

  private:
    self_test_result& result_;
};

void check_vector(self_test_vector const& vector, execution const& where, checker& check) {
    std::vector<double> values;
    for (std::uint64_t const bits : vector.values) values.push_back(std::bit_cast<double>(bits));
    reduction all{dtype::float64, checked, {.ddof = 1}, where};
    all.add(view<double const>{values});
    reduction_results const got = all.finish();
    auto const compare = [&](operation op, std::uint64_t expected) {
        check.expect(std::string(vector.name) + ", " + std::string(name(op)), got[op].bits[0], expected);
    };
    compare(operation::sum, vector.sum);
    compare(operation::mean, vector.mean);
    compare(operation::l1, vector.l1);
    compare(operation::sum_of_squares, vector.sum_of_squares);
    compare(operation::l2, vector.l2);
    compare(operation::variance, vector.variance);
    compare(operation::stddev, vector.stddev);
    reduction product{dtype::float64, operation::dot, {}, where};
    product.add_products(view<double const>{values}, view<double const>{values});
    check.expect(std::string(vector.name) + ", dot", product.finish()[operation::dot].bits[0], vector.sum_of_squares);
    reduction piecewise{dtype::float64, sum, {}, where};
    for (double const& value : values) piecewise.add(view{&value, 1});
    check.expect(std::string(vector.name) + ", one by one", piecewise.finish()[operation::sum].bits[0], vector.sum);
}

void check_specials(execution const& where, checker& check) {
    double const infinity = std::bit_cast<double>(0x7ff0000000000000u),
                 nan = std::bit_cast<double>(0xfff8000000000001u);
    auto const sum_of = [&](std::vector<double> const& values) {
        reduction r{dtype::float64, sum, {}, where};
        r.add(view<double const>{values});
        return r.finish()[operation::sum].bits[0];
    };
    check.expect("sum of +Inf and 1", sum_of({infinity, 1.0}), 0x7ff0000000000000u);
    check.expect("sum of +Inf and -Inf", sum_of({infinity, -infinity, 1.0}), 0x7ff8000000000000u);
    check.expect("sum with a NaN", sum_of({1.0, nan, 2.0}), 0x7ff8000000000000u);
    check.expect("sum of -0", sum_of(std::vector<double>(40, -0.0)), 0x8000000000000000u);
    check.expect("sum of zeros", sum_of(std::vector<double>(1000, 0.0)), 0);
}

std::string describe(execution const& where) {
    if (where.kind == processor_kind::cuda) return "cuda " + std::to_string(where.device);
    return std::string("host, level ") + host::choose_level().name;
}

} // namespace

std::string self_test_result::summary() const {
    std::string text = processor + ": " + (passed() ? "passed" : "FAILED") + ", " + std::to_string(checks) + " checks";
    for (std::string const& failure : failures) text += "\n  " + failure;
    return text;
}

self_test_result self_test(execution const& where) {
    self_test_result result;
    result.processor = describe(where);
    checker check{result};
    try {
        for (self_test_vector const& vector : self_test_vectors) check_vector(vector, where, check);
        check_specials(where, check);
    } catch (error const& e) {
        result.failures.emplace_back(e.what());
    }
    return result;
}

std::vector<self_test_result> self_test_everywhere() {
    std::vector<self_test_result> results{self_test({})};
    topology const here = discover_topology();
    for (gpu_facts const& gpu : here.here().process.gpus)
        results.push_back(self_test({.kind = processor_kind::cuda, .device = gpu.ordinal}));
    return results;
}

} // namespace steadfold::inline v0
