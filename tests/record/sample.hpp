/// Rows and facts the tests of the record share, and a folder that goes away.
#pragma once

#include "steadfold/record.hpp"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <stdlib.h>
#include <string>
#include <vector>

namespace record_tests {
namespace sf = steadfold;
namespace fs = std::filesystem;

class temporary_folder {
  public:
    temporary_folder() {
        std::string pattern = (fs::temp_directory_path() / "steadfold-record-XXXXXX").string();
        path_ = ::mkdtemp(pattern.data());
    }
    temporary_folder(temporary_folder const&) = delete;
    temporary_folder& operator=(temporary_folder const&) = delete;
    ~temporary_folder() {
        std::error_code ignored;
        fs::remove_all(path_, ignored);
    }
    [[nodiscard]] fs::path operator/(std::string const& name) const { return path_ / name; }
    [[nodiscard]] fs::path const& path() const { return path_; }

  private:
    fs::path path_;
};

inline sf::run_facts sample_facts() {
    sf::run_facts facts;
    facts.command_line = "steadfold-reduce 'größe µ.h5:/p' --ops sum,l2";
    facts.library_version = "0.1.0";
    facts.git_revision = "0123456789ab-dirty";
    facts.build = "GNU 12.2.0 Release";
    facts.hosts = {"node-a", "node-ü"};
    facts.ranks = 4;
    facts.slurm = {{"job_id", "4711"}, {"job_nodelist", "node-[a-b]"}};
    facts.environment = {{"OMP_NUM_THREADS", "3"}, {"CUDA_VISIBLE_DEVICES", ""}};
    return facts;
}

/// Different in every column for different `i`.
inline sf::operation_row sample_operation(int i) {
    sf::operation_row row;
    row.input = "größe.h5:/p/" + std::to_string(i);
    row.rank = i % 1000;
    row.device = i % 5 - 1;
    row.domain = i % 3;
    row.operations = "sum|mean|l2";
    row.dtype = i % 2 ? "float64" : "int8";
    row.mode = i % 7 ? "exact" : "fast";
    row.elements = (std::int64_t{1} << 40) + i;
    row.bytes = 8 * row.elements;
    row.seconds_read = 0.1 * i;
    row.seconds_reduce = 1.0 / (i + 1);
    row.seconds_combine = 1e-300 * i;
    row.bandwidth = 4493.25 + i;
    return row;
}

inline std::vector<sf::operation_row> sample_operations(int first, int count) {
    std::vector<sf::operation_row> rows;
    for (int i = first; i < first + count; ++i) rows.push_back(sample_operation(i));
    return rows;
}

/// "2026-01-31T23:59:59.123Z"
inline bool is_iso_utc(std::string const& text) {
    std::string const pattern = "dddd-dd-ddTdd:dd:dd.dddZ";
    return std::equal(text.begin(), text.end(), pattern.begin(), pattern.end(),
                      [](char c, char p) { return p == 'd' ? c >= '0' && c <= '9' : c == p; });
}

inline std::vector<sf::partition_row> sample_partition() {
    return {
        {0, 0, -1, 0, 0, 10}, {1, 1, 0, 1, 10, std::int64_t{1} << 50}, {2, 2, 3, 0, (std::int64_t{1} << 50) + 10, 0}};
}

inline std::vector<sf::message_row> sample_messages() {
    return {{"2026-01-31T23:59:59.123Z", 3, "warning", "rank 3 is slow: größer als sonst"}};
}

} // namespace record_tests
