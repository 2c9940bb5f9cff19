// Files into partitioned arrays, and reductions over them: whatever the partition, the same bits.
#include "steadfold/array.hpp"
#include "steadfold/error.hpp"
#include "steadfold/read.hpp"
#include "steadfold/reduce.hpp"

#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <unistd.h>

namespace {

namespace sf = steadfold;

/// A raw file of doubles that is removed at the end.
class raw_file {
  public:
    explicit raw_file(std::vector<double> const& values)
        : path_(std::filesystem::temp_directory_path() / ("steadfold_read_" + std::to_string(::getpid()) + ".bin")) {
        std::ofstream out(path_, std::ios::binary);
        out.write(reinterpret_cast<char const*>(values.data()), static_cast<std::streamsize>(8 * values.size()));
    }
    ~raw_file() { std::filesystem::remove(path_); }
    [[nodiscard]] std::string name() const { return path_.string(); }

  private:
    std::filesystem::path path_;
};

std::vector<double> some_values(int n) {
    std::vector<double> values;
    for (int i = 0; i < n; ++i) values.push_back(std::ldexp(std::sin(i + 1.0), i % 90 - 45));
    return values;
}

sf::read_options small_buffers() {
    sf::read_options options;
    options.raw_type = sf::dtype::float64;
    options.buffer_bytes = 4096; // many chunks
    return options;
}

TEST(read_array, fills_every_shard_of_every_rank_and_reduces_to_the_same_bits) {
    std::vector<double> const values = some_values(5003);
    raw_file const file{values};
    auto const ops = sf::sum | sf::variance | sf::extrema;
    auto const expected = sf::reduce({}, sf::view<double const>(values), ops);
    for (int const ranks : {1, 3, 7})
        for (int const domains : {1, 4}) {
            sf::partition const layout = sf::block_partition({5003}, {ranks, 2, domains});
            sf::reduction whole{sf::dtype::float64, ops};
            for (int rank = 0; rank < ranks; ++rank) {
                sf::array<double> part{layout, rank};
                sf::read(part, file.name(), small_buffers());
                for (auto const& shard : part.shards()) {
                    for (std::int64_t i = 0; i < shard.range.count; ++i)
                        ASSERT_EQ(shard.data.data()[i], values[static_cast<std::size_t>(shard.range.first + i)]);
                    whole.add(shard.data, shard.range.first);
                }
                if (ranks == 1) {
                    EXPECT_EQ(sf::reduce({}, part, ops).raw, expected.raw);
                }
            }
            EXPECT_EQ(whole.finish(), expected.raw) << ranks << " ranks, " << domains << " domains";
        }
}

TEST(read_array, names_what_does_not_fit) {
    raw_file const file{some_values(100)};
    auto const message = [&](auto& into) -> std::string {
        try {
            sf::read(into, file.name(), small_buffers());
        } catch (sf::argument_error const& e) {
            return e.what();
        }
        return "no error";
    };
    sf::array<double> wrong_length{sf::block_partition({101})};
    EXPECT_NE(message(wrong_length).find("101"), std::string::npos);
    sf::array<float> wrong_type{sf::block_partition({100})};
    EXPECT_NE(message(wrong_type).find("float32"), std::string::npos);
}

} // namespace
