#include "steadfold/dataset.hpp"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <unistd.h>

namespace {
using namespace steadfold;
namespace fs = std::filesystem;

class input_names : public testing::Test {
  protected:
    void SetUp() override {
        std::string pattern = (fs::temp_directory_path() / "steadfold_names_XXXXXX").string();
        ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
        directory_ = pattern;
        before_ = fs::current_path();
        fs::current_path(directory_);
    }
    void TearDown() override {
        fs::current_path(before_);
        fs::remove_all(directory_);
    }
    static void touch(std::string const& name) { std::ofstream(name) << "x"; }
    static void expect(std::string const& text, std::string const& file, std::string const& path) {
        auto const spec = parse_dataset_spec(text);
        EXPECT_EQ(spec.file, file) << text;
        EXPECT_EQ(spec.path, path) << text;
    }
    fs::path directory_, before_;
};

TEST_F(input_names, the_longest_existing_prefix_is_the_file) {
    touch("run.h5");
    touch("at_12:30.h5");
    expect("run.h5", "run.h5", "");
    expect("run.h5:/a/b", "run.h5", "/a/b");
    expect("run.h5:a:b", "run.h5", "a:b");
    expect("run.h5:", "run.h5", "");
    expect("at_12:30.h5", "at_12:30.h5", "");
    expect("at_12:30.h5:/x:y", "at_12:30.h5", "/x:y");
    touch("run.h5:a");
    expect("run.h5:a", "run.h5:a", "");
    expect("run.h5:a:b", "run.h5:a", "b");
}

TEST_F(input_names, a_missing_file_is_split_as_it_was_meant) {
    expect("no.h5", "no.h5", "");
    expect("no.h5:/a:b", "no.h5", "/a:b");
    expect("no.h5:p", "no.h5", "p");
    EXPECT_THROW((void)parse_dataset_spec(""), argument_error);
    EXPECT_THROW((void)parse_dataset_spec(":/x"), argument_error);
}

TEST_F(input_names, patterns_expand_in_order_and_keep_their_data_set) {
    for (auto const* name : {"b.h5", "a.h5", "c.npy", "odd[1].npy"}) touch(name);
    using list = std::vector<std::string>;
    EXPECT_EQ(expand_inputs("*.h5"), (list{"a.h5", "b.h5"}));
    EXPECT_EQ(expand_inputs("?.h5:/p/q"), (list{"a.h5:/p/q", "b.h5:/p/q"}));
    EXPECT_EQ(expand_inputs("[bc].*"), (list{"b.h5", "c.npy"}));
    EXPECT_EQ(expand_inputs("c.npy"), (list{"c.npy"}));
    EXPECT_EQ(expand_inputs("a.h5:/x[1]"), (list{"a.h5:/x[1]"}));
    EXPECT_EQ(expand_inputs("odd[1].npy"), (list{"odd[1].npy"}));
}

TEST_F(input_names, a_pattern_without_a_match_is_named) {
    for (std::string const pattern : {"*.nc", "nothing.h5", "*.nc:/x"}) {
        try {
            (void)expand_inputs(pattern);
            ADD_FAILURE() << pattern;
        } catch (io_error const& failure) {
            EXPECT_NE(std::string(failure.what()).find(pattern.substr(0, pattern.find(':'))), std::string::npos);
        }
    }
}
} // namespace
