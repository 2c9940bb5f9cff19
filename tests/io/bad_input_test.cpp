#include "inputs.hpp"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace {
using namespace steadfold;

class bad_input : public inputs::fixture {
  protected:
    /// The message names the file, is one line and says every one of `words`.
    static void expect(std::string const& file, std::string const& path, std::vector<std::string> const& words,
                       read_options const& options = {}) {
        auto const text = inputs::message([&] { (void)dataset_reader({file, path}, options); });
        EXPECT_EQ(text.find(file), 0U) << text;
        EXPECT_EQ(text.find('\n'), std::string::npos) << text;
        for (auto const& word : words)
            EXPECT_NE(text.find(word), std::string::npos) << "\"" << word << "\" in: " << text;
    }
    static read_options raw(dtype type) {
        read_options options;
        options.raw_type = type;
        return options;
    }
};

TEST_F(bad_input, files_that_cannot_be_opened) {
    expect(inputs::path("no_such_file.h5"), "", {"no such file"});
    expect(inputs::path(""), "", {"directory"});
    auto const fifo = inputs::path("fifo");
    ASSERT_TRUE(::mkfifo(fifo.c_str(), 0600) == 0 || errno == EEXIST);
    expect(fifo, "", {"not a regular file"});
    if (::geteuid() == 0) return; // root may read everything
    auto const secret = inputs::path("secret.npy");
    std::ofstream(secret) << "x";
    std::filesystem::permissions(secret, std::filesystem::perms::none);
    expect(secret, "", {"no permission"});
    std::filesystem::remove(secret);
}

TEST_F(bad_input, what_an_unknown_file_looks_like) {
    expect(inputs::path("empty.raw"), "", {"is empty"});
    expect(inputs::path("raw.bin"), "", {"--dtype"});
    expect(inputs::path("notes.txt"), "", {"text file"});
    expect(inputs::path("classic.nc"), "", {"netCDF-3", "nccopy -k nc4"});
    expect(inputs::path("packed.gz"), "", {"gzip"});
}

TEST_F(bad_input, raw_files_whose_size_does_not_fit) {
    expect(inputs::path("offset.raw"), "", {"8007 bytes", "8 bytes of a float64"}, raw(dtype::float64));
    auto options = raw(dtype::float64);
    options.raw_offset_bytes = 9000;
    expect(inputs::path("offset.raw"), "", {"offset of 9000", "8007"}, options);
    expect(inputs::path("le.raw"), "/x", {"no data set \"/x\""}, raw(dtype::float64));
}

TEST_F(bad_input, npy_files) {
    expect(inputs::path("text.npy"), "", {"strings", "<U1"});
    expect(inputs::path("object.npy"), "", {"Python objects"});
    expect(inputs::path("record.npy"), "", {"structured"});
    expect(inputs::path("long_double.npy"), "", {"<f16"});
    expect(inputs::path("truncated.npy"), "", {"truncated", "expected 528", "has 523"});
    expect(inputs::path("only_magic.npy"), "", {"shorter than an npy header"});
    expect(inputs::path("short_header.npy"), "", {"truncated", "expected 128", "has 40"});
    expect(inputs::path("large_shape.npy"), "", {"truncated", "expected 4000000128"});
    expect(inputs::path("overflow.npy"), "", {"2^63"});
    expect(inputs::path("bool.npy"), "/x", {"no data set \"/x\""});
}

TEST_F(bad_input, hdf5_files_where_the_library_has_no_hdf5) {
#ifdef STEADFOLD_HAS_HDF5
    GTEST_SKIP() << "built with HDF5";
#endif
    expect(inputs::path("single.h5"), "", {"this build has no HDF5", "libhdf5-dev"});
}

