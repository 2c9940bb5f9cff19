#include "inputs.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <random>

namespace {
using namespace steadfold;

/// A damaged file may be read or refused; nothing else may happen to this process.
class corrupt : public inputs::fixture {
  protected:
    struct tally {
        int read = 0, refused = 0;
    };

    void try_to_read(std::string const& bytes) {
        auto const file = inputs::path("damaged.tmp");
        std::ofstream(file, std::ios::binary | std::ios::trunc) << bytes;
        read_options options;
        options.deadline = std::chrono::seconds{20};
        options.buffer_bytes = 1 << 16;
        try {
            for (auto const& info : list_datasets(file, options)) {
                if (!info.unsupported.empty()) continue;
                dataset_reader reader({file, info.path}, options);
                auto const count = std::min<std::int64_t>(reader.info().elements, reader.chunk_elements());
                reader.start(0, 0, count);
                reader.wait(0);
            }
            ++tally_.read;
        } catch (io_error const& failure) {
            EXPECT_NE(std::string(failure.what()).find(file), std::string::npos) << failure.what();
            ++tally_.refused;
        }
    }

    void damage(std::string const& good, int trials, std::size_t from, std::size_t to) {
        for (int trial = 0; trial < trials; ++trial) {
            auto bytes = good;
            auto const flips = 1 + random_() % 4;
            for (unsigned i = 0; i < flips; ++i)
                bytes[from + random_() % (to - from)] ^= static_cast<char>(1 + random_() % 255);
            try_to_read(bytes);
        }
    }

    std::mt19937 random_{20240611};
    tally tally_;
};

TEST_F(corrupt, hdf5_with_flipped_bytes) {
    SKIP_WITHOUT_HDF5();
    auto const good = inputs::bytes_of(inputs::path("seed.h5"));
    damage(good, 100, 0, good.size());
    damage(good, 100, 0, std::min<std::size_t>(good.size(), 2500)); // mostly metadata
    EXPECT_GT(tally_.refused, 20);
    EXPECT_GT(tally_.read, 20);
}

TEST_F(corrupt, hdf5_cut_short) {
    SKIP_WITHOUT_HDF5();
    auto const good = inputs::bytes_of(inputs::path("seed.h5"));
    for (int i = 0; i < 40; ++i) try_to_read(good.substr(0, good.size() * static_cast<std::size_t>(i) / 40));
    EXPECT_EQ(tally_.refused, 40);
}

TEST_F(corrupt, npy_with_flipped_bytes_and_cut_short) {
    auto const good = inputs::bytes_of(inputs::path("f4_4x3x5_f_be.npy"));
    damage(good, 100, 6, 128);
    for (std::size_t length = 0; length < good.size(); length += 9) try_to_read(good.substr(0, length));
    EXPECT_GT(tally_.refused, 60);
    EXPECT_GT(tally_.read, 5);
}
} // namespace
