#include "inputs.hpp"

#ifdef STEADFOLD_HAS_HDF5
#include <hdf5.h>
#endif

#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <set>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace {
using namespace steadfold;
using namespace std::chrono_literals;
using clock_type = std::chrono::steady_clock;

int open_descriptors() {
    int count = 0;
    for ([[maybe_unused]] auto const& entry : std::filesystem::directory_iterator("/proc/self/fd")) ++count;
    return count;
}

bool has_children() {
    return ::waitpid(-1, nullptr, WNOHANG) >= 0;
}

bool is_alive(int process) {
    return ::kill(process, 0) == 0;
}

class process : public inputs::fixture {
  protected:
    static read_options raw(std::chrono::nanoseconds deadline = 60s) {
        read_options options;
        options.raw_type = dtype::float64;
        options.deadline = deadline;
        return options;
    }
    dataset_spec const spec_{inputs::path("le.raw"), {}};
};

TEST_F(process, nothing_is_left_behind) {
    int const before = open_descriptors();
    ASSERT_FALSE(has_children());
    for (int i = 0; i < 20; ++i) {
        dataset_reader reader(spec_, raw());
        if (i % 2 == 0) reader.start(0, 0, 1000);
        if (i % 4 == 0) reader.wait(0);
    }
    for (int i = 0; i < 5; ++i) {
        (void)list_datasets(spec_.file, raw());
        EXPECT_THROW((void)dataset_reader({inputs::path("none"), {}}), io_error);
    }
    EXPECT_EQ(open_descriptors(), before);
    EXPECT_FALSE(has_children());
}

TEST_F(process, a_killed_child_is_an_error_at_once_and_again) {
    dataset_reader reader(spec_, raw());
    ::kill(reader.process_id(), SIGSTOP);
    reader.start(0, 0, 10);
    ::kill(reader.process_id(), SIGKILL);
    auto const begin = clock_type::now();
    auto const text = inputs::message([&] { reader.wait(0); });
    EXPECT_LT(clock_type::now() - begin, 2s);
    EXPECT_EQ(text.find(spec_.file), 0U);
    EXPECT_NE(text.find("killed"), std::string::npos) << text;
    EXPECT_EQ(inputs::message([&] { reader.wait(0); }), text);
    EXPECT_EQ(inputs::message([&] { reader.start(1, 0, 1); }), text);
    EXPECT_FALSE(has_children());
}

TEST_F(process, a_crash_names_its_signal) {
    for (auto [signal, word] : {std::pair{SIGSEGV, "signal 11"}, {SIGABRT, "signal 6"}, {SIGBUS, "became shorter"}}) {
        dataset_reader reader(spec_, raw());
        ::kill(reader.process_id(), signal);
        auto const text = inputs::message([&] {
            reader.start(0, 0, 10);
            reader.wait(0);
        });
        EXPECT_NE(text.find(word), std::string::npos) << text;
    }
}

TEST_F(process, a_child_that_hangs_is_a_timeout_and_is_killed) {
    dataset_reader reader(spec_, raw(1s));
    int const child = reader.process_id();
    ::kill(child, SIGSTOP);
    reader.start(0, 0, 10);
    auto const begin = clock_type::now();
    auto const text = inputs::message<timeout_error>([&] { reader.wait(0); });
    auto const waited = clock_type::now() - begin;
    EXPECT_GE(waited, 1s);
    EXPECT_LT(waited, 5s);
    EXPECT_EQ(text.find(spec_.file), 0U) << text;
    EXPECT_NE(text.find("1 s"), std::string::npos) << text;
    EXPECT_FALSE(is_alive(child));
    EXPECT_NE(inputs::message<timeout_error>([&] { reader.start(1, 0, 1); }), "");
}

TEST_F(process, time_that_the_caller_spends_elsewhere_is_not_held_against_the_child) {
    dataset_reader reader(spec_, raw(1s));
    reader.start(0, 0, 10);
    std::this_thread::sleep_for(1300ms);
    reader.wait(0);
}

TEST_F(process, a_file_cut_while_it_is_mapped) {
    auto const file = inputs::path("cut.npy");
    auto const good = inputs::bytes_of(inputs::path("f4_2x35x40_f_le.npy"));
    std::ofstream(file, std::ios::binary) << good;
    dataset_reader reader({file, {}});
    std::filesystem::resize_file(file, 0);
    reader.start(0, 0, 2800);
    auto const text = inputs::message([&] { reader.wait(0); });
    EXPECT_NE(text.find("became shorter"), std::string::npos) << text;
}

TEST_F(process, a_file_cut_while_it_is_read) {
    auto const file = inputs::path("cut.raw");
    std::ofstream(file, std::ios::binary) << inputs::bytes_of(spec_.file);
    dataset_reader reader({file, {}}, raw());
    std::filesystem::resize_file(file, 4000);
    reader.start(0, 0, 1000);
    auto const text = inputs::message([&] { reader.wait(0); });
    EXPECT_NE(text.find("expected 8000 bytes, it has 4000"), std::string::npos) << text;
}

