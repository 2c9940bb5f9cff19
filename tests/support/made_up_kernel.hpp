// The kernel's files, made up in a folder that goes with the test.
#pragma once

#include "base/kernel_files.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <string>
#include <unistd.h>

namespace made_up {

class kernel_files : public testing::Test {
  protected:
    void SetUp() override {
        std::string name = (std::filesystem::temp_directory_path() / "steadfold_kernel_XXXXXX").string();
        ASSERT_NE(mkdtemp(name.data()), nullptr);
        root_ = name;
        roots_ = {root_ / "sys", root_ / "proc"};
    }
    void TearDown() override { std::filesystem::remove_all(root_); }
    void write(std::string const& file, std::string const& text) {
        std::filesystem::create_directories((root_ / file).parent_path());
        std::ofstream(root_ / file) << text;
    }

    std::filesystem::path root_;
    steadfold::base::system_roots roots_;
};

} // namespace made_up
