#include "inputs.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <map>

namespace {
using namespace steadfold;

class listing : public inputs::fixture {
  protected:
    static std::map<std::string, dataset_info> list(std::string const& file) {
        std::map<std::string, dataset_info> found;
        for (auto& info : list_datasets(file)) {
            auto const path = info.path;
            EXPECT_TRUE(found.emplace(path, std::move(info)).second) << path << " is listed twice";
        }
        return found;
    }
};

TEST_F(listing, links_that_form_cycles_end) {
    SKIP_WITHOUT_HDF5();
    auto const found = list(inputs::path("layouts.h5"));
    EXPECT_EQ(found.size(), 11U);
    EXPECT_EQ(found.at("/deflated").extents, (std::vector<std::int64_t>{23, 17, 29}));
    EXPECT_EQ(found.at("/big").stored_type, "big-endian float32");
    EXPECT_EQ(found.at("/null").elements, 0);
}

TEST_F(listing, what_cannot_be_read_is_listed_with_the_reason) {
    SKIP_WITHOUT_HDF5();
    auto const found = list(inputs::path("bad.h5"));
    EXPECT_EQ(found.at("/fine").unsupported, "");
    for (auto const* path : {"/string", "/fixed", "/compound", "/long_double", "/opaque", "/array", "/vlen",
                             "/reference", "/lzf", "/bitfield", "/int24"})
        EXPECT_NE(found.at(path).unsupported, "") << path;
    EXPECT_EQ(found.at("/compound").stored_type, "compound {x: little-endian float32, n: little-endian int32}");
    EXPECT_EQ(found.size(), 24U);
}

TEST_F(listing, units_and_missing_values_are_told) {
    SKIP_WITHOUT_HDF5();
    auto const found = list(inputs::path("missing.nc"));
    EXPECT_EQ(found.at("/f4").units, "hPa");
    EXPECT_TRUE(found.at("/f4").declares_missing);
    EXPECT_FALSE(found.at("/f4").missing);
    EXPECT_EQ(found.at("/i2").missing, -32767);
    EXPECT_FALSE(found.at("/text").declares_missing);
    EXPECT_FALSE(found.at("/i2_impossible").declares_missing);
}

TEST_F(listing, a_flat_file_is_one_data_set) {
    auto const npy = list_datasets(inputs::path("bool.npy"));
    ASSERT_EQ(npy.size(), 1U);
    EXPECT_EQ(npy[0].format, file_format::npy);
    EXPECT_EQ(npy[0].stored_type, "bool");
    read_options options;
    options.raw_type = dtype::int16;
    EXPECT_EQ(list_datasets(inputs::path("le.raw"), options).at(0).elements, 4000);
}

TEST(real_data, a_netcdf_file_of_a_distribution_package) {
    SKIP_WITHOUT_HDF5();
    std::string const file = "/usr/share/gmt-gshhg/binned_GSHHS_l.nc";
    if (!std::filesystem::exists(file)) GTEST_SKIP() << "package gmt-gshhg-low is not installed";
    auto const found = list_datasets(file);
    EXPECT_GT(found.size(), 10U);
    dataset_reader reader({file, "The_km_squared_area_of_polygons"});
    std::vector<double> areas(static_cast<std::size_t>(reader.info().elements));
    ASSERT_EQ(reader.info().type, dtype::float64);
    read_all(reader, areas.data());
    // the largest polygon is Eurasia with Africa
    EXPECT_NEAR(*std::ranges::max_element(areas), 5.07e7, 0.1e7);
}
} // namespace
