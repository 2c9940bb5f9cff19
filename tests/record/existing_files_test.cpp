#include "record/sample.hpp"
#include "steadfold/error.hpp"

#include <fstream>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>

using namespace record_tests;

namespace {

void put_text(fs::path const& path, std::string const& text) {
    std::ofstream(path) << text;
}

std::string text_of(fs::path const& path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
}

template <class Call>
std::string io_error_of(Call&& call) {
    try {
        call();
    } catch (sf::io_error const& e) {
        return e.what();
    }
    return "no io_error";
}

sf::run_record open_record(fs::path const& path, sf::record_options options = {}) {
    return sf::run_record{path, sample_facts(), options};
}

} // namespace

TEST(record_files, the_file_is_partial_until_closed) {
    temporary_folder const folder;
    auto record = open_record(folder / "run.h5");
    EXPECT_TRUE(fs::exists(folder / "run.h5.partial"));
    EXPECT_FALSE(fs::exists(folder / "run.h5"));
    record.close();
    EXPECT_FALSE(fs::exists(folder / "run.h5.partial"));
    EXPECT_TRUE(fs::exists(folder / "run.h5"));
    record.close(sf::run_status::failed); // does nothing
    EXPECT_EQ(sf::read_record(folder / "run.h5").status, sf::run_status::complete);
}

TEST(record_files, without_close_it_stays_partial_and_running) {
    temporary_folder const folder;
    open_record(folder / "run.h5").append(sample_operations(0, 3));
    EXPECT_FALSE(fs::exists(folder / "run.h5"));
    sf::record_contents const read = sf::read_record(folder / "run.h5");
    EXPECT_TRUE(read.partial);
    EXPECT_EQ(read.file, folder / "run.h5.partial");
    EXPECT_EQ(read.status, sf::run_status::running);
    EXPECT_EQ(read.end_time, "");
    EXPECT_EQ(read.operations, sample_operations(0, 3));
}

TEST(record_files, a_moved_record_goes_on) {
    temporary_folder const folder;
    auto first = open_record(folder / "run.h5");
    first.append(sample_operations(0, 1));
    sf::run_record second = std::move(first);
    second.append(sample_operations(1, 1));
    second.close();
    EXPECT_EQ(sf::read_record(folder / "run.h5").operations, sample_operations(0, 2));
}

TEST(record_files, an_existing_record_is_refused) {
    temporary_folder const folder;
    put_text(folder / "run.h5", "precious");
    std::string const what = io_error_of([&] { open_record(folder / "run.h5"); });
    EXPECT_NE(what.find("exists: remove it, or choose another name"), std::string::npos) << what;
    EXPECT_EQ(text_of(folder / "run.h5"), "precious");
    EXPECT_FALSE(fs::exists(folder / "run.h5.partial"));
}

TEST(record_files, an_overwritten_record_stays_until_close) {
    temporary_folder const folder;
    put_text(folder / "run.h5", "precious");
    auto record = open_record(folder / "run.h5", {.existing = sf::existing_record::overwrite});
    EXPECT_EQ(text_of(folder / "run.h5"), "precious");
    record.close();
    EXPECT_EQ(sf::read_record(folder / "run.h5").status, sf::run_status::complete);
}

TEST(record_files, a_unique_name_is_found) {
    temporary_folder const folder;
    put_text(folder / "run.h5", "precious");
    put_text(folder / "run-1.h5.partial", "precious");
    auto record = open_record(folder / "run.h5", {.existing = sf::existing_record::unique});
    EXPECT_EQ(record.path(), folder / "run-2.h5");
    record.close();
    EXPECT_TRUE(fs::exists(folder / "run-2.h5"));
}

TEST(record_files, many_writers_find_different_unique_names) {
    temporary_folder const folder;
    std::vector<pid_t> writers;
    for (int i = 0; i < 8; ++i) {
        writers.push_back(::fork());
        if (writers.back() != 0) continue;
        try {
            for (int k = 0; k < 5; ++k)
                open_record(folder / "run.h5", {.existing = sf::existing_record::unique}).close();
            ::_exit(0);
        } catch (std::exception const& e) {
            std::fprintf(stderr, "%s\n", e.what());
            ::_exit(1);
        }
    }
    for (pid_t const writer : writers) {
        int status = 0;
        ::waitpid(writer, &status, 0);
        EXPECT_EQ(status, 0);
    }
    auto const files = std::distance(fs::directory_iterator(folder.path()), fs::directory_iterator());
    EXPECT_EQ(files, 40);
}

TEST(record_files, a_stale_partial_is_replaced_only_if_asked) {
    temporary_folder const folder;
    open_record(folder / "run.h5").append(sample_operations(0, 3));
    std::string const what = io_error_of([&] { open_record(folder / "run.h5"); });
    EXPECT_NE(what.find("run.h5.partial exists"), std::string::npos) << what;
    EXPECT_EQ(sf::read_record(folder / "run.h5").operations.size(), 3U);
    open_record(folder / "run.h5", {.replace_stale_partial = true}).close();
    EXPECT_TRUE(sf::read_record(folder / "run.h5").operations.empty());
}

TEST(record_files, a_partial_that_is_being_written_is_never_replaced) {
    temporary_folder const folder;
    auto writer = open_record(folder / "run.h5");
    std::string const what = io_error_of([&] { open_record(folder / "run.h5", {.replace_stale_partial = true}); });
    EXPECT_NE(what.find("being written by another process"), std::string::npos) << what;
    writer.close();
    EXPECT_EQ(sf::read_record(folder / "run.h5").status, sf::run_status::complete);
}

TEST(record_files, a_name_taken_meanwhile_is_not_overwritten) {
    temporary_folder const folder;
    auto record = open_record(folder / "run.h5");
    put_text(folder / "run.h5", "precious");
    std::string const what = io_error_of([&] { record.close(); });
    EXPECT_NE(what.find("was made by another process meanwhile"), std::string::npos) << what;
    EXPECT_EQ(text_of(folder / "run.h5"), "precious");
    EXPECT_EQ(sf::read_record(folder / "run.h5.partial").status, sf::run_status::complete);
}

TEST(record_files, a_missing_folder_is_named) {
    temporary_folder const folder;
    std::string const what = io_error_of([&] { open_record(folder / "none/run.h5"); });
    EXPECT_NE(what.find("there is no folder"), std::string::npos) << what;
}
