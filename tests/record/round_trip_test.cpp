#include "record/sample.hpp"
#include "steadfold/error.hpp"

#include <bit>
#include <cmath>
#include <gtest/gtest.h>
#include <limits>

using namespace record_tests;

namespace {

std::vector<double> special_values() {
    using limits = std::numeric_limits<double>;
    return {0.0,
            -0.0,
            0.1,
            limits::denorm_min(),
            -limits::max(),
            limits::infinity(),
            std::bit_cast<double>(0x7ff8000000000123)};
}

} // namespace

TEST(record, facts_topology_and_partition_come_back) {
    temporary_folder const folder;
    sf::run_record record{folder / "run.h5", sample_facts()};
    record.set_topology(R"({"hosts": ["ü"]})", {{"devices", 8}, {"domains", 16}});
    record.append(sample_partition());
    record.append(sample_messages());
    record.close(sf::run_status::failed);

    sf::record_contents const read = sf::read_record(folder / "run.h5");
    sf::run_facts const facts = sample_facts();
    EXPECT_EQ(read.file, folder / "run.h5");
    EXPECT_FALSE(read.partial);
    EXPECT_EQ(read.schema_version, 1);
    EXPECT_EQ(read.status, sf::run_status::failed);
    EXPECT_TRUE(is_iso_utc(read.start_time)) << read.start_time;
    EXPECT_TRUE(is_iso_utc(read.end_time)) << read.end_time;
    EXPECT_EQ(read.facts.command_line, facts.command_line);
    EXPECT_EQ(read.facts.library_version, facts.library_version);
    EXPECT_EQ(read.facts.git_revision, facts.git_revision);
    EXPECT_EQ(read.facts.build, facts.build);
    EXPECT_EQ(read.facts.hosts, facts.hosts);
    EXPECT_EQ(read.facts.ranks, facts.ranks);
    EXPECT_EQ(read.facts.slurm, facts.slurm);
    EXPECT_EQ(read.facts.environment, facts.environment);
    EXPECT_EQ(read.topology_json, R"({"hosts": ["ü"]})");
    EXPECT_EQ(read.topology_counts, (std::map<std::string, std::int64_t>{{"devices", 8}, {"domains", 16}}));
    EXPECT_EQ(read.partition, sample_partition());
    EXPECT_EQ(read.messages, sample_messages());
}

TEST(record, result_values_keep_their_bits) {
    temporary_folder const folder;
    sf::run_record record{folder / "run.h5", sample_facts()};
    for (double const value : special_values())
        record.append(std::vector<sf::result_row>{{"a.npy", "sum", "float64", value, sf::hex_bits(value), "ok"}});
    record.close();
    auto const results = sf::read_record(folder / "run.h5").results;
    ASSERT_EQ(results.size(), special_values().size());
    for (std::size_t i = 0; i < results.size(); ++i) {
        EXPECT_EQ(std::bit_cast<std::uint64_t>(results[i].value), std::bit_cast<std::uint64_t>(special_values()[i]));
        EXPECT_EQ(results[i].bits, sf::hex_bits(special_values()[i]));
        EXPECT_EQ(results[i].status, "ok");
    }
}

TEST(record, rows_come_back_for_any_sizes_of_batches) {
    temporary_folder const folder;
    sf::run_record record{folder / "run.h5", sample_facts()};
    int rows = 0;
    for (int const batch : {1, 0, 2, 95, 96, 97, 5000, 1}) {
        record.append(sample_operations(rows, batch));
        rows += batch;
    }
    record.close();
    EXPECT_EQ(sf::read_record(folder / "run.h5").operations, sample_operations(0, rows));
}

TEST(record, an_empty_record_can_be_read) {
    temporary_folder const folder;
    sf::run_record{folder / "run.h5", {}}.close();
    sf::record_contents const read = sf::read_record(folder / "run.h5");
    EXPECT_TRUE(read.operations.empty() && read.results.empty() && read.partition.empty() && read.messages.empty());
    EXPECT_TRUE(read.facts.hosts.empty());
    EXPECT_TRUE(read.topology_json.empty());
}

TEST(record, the_single_shard_of_an_empty_array_is_kept) {
    temporary_folder const folder;
    sf::run_record record{folder / "run.h5", {}};
    std::vector<sf::partition_row> const only{{0, 0, 0, 0, 0, 0}};
    record.append(only);
    record.close();
    EXPECT_EQ(sf::read_record(folder / "run.h5").partition, only);
}

TEST(record, long_texts_of_facts_are_not_cut) {
    temporary_folder const folder;
    sf::run_facts facts = sample_facts();
    facts.command_line = std::string(300'000, 'x');
    facts.hosts.assign(10'000, "node");
    sf::run_record record{folder / "run.h5", facts};
    std::string const json(3'000'000, ' ');
    record.set_topology(json);
    record.close();
    sf::record_contents const read = sf::read_record(folder / "run.h5");
    EXPECT_EQ(read.facts.command_line, facts.command_line);
    EXPECT_EQ(read.facts.hosts, facts.hosts);
    EXPECT_EQ(read.topology_json, json);
}

TEST(record, long_texts_of_rows_are_cut_and_marked) {
    temporary_folder const folder;
    sf::run_record record{folder / "run.h5", sample_facts()};
    record.message("warning", std::string(1000, 'x'), 7);
    record.close();
    sf::message_row const row = sf::read_record(folder / "run.h5").messages.at(0);
    EXPECT_EQ(row.text, std::string(381, 'x') + "…");
    EXPECT_EQ(row.rank, 7);
    EXPECT_EQ(row.time.size(), 24U);
}

TEST(record, a_second_topology_is_an_argument_error_and_breaks_nothing) {
    temporary_folder const folder;
    sf::run_record record{folder / "run.h5", sample_facts()};
    record.set_topology("{}");
    EXPECT_THROW(record.set_topology("{}"), sf::argument_error);
    EXPECT_THROW(record.close(sf::run_status::running), sf::argument_error);
    EXPECT_FALSE(record.broken());
    record.close();
    EXPECT_EQ(sf::read_record(folder / "run.h5").status, sf::run_status::complete);
}
