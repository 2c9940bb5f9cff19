// The verdicts of `steadfold-bench --case required`, over measurements made up here.
#include "cases.hpp"
#include "questions.hpp"
#include "required.hpp"

#include <gtest/gtest.h>
#include <map>
#include <string>
#include <vector>

namespace steadfold::inline v0::app {

// What the requirements ask is answered here: `answers` names how much faster than 1 us each implementation is.
namespace {
std::map<std::string, double> answers;
int asked = 0;

measured_group answer(group_label label) {
    ++asked;
    measured_group group{label, {}};
    for (auto const& [name, speed] : answers) {
        measurement one;
        one.implementation = name;
        one.bytes = 8 * label.elements;
        one.samples_us = {1 / speed, 1 / speed};
        group.measurements.push_back(one);
    }
    return group;
}
} // namespace

measured_group measure_on_device(device_question const& question, settings const&) {
    return answer({question.case_name, question.type, question.elements, question.operation, name(question.kind)});
}
measured_group measure_host_sum(group_label const& label, data_kind, settings const&) {
    return answer(label);
}
bool can_be_asked(device_question const&) {
    return true;
}

namespace {

std::vector<measured_group> measured(std::string const& requirement) {
    std::vector<measured_group> groups;
    asked = 0;
    for (bench_case const& each : required_cases())
        if (each.name == "required:" + requirement)
            each.run({}, [&](measured_group group) { groups.push_back(std::move(group)); });
    return groups;
}

std::string text_of(std::string const& requirement, std::map<std::string, double> speeds) {
    answers = std::move(speeds);
    std::vector<verdict> const all = verdicts(measured(requirement));
    return all.size() == 1 ? all.front().text() : "there are " + std::to_string(all.size()) + " verdicts";
}

TEST(bench_required, a_ratio_is_missed_required_or_target) {
    EXPECT_EQ(text_of("sum-large", {{"cub-3", 1}, {"steadfold-exact", 0.97}}), "missed");
    EXPECT_EQ(text_of("sum-large", {{"cub-3", 1}, {"steadfold-exact", 0.985}}), "required");
    EXPECT_EQ(text_of("sum-large", {{"cub-3", 1}, {"steadfold-exact", 1.01}}), "target");
    EXPECT_EQ(text_of("l2-float32", {{"cublas-nrm2", 1}, {"steadfold-exact:l2", 3.6}}), "required");
    EXPECT_EQ(text_of("host-plain", {{"omp-for", 1}, {"omp-for-simd", 9}, {"steadfold-exact", 2.5}}), "target");
    EXPECT_EQ(text_of("host-simd", {{"omp-for", 1}, {"omp-for-simd", 9}, {"steadfold-exact", 2.5}}), "missed");
}

TEST(bench_required, the_worst_of_all_questions_counts) {
    answers = {{"cub-3", 1}, {"steadfold-exact", 1.5}};
    std::vector<measured_group> groups = measured("sum-large");
    ASSERT_EQ(groups.size(), 4u); // two types, two sizes
    groups[2].measurements[1].samples_us = {2, 2};
    std::vector<verdict> const all = verdicts(groups);
    ASSERT_EQ(all.size(), 1u);
    EXPECT_TRUE(all[0].missed());
    EXPECT_EQ(all[0].reached.value, 0.5);
    EXPECT_EQ(all[0].where.elements, groups[2].label.elements);
    EXPECT_EQ(all[0].where.type, groups[2].label.type);
}

TEST(bench_required, without_the_peer_there_is_no_verdict) {
    EXPECT_EQ(text_of("gpu-to-gpu", {{"cub-3", 1}, {"steadfold-exact", 9}}),
              "not measured: this build has no STEADFOLD_BENCH_CCCL");
    EXPECT_EQ(text_of("sum-large", {{"steadfold-exact", 9}}), "not measured");
    EXPECT_TRUE(verdicts({}).empty());
    EXPECT_EQ(verdict_table({}), "");
}

TEST(bench_required, every_requirement_is_a_case_of_its_own) {
    answers = {{"cub-3", 1}, {"steadfold-exact", 1}};
    for (requirement const& each : all_requirements()) {
        EXPECT_GT(each.required, 0) << each.name;
        EXPECT_GE(each.target, each.required) << each.name;
        EXPECT_FALSE(measured(each.name).empty()) << each.name;
    }
}

} // namespace

} // namespace steadfold::inline v0::app
