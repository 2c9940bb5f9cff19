#include "record/sample.hpp"
#include "steadfold/error.hpp"

#include <gtest/gtest.h>

using namespace record_tests;

TEST(record_without_hdf5, opening_says_what_to_install) {
    temporary_folder const folder;
    try {
        sf::run_record record{folder / "run.h5", sample_facts()};
        FAIL();
    } catch (sf::io_error const& e) {
        EXPECT_NE(std::string(e.what()).find("install libhdf5-dev"), std::string::npos) << e.what();
    }
    EXPECT_THROW(static_cast<void>(sf::read_record(folder / "run.h5")), sf::io_error);
}
