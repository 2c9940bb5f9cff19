/// The files that make_inputs.py wrote.
#pragma once

#include "steadfold/dataset.hpp"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

#ifdef STEADFOLD_HAS_HDF5
#define SKIP_WITHOUT_HDF5() (void)0
#else
#define SKIP_WITHOUT_HDF5() GTEST_SKIP() << "built without HDF5"
#endif

namespace inputs {

inline std::string path(std::string const& name) {
    return STEADFOLD_TEST_INPUTS "/" + name;
}

inline std::string bytes_of(std::string const& file) {
    std::ifstream in(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

struct expectation {
    std::string file, path, type, extents, oracle;
    std::vector<std::string> options;
    [[nodiscard]] std::string label() const { return file + ":" + path + " " + type; }
};

inline std::vector<std::string> split(std::string const& text, char separator) {
    std::vector<std::string> parts;
    std::istringstream in(text);
    for (std::string part; std::getline(in, part, separator);) parts.push_back(part);
    return parts;
}

inline std::vector<expectation> manifest() {
    std::vector<expectation> lines;
    std::ifstream in(path("manifest.tsv"));
    for (std::string line; std::getline(in, line);) {
        auto columns = split(line, '\t');
        columns.resize(6);
        lines.push_back({columns[0], columns[1], columns[2], columns[3], columns[4], split(columns[5], ',')});
    }
    return lines;
}

/// Base of tests that need the inputs.
class fixture : public testing::Test {
  protected:
    void SetUp() override {
        if (!std::filesystem::exists(path("manifest.tsv")))
            GTEST_SKIP() << "no inputs; run make_inputs.py (needs numpy and h5py), or use ctest";
    }
};

/// The message of the error that `work` throws; "" if it throws none.
template <class Error = steadfold::io_error, class Work>
std::string message(Work const& work) {
    try {
        work();
    } catch (Error const& failure) {
        return failure.what();
    }
    return "";
}

inline std::vector<std::byte> read(steadfold::dataset_spec const& spec, steadfold::read_options const& options = {}) {
    steadfold::dataset_reader reader(spec, options);
    std::vector<std::byte> data(static_cast<std::size_t>(reader.info().elements) * size_bytes(reader.info().type));
    read_all(reader, data.data());
    return data;
}

} // namespace inputs