TEST_F(bad_input, hdf5_types_are_named) {
    SKIP_WITHOUT_HDF5();
    auto const file = inputs::path("bad.h5");
    expect(file, "string", {"/string", "variable-length string"});
    expect(file, "fixed", {"/fixed", "string of 3 bytes"});
    expect(file, "compound", {"/compound", "compound {x: little-endian float32, n: little-endian int32}"});
    expect(file, "long_double", {"/long_double", "80-bit floating point"});
    expect(file, "opaque", {"/opaque", "opaque"});
    expect(file, "vlen", {"/vlen", "variable-length sequence"});
    expect(file, "reference", {"/reference", "reference"});
    expect(file, "array", {"/array", "array inside"});
    expect(file, "bitfield", {"/bitfield", "16-bit bitfield"});
    expect(file, "int24", {"/int24", "int24"});
    expect(file, "lzf", {"/lzf", "32000", "lzf", "HDF5_PLUGIN_PATH"});
}

TEST_F(bad_input, a_missing_data_set_is_answered_with_names_alike) {
    SKIP_WITHOUT_HDF5();
    expect(inputs::path("bad.h5"), "/many/temperature_13",
           {"no data set /many/temperature_13", "/many/temperature_03, /many/temperature_10", "and 16 more"});
    expect(inputs::path("bad.h5"), "group", {"group is a group"});
    expect(inputs::path("bad.h5"), "", {"holds 13 data sets", "FILE:DATASET"});
    expect(inputs::path("layouts.h5"), "/links/dangling", {"link /links/dangling leads nowhere"});
    expect(inputs::path("layouts.h5"), "/links/loop", {"link /links/loop leads nowhere"});
    expect(inputs::path("layouts.h5"), "/links/gone", {"link /links/gone leads nowhere", "no_such_file.h5"});
    expect(inputs::path("none.h5"), "/x", {"holds none"});
    expect(inputs::path("none.h5"), "", {"holds no data set"});
    expect(inputs::path("strings.h5"), "", {"/only", "string"});
}

TEST_F(bad_input, a_file_that_a_writer_has_locked) {
    SKIP_WITHOUT_HDF5();
    int const writer = ::open(inputs::path("single.h5").c_str(), O_RDONLY);
    ASSERT_EQ(::flock(writer, LOCK_EX | LOCK_NB), 0);
    expect(inputs::path("single.h5"), "", {"locked", "HDF5_USE_FILE_LOCKING=FALSE"});
    ::close(writer);
    EXPECT_EQ(inputs::read({inputs::path("single.h5"), ""}).size(), 36U);
}

TEST_F(bad_input, a_truncated_hdf5_file) {
    SKIP_WITHOUT_HDF5();
    expect(inputs::path("truncated.h5"), "/line", {"truncated file"});
}

TEST_F(bad_input, a_damaged_chunk_fails_its_reads_and_leaves_the_reader_usable) {
    SKIP_WITHOUT_HDF5();
    dataset_reader reader({inputs::path("damaged_chunk.h5"), "x"});
    reader.start(0, 0, 1000);
    reader.start(1, 600, 400);
    auto const text = inputs::message([&] { reader.wait(0); });
    EXPECT_NE(text.find("/x"), std::string::npos) << text;
    EXPECT_NE(text.find("corrupt"), std::string::npos) << text;
    reader.wait(1);
    std::int64_t first = 0;
    std::memcpy(&first, reader.buffer(1), sizeof first);
    EXPECT_EQ(first, 600);

    std::vector<std::int64_t> all(1000);
    read_options options;
    options.buffer_bytes = 1600;
    dataset_reader pieces({inputs::path("damaged_chunk.h5"), "x"}, options);
    EXPECT_THROW(read_all(pieces, all.data()), io_error);
    for (int buffer : {0, 1}) {
        pieces.start(buffer, 0, 100);
        pieces.wait(buffer);
    }
}

TEST_F(bad_input, memory_beyond_the_limit_is_an_error) {
    SKIP_WITHOUT_HDF5();
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    GTEST_SKIP() << "address space is not limited under a sanitizer";
#endif
    read_options options;
    options.memory_limit_bytes = 1 << 20;
    auto const text = inputs::message([&] { (void)inputs::read({inputs::path("large_chunk.h5"), "x"}, options); });
    EXPECT_NE(text.find("more than the 1 MiB"), std::string::npos) << text;
    options.memory_limit_bytes = std::size_t{1} << 30;
    EXPECT_EQ(inputs::read({inputs::path("large_chunk.h5"), "x"}, options).size(), std::size_t{32} << 20);
}
} // namespace