TEST_F(process, the_child_has_no_descriptor_of_the_parent) {
    int const pipe_end = ::open("/dev/null", O_RDONLY); // without O_CLOEXEC
    dataset_reader reader(spec_, raw());
    std::set<std::string> targets;
    auto const directory = "/proc/" + std::to_string(reader.process_id()) + "/fd";
    for (auto const& entry : std::filesystem::directory_iterator(directory)) {
        auto const target = std::filesystem::read_symlink(entry.path()).string();
        targets.insert(target.substr(0, target.find(':')));
        EXPECT_LT(std::stoi(entry.path().filename().string()), 5);
    }
    EXPECT_TRUE(targets.contains("socket"));
    EXPECT_TRUE(targets.contains(std::filesystem::canonical(spec_.file).string()));
    ::close(pipe_end);
}

TEST_F(process, a_reader_may_be_moved) {
    dataset_reader first(spec_, raw());
    auto* const memory = first.buffer(0);
    first.start(0, 0, 5);
    dataset_reader second(std::move(first));
    EXPECT_EQ(second.buffer(0), memory);
    second.wait(0);
    second = dataset_reader(spec_, raw());
    second.start(0, 0, 5);
    second.wait(0);
}

TEST_F(process, a_reader_outlives_the_thread_that_made_it) {
    std::optional<dataset_reader> reader;
    std::thread([&] { reader.emplace(spec_, raw()); }).join();
    std::this_thread::sleep_for(50ms);
    reader->start(0, 0, 10);
    reader->wait(0);
    EXPECT_EQ(std::memcmp(reader->buffer(0), inputs::bytes_of(spec_.file).data(), 80), 0);
}

#ifdef STEADFOLD_HAS_HDF5
TEST_F(process, hdf5_files_that_the_parent_writes_are_left_alone) {
    auto const own = inputs::path("own.h5");
    std::vector<double> values(1000, 1.5);
    hsize_t const extent = values.size();
    hid_t const file = H5Fcreate(own.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    hid_t const space = H5Screate_simple(1, &extent, nullptr);
    hid_t const data = H5Dcreate2(file, "x", H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    ASSERT_GE(H5Dwrite(data, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()), 0);
    {
        dataset_reader reader({inputs::path("single.h5"), {}});
        reader.start(0, 0, 9);
        values[7] = -2;
        ASSERT_GE(H5Dwrite(data, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()), 0);
        reader.wait(0);
    }
    ASSERT_GE(H5Dclose(data), 0);
    ASSERT_GE(H5Sclose(space), 0);
    ASSERT_GE(H5Fclose(file), 0);
    auto const found = inputs::read({own, "x"});
    ASSERT_EQ(found.size(), values.size() * sizeof(double));
    EXPECT_EQ(std::memcmp(found.data(), values.data(), found.size()), 0);
}
#endif

TEST_F(process, readers_in_several_threads) {
#ifdef __SANITIZE_ADDRESS__
    // glibc's malloc takes its locks before fork(), the sanitizer's allocator only since GCC 14
    GTEST_SKIP() << "the child can find the sanitizer's allocator locked by another thread";
#endif
    auto const wanted = inputs::bytes_of(spec_.file);
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t)
        threads.emplace_back([&] {
            for (int i = 0; i < 10; ++i)
                EXPECT_EQ(std::memcmp(inputs::read(spec_, raw()).data(), wanted.data(), wanted.size()), 0);
        });
    for (auto& thread : threads) thread.join();
}

TEST_F(process, the_child_does_not_outlive_its_parent) {
    int ends[2];
    ASSERT_EQ(::pipe(ends), 0);
    pid_t const parent = ::fork();
    if (parent == 0) {
        dataset_reader reader(spec_, raw());
        int const child = reader.process_id();
        (void)!::write(ends[1], &child, sizeof child);
        ::kill(::getpid(), SIGKILL);
    }
    int child = 0;
    ASSERT_EQ(::read(ends[0], &child, sizeof child), static_cast<ssize_t>(sizeof child));
    (void)::waitpid(parent, nullptr, 0);
    auto const stat = "/proc/" + std::to_string(child) + "/stat";
    bool gone = false;
    for (auto const end = clock_type::now() + 5s; !gone && clock_type::now() < end; std::this_thread::sleep_for(5ms)) {
        auto const text = inputs::bytes_of(stat);
        gone = text.empty() || text.find(") Z") != std::string::npos; // a zombie waits for init, if there is one
    }
    EXPECT_TRUE(gone);
    ::close(ends[0]);
    ::close(ends[1]);
}
} // namespace
