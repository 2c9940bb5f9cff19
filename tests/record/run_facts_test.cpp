#include "record/sample.hpp"
#include "steadfold/version.hpp"

#include <gtest/gtest.h>
using namespace record_tests;

TEST(run_facts, arguments_are_quoted_where_a_shell_needs_it) {
    char const* const argv[] = {
        "steadfold-reduce", "a b.h5:/p", "--ops", "sum,mean", "it's", "", "$HOME", "ü.h5", nullptr};
    EXPECT_EQ(sf::collect_run_facts(8, argv).command_line,
              R"(steadfold-reduce 'a b.h5:/p' --ops sum,mean 'it'\''s' '' '$HOME' ü.h5)");
}

TEST(run_facts, this_process_is_described) {
    sf::run_facts const facts = sf::collect_run_facts();
    EXPECT_EQ(facts.library_version, sf::version());
    EXPECT_EQ(facts.git_revision, sf::git_revision());
    EXPECT_EQ(facts.build, sf::build_description());
    ASSERT_EQ(facts.hosts.size(), 1U);
    EXPECT_FALSE(facts.hosts[0].empty());
}

TEST(run_facts, only_white_listed_variables_are_taken) {
    ::setenv("SLURM_JOB_ID", "4711", 1);
    ::setenv("SLURM_ARRAY_TASK_ID", "3", 1);
    ::setenv("SLURM_JWT", "secret", 1);
    ::setenv("OMP_NUM_THREADS", "8", 1);
    ::setenv("MY_PASSWORD", "secret", 1);
    sf::run_facts const facts = sf::collect_run_facts();
    for (char const* variable : {"SLURM_JOB_ID", "SLURM_ARRAY_TASK_ID", "SLURM_JWT", "OMP_NUM_THREADS", "MY_PASSWORD"})
        ::unsetenv(variable);
    EXPECT_EQ(facts.slurm.at("job_id"), "4711");
    EXPECT_EQ(facts.slurm.at("array_task_id"), "3");
    EXPECT_EQ(facts.environment.at("OMP_NUM_THREADS"), "8");
    EXPECT_FALSE(facts.slurm.contains("jwt"));
    EXPECT_FALSE(facts.environment.contains("MY_PASSWORD"));
    EXPECT_FALSE(sf::collect_run_facts().slurm.contains("job_id"));
}

TEST(record_text, bits_are_in_hexadecimal) {
    EXPECT_EQ(sf::hex_bits(1.0), "0x3ff0000000000000");
    EXPECT_EQ(sf::hex_bits(-0.0), "0x8000000000000000");
    EXPECT_EQ(sf::hex_bits(1.0F), "0x3f800000");
    EXPECT_EQ(sf::hex_bits(std::int64_t{-2}), "0xfffffffffffffffe");
    EXPECT_EQ(sf::hex_bits(std::int8_t{-1}), "0xff");
    EXPECT_EQ(sf::hex_digits(0x3C00, 2), "0x3c00");
}

TEST(record_text, time_is_iso_8601_utc) {
    EXPECT_TRUE(is_iso_utc(sf::utc_now())) << sf::utc_now();
}
