#include "inputs.hpp"

#include <algorithm>
#include <cstring>
#include <gtest/gtest.h>
#include <numeric>
#include <random>

namespace {
using namespace steadfold;

read_options options_of(inputs::expectation const& line) {
    read_options options;
    for (auto const& option : line.options) {
        if (option == "unpack") options.unpack = true;
        if (option == "keep_missing") options.keep_missing = true;
    }
    return options;
}

bool is_readable(inputs::expectation const& line) {
#ifdef STEADFOLD_HAS_HDF5
    return !line.file.empty();
#else
    return line.file.ends_with(".npy");
#endif
}

std::string joined(std::vector<std::int64_t> const& extents) {
    std::string text;
    for (auto extent : extents) text += (text.empty() ? "" : "x") + std::to_string(extent);
    return text;
}

void check_info(inputs::expectation const& line, dataset_info const& info) {
    EXPECT_EQ(name(info.type), line.type);
    EXPECT_EQ(joined(info.extents), line.extents);
    EXPECT_EQ(info.elements,
              std::accumulate(info.extents.begin(), info.extents.end(), std::int64_t{1}, std::multiplies<>{}));
    std::optional<std::int64_t> missing;
    for (auto const& option : line.options) {
        if (option.starts_with("missing=")) missing = std::stoll(option.substr(8));
        if (!option.starts_with("layout=")) continue;
        for (auto const& word : inputs::split(option.substr(7), ' '))
            EXPECT_NE(info.layout.find(word), std::string::npos) << info.layout;
    }
    EXPECT_EQ(info.missing, missing);
    EXPECT_EQ(info.unsupported, "");
}

/// Bits must agree, but NaNs that stand for missing elements may have any payload.
bool same(std::vector<std::byte> const& found, std::string const& wanted, dtype type, bool any_nan) {
    if (found.size() != wanted.size()) return false;
    if (found.empty() || std::memcmp(found.data(), wanted.data(), wanted.size()) == 0) return true;
    if (!any_nan) return false;
    auto const bytes = size_bytes(type);
    auto const magnitude = [&](char const* at) {
        std::uint64_t bits = 0;
        std::memcpy(&bits, at, bytes);
        return bits & ~(std::uint64_t{1} << (8 * bytes - 1));
    };
    std::uint64_t const infinity = bytes == 2 ? 0x7c00 : bytes == 4 ? 0x7f800000 : 0x7ff0000000000000;
    for (std::size_t i = 0; i < wanted.size(); i += bytes) {
        auto const* const f = reinterpret_cast<char const*>(found.data()) + i;
        if (std::memcmp(f, wanted.data() + i, bytes) != 0 &&
            (magnitude(f) <= infinity || magnitude(wanted.data() + i) <= infinity))
            return false;
    }
    return true;
}

std::string oracle_of(std::string const& file) {
    for (auto const& line : inputs::manifest())
        if (line.file == file) return inputs::path(line.oracle);
    return "";
}

class reading : public inputs::fixture {};

TEST_F(reading, every_input_is_delivered_bit_for_bit) {
    std::size_t checked = 0;
    for (auto const& line : inputs::manifest()) {
        if (!is_readable(line)) continue;
        SCOPED_TRACE(line.label());
        dataset_reader reader({inputs::path(line.file), line.path}, options_of(line));
        check_info(line, reader.info());
        std::vector<std::byte> data(static_cast<std::size_t>(reader.info().elements) * size_bytes(reader.info().type));
        read_all(reader, data.data());
        EXPECT_TRUE(
            same(data, inputs::bytes_of(inputs::path(line.oracle)), reader.info().type, line.file == "missing.nc"));
        ++checked;
    }
    EXPECT_GT(checked, 300U);
}

TEST_F(reading, any_size_of_buffer_gives_the_same_bits) {
    for (auto const& line : inputs::manifest()) {
        bool const interesting = line.file == "layouts.h5" || line.file == "missing.nc" || line.file.starts_with("f4_");
        if (!interesting || !is_readable(line)) continue;
        SCOPED_TRACE(line.label());
        auto options = options_of(line);
        auto const whole = inputs::read({inputs::path(line.file), line.path}, options);
        for (std::size_t bytes : {std::size_t{1000}, std::size_t{4092}}) {
            options.buffer_bytes = bytes;
            EXPECT_EQ(inputs::read({inputs::path(line.file), line.path}, options), whole) << bytes;
        }
    }
}

TEST_F(reading, ranges_at_odd_offsets) {
    SKIP_WITHOUT_HDF5();
    std::minstd_rand random(7);
    for (auto const& line : inputs::manifest()) {
        if (line.path != "/deflated" && line.path != "/big" && line.file != "f4_4x3x5_f_be.npy") continue;
        SCOPED_TRACE(line.label());
        dataset_reader reader({inputs::path(line.file), line.path});
        auto const wanted = inputs::bytes_of(inputs::path(line.oracle));
        auto const total = static_cast<std::uint64_t>(reader.info().elements);
        for (int i = 0; i < 60; ++i) {
            auto const first = random() % total, count = random() % (total - first + 1);
            reader.start(i % 2, static_cast<std::int64_t>(first), static_cast<std::int64_t>(count));
            reader.wait(i % 2);
            ASSERT_EQ(std::memcmp(reader.buffer(i % 2), wanted.data() + 4 * first, 4 * count), 0)
                << first << " " << count;
        }
        EXPECT_GT(reader.read_seconds(), 0.0);
    }
}

TEST_F(reading, the_loop_in_the_header_visits_every_element_once) {
    for (std::size_t bytes : {std::size_t{16}, std::size_t{3 * 16}, std::size_t{1} << 20}) {
        std::string found;
        auto const fold = [&](std::byte const* data, std::int64_t elements) {
            found.append(reinterpret_cast<char const*>(data), static_cast<std::size_t>(elements) * 4);
        };
        read_options options;
        options.buffer_bytes = bytes;
        dataset_reader in({inputs::path("f4_33x70_f_be.npy"), {}}, options);
        std::int64_t const n = in.info().elements, step = in.chunk_elements();
        auto const count = [&](std::int64_t first) { return std::min(step, n - first); };
        if (n > 0) in.start(0, 0, count(0));
        int current = 0;
        for (std::int64_t first = 0; first < n; first += step, current = 1 - current) {
            std::int64_t const next = first + step;
            if (next < n) in.start(1 - current, next, count(next));
            in.wait(current);
            fold(in.buffer(current), count(first));
        }
        EXPECT_EQ(found, inputs::bytes_of(oracle_of("f4_33x70_f_be.npy")));
    }
}

TEST_F(reading, both_buffers_may_be_under_way_and_waited_for_in_any_order) {
    read_options options;
    options.raw_type = dtype::float64;
    options.buffer_bytes = 4000;
    dataset_reader reader({inputs::path("le.raw"), {}}, options);
    auto const wanted = inputs::bytes_of(inputs::path("le.raw"));
    EXPECT_EQ(reader.chunk_elements(), 500);
    reader.start(0, 3, 500);
    reader.start(1, 500, 499);
    reader.wait(1);
    EXPECT_EQ(std::memcmp(reader.buffer(1), wanted.data() + 4000, 499 * 8), 0);
    reader.wait(0);
    EXPECT_EQ(std::memcmp(reader.buffer(0), wanted.data() + 24, 4000), 0);
}

/// Bytes that a process has asked the system to read; nothing where this is not told.
std::optional<long long> bytes_read_by(int process) {
    std::ifstream in("/proc/" + std::to_string(process) + "/io");
    std::string word;
    long long bytes = 0;
    if (in >> word >> bytes && word == "rchar:") return bytes;
    return {};
}

TEST_F(reading, ranges_that_share_chunks_do_not_read_them_again) {
    SKIP_WITHOUT_HDF5();
    read_options options;
    options.buffer_bytes = 500000;
    dataset_reader reader({inputs::path("chunk_rows.h5"), "/x"}, options);
    auto const before = bytes_read_by(reader.process_id());
    if (!before) GTEST_SKIP() << "this system does not count the bytes a process reads";
    std::vector<float> data(static_cast<std::size_t>(reader.info().elements));
    read_all(reader, data.data());
    auto const spent = *bytes_read_by(reader.process_id()) - *before;
    auto const size = static_cast<long long>(data.size() * sizeof(float)); // random bits do not shrink
    EXPECT_GT(spent, size * 9 / 10);
    EXPECT_LT(spent, size * 13 / 10);
}

TEST_F(reading, more_than_2_to_the_32_elements) {
    auto const file = inputs::path("sparse.raw");
    std::ofstream(file) << "";
    auto const elements = (std::int64_t{1} << 32) + 5;
    std::filesystem::resize_file(file, static_cast<std::uintmax_t>(elements));
    {
        std::ofstream out(file, std::ios::binary | std::ios::in);
        out.seekp(elements - 2) << "*+";
    }
    read_options options;
    options.raw_type = dtype::int8;
    dataset_reader reader({file, {}}, options);
    EXPECT_EQ(reader.info().elements, elements);
    reader.start(1, elements - 3, 3);
    reader.wait(1);
    EXPECT_EQ(std::memcmp(reader.buffer(1), "\0*+", 3), 0);
    std::filesystem::remove(file);
}

TEST_F(reading, more_than_2_to_the_41_elements_of_hdf5) {
    SKIP_WITHOUT_HDF5();
    dataset_reader reader({inputs::path("huge.h5"), {}});
    auto const row = std::int64_t{1} << 22;
    EXPECT_EQ(reader.info().elements, std::int64_t{1} << 42);
    reader.start(0, (row << 19) - 2, 12);
    reader.wait(0);
    EXPECT_EQ(std::memcmp(reader.buffer(0), "\7\7\7\7\7\7\7\1\2\3\7\7", 12), 0);
}

TEST_F(reading, raw_files_with_an_offset_and_both_byte_orders) {
    auto const wanted = inputs::bytes_of(inputs::path("le.raw"));
    auto const as_text = [](std::vector<std::byte> const& data) {
        return std::string(reinterpret_cast<char const*>(data.data()), data.size());
    };
    read_options options;
    options.raw_type = dtype::float64;
    EXPECT_EQ(as_text(inputs::read({inputs::path("le.raw"), {}}, options)), wanted);
    options.raw_offset_bytes = 7;
    EXPECT_EQ(as_text(inputs::read({inputs::path("offset.raw"), {}}, options)), wanted);
    options = {};
    options.raw_type = dtype::float64;
    options.raw_big_endian = true;
    EXPECT_EQ(as_text(inputs::read({inputs::path("be.raw"), {}}, options)), wanted);
    EXPECT_TRUE(inputs::read({inputs::path("empty.raw"), {}}, options).empty());
}

TEST_F(reading, wrong_ranges_and_buffers_are_found_before_any_work) {
    read_options options;
    options.raw_type = dtype::float64;
    options.buffer_bytes = 800;
    dataset_reader reader({inputs::path("le.raw"), {}}, options);
    auto const largest = std::numeric_limits<std::int64_t>::max();
    EXPECT_THROW(reader.start(0, -1, 1), argument_error);
    EXPECT_THROW(reader.start(0, 0, -1), argument_error);
    EXPECT_THROW(reader.start(0, 951, 50), argument_error);
    EXPECT_THROW(reader.start(0, largest, largest), argument_error);
    EXPECT_THROW(reader.start(0, largest, 5), argument_error);
    EXPECT_THROW(reader.start(0, 0, 101), argument_error);
    EXPECT_THROW(reader.start(2, 0, 1), argument_error);
    EXPECT_THROW(reader.wait(0), argument_error);
    EXPECT_THROW(reader.wait(-1), argument_error);
    reader.start(0, 1000, 0);
    EXPECT_THROW(reader.start(0, 0, 1), argument_error) << "still being filled";
    reader.wait(0);
    EXPECT_THROW(reader.wait(0), argument_error);
    options.buffer_bytes = 8;
    EXPECT_THROW(dataset_reader({inputs::path("le.raw"), {}}, options), argument_error);
    options = {};
    options.deadline = std::chrono::seconds{0};
    EXPECT_THROW(dataset_reader({inputs::path("le.raw"), {}}, options), argument_error);
}
} // namespace
