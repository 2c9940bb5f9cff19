// What is particular to devices: streams, foreign devices, fast mode, bad arguments, arrays beyond 2^32 elements.
#include "reduce/cuda/device_memory.hpp"
#include "steadfold/error.hpp"
#include "support/check.hpp"
#include "support/invariance.hpp"

#include <bit>
#include <chrono>
#include <cmath>
#include <limits>
#include <thread>

namespace {

using namespace oracle;

using cuda_device = cuda_test;
constexpr sf::execution on_gpu{.kind = sf::processor_kind::cuda};

/// Device memory filled with one 32-bit pattern, by doubling copies.
device_bytes filled(std::size_t bytes, std::uint32_t pattern) {
    device_bytes memory{bytes};
    require(cudaMemcpy(memory.data(), &pattern, 4, cudaMemcpyHostToDevice));
    for (std::size_t done = 4; done < bytes; done *= 2)
        require(
            cudaMemcpy(memory.data() + done, memory.data(), std::min(done, bytes - done), cudaMemcpyDeviceToDevice));
    return memory;
}

TEST_F(cuda_device, host_and_device_agree_on_four_million_elements) {
    for (sf::dtype const type :
         {sf::dtype::float64, sf::dtype::float32, sf::dtype::float16, sf::dtype::bfloat16, sf::dtype::complex128})
        for (data_class const which :
             {data_class::gaussian, data_class::log_normal, data_class::blocks, data_class::outliers}) {
            sample const data = generate(which, type, 1 << 22, 5);
            sf::operation_set const all = operations_of(type);
            sf::reduction host{type, all}, device{type, all, {}, on_gpu};
            host.add(data.view());
            device_bytes const memory{data.bytes};
            device.add({memory.data(), data.n, type});
            EXPECT_EQ(device.finish(), host.finish()) << data.label;
        }
}

TEST_F(cuda_device, more_than_2_32_equal_values_on_one_block_sum_exactly) {
    std::size_t free = 0, total = 0;
    require(cudaMemGetInfo(&free, &total));
    std::int64_t const n = (std::int64_t{1} << 32) + 5;
    if (free < static_cast<std::size_t>(n) * 4 + (std::size_t{1} << 30)) GTEST_SKIP() << "needs 17 GB of device memory";
    float const value = std::nextafter(0x1p20f, 0.0f); // just below a power of two: the largest fold values
    device_bytes const memory = filled(static_cast<std::size_t>(n) * 4, std::bit_cast<std::uint32_t>(value));
    for (sf::execution const& where :
         {on_gpu, sf::execution{.kind = sf::processor_kind::cuda, .blocks = 1, .threads_per_block = 256}}) {
        sf::reduction reduction{
            sf::dtype::float32, sf::sum | sf::mean | sf::count, {.result = sf::dtype::float64}, where};
        reduction.add({memory.data(), n, sf::dtype::float32});
        sf::reduction_results const got = reduction.finish();
        // value * n has 24 + 33 bits; the product of two long doubles holds it exactly and is rounded once.
        auto const expected = static_cast<double>(static_cast<long double>(value) * static_cast<long double>(n));
        EXPECT_EQ(got[sf::operation::sum].as_double(), expected);
        EXPECT_EQ(got[sf::operation::mean].as_double(), value);
        EXPECT_EQ(got[sf::operation::count].as_int64(), n);
    }
}

TEST_F(cuda_device, a_multiple_of_2_31_minus_1_elements_of_every_width) {
    std::int64_t const n = 2 * ((std::int64_t{1} << 31) - 1);
    device_bytes const memory = filled(static_cast<std::size_t>(n) * 2, 0x3c013c01u); // halves of 1 + 2^-10
    sf::reduction halves{sf::dtype::float16, sf::sum | sf::extrema, {.result = sf::dtype::float64}, on_gpu};
    halves.add({memory.data(), n, sf::dtype::float16});
    sf::reduction_results const got = halves.finish();
    EXPECT_EQ(got[sf::operation::sum].as_double(), static_cast<double>(n) * (1 + 0x1p-10));
    EXPECT_EQ(got[sf::operation::argmax].as_int64(), 0);
    sf::reduction bytes{sf::dtype::int8, sf::sum | sf::sum_of_squares | sf::argmin, {}, on_gpu};
    bytes.add({memory.data(), 2 * n, sf::dtype::int8}); // 1 and 60 in turn
    sf::reduction_results const counted = bytes.finish();
    EXPECT_EQ(counted[sf::operation::sum].as_int64(), 61 * n);
    EXPECT_EQ(counted[sf::operation::sum_of_squares].as_int64(), 3601 * n);
    EXPECT_EQ(counted[sf::operation::argmin].as_int64(), 0);
}

TEST_F(cuda_device, the_first_index_of_an_extremum_is_found_beyond_2_32) {
    std::int64_t const n = (std::int64_t{1} << 32) + 1000;
    device_bytes const memory = filled(static_cast<std::size_t>(n), 0);
    std::int8_t const values[2] = {-7, 9};
    require(cudaMemcpy(memory.data() + n - 3, values, 2, cudaMemcpyHostToDevice));
    sf::reduction reduction{sf::dtype::int8, sf::extrema | sf::zero_count, {}, on_gpu};
    reduction.add({memory.data(), n, sf::dtype::int8}, 100);
    sf::reduction_results const got = reduction.finish();
    EXPECT_EQ(got[sf::operation::argmin].as_int64(), 100 + n - 3);
    EXPECT_EQ(got[sf::operation::argmax].as_int64(), 100 + n - 2);
    EXPECT_EQ(got[sf::operation::zero_count].as_int64(), n - 2);
}

TEST_F(cuda_device, work_on_the_callers_stream_comes_first) {
    cudaStream_t stream = nullptr;
    require(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    std::size_t const bytes = std::size_t{256} << 20;
    device_bytes const ones = filled(bytes, std::bit_cast<std::uint32_t>(1.0f)), target = filled(bytes, 0);
    sf::reduction reduction{sf::dtype::float32, sf::sum, {}, on_gpu};
    for (int round = 0; round < 20; ++round) {
        require(cudaMemsetAsync(target.data(), 0, bytes, stream));
        require(cudaMemcpyAsync(target.data(), ones.data(), bytes, cudaMemcpyDeviceToDevice, stream));
        reduction.add({target.data(), static_cast<std::int64_t>(bytes / 4), sf::dtype::float32}, 0, stream);
        require(cudaMemsetAsync(target.data(), 0, bytes, stream)); // waits until the reduction has read it
        EXPECT_EQ(reduction.finish()[sf::operation::sum].as_double(), static_cast<double>(bytes / 4));
    }
    require(cudaStreamDestroy(stream));
}

TEST_F(cuda_device, pairs_may_lie_on_both_sides) {
    auto const [x, y] = generate_pair(static_cast<pair_class>(0), sf::dtype::float64, 3000001, 12);
    sf::result_value const expected = sf::dot({}, x.view(), y.view());
    cudaStream_t stream = nullptr;
    require(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    std::size_t const bytes = std::size_t{256} << 20;
    device_bytes const dx{x.bytes}, dy{y.bytes}, target = filled(x.bytes.size(), 0), ballast{bytes};
    sf::reduction dot{x.type, sf::operation::dot, {}, on_gpu};
    for (bool const first_on_device : {true, false}) { // the device's part arrives late on the caller's stream
        device_bytes const& source = first_on_device ? dx : dy;
        require(cudaMemset(target.data(), 0, x.bytes.size()));
        require(cudaDeviceSynchronize());
        for (int i = 0; i < 50; ++i) require(cudaMemsetAsync(ballast.data(), i, bytes, stream));
        require(cudaMemcpyAsync(target.data(), source.data(), x.bytes.size(), cudaMemcpyDeviceToDevice, stream));
        sf::array_view const late{target.data(), x.n, x.type};
        dot.add_products(first_on_device ? late : x.view(), first_on_device ? y.view() : late, stream);
        EXPECT_EQ(dot.finish()[sf::operation::dot], expected) << x.label;
    }
    require(cudaStreamDestroy(stream));
}

TEST_F(cuda_device, a_missed_deadline_loses_nothing) {
    std::size_t const bytes = std::size_t{4} << 30; // about a millisecond
    device_bytes const ones = filled(bytes, std::bit_cast<std::uint32_t>(1.0f));
    sf::reduction sums{sf::dtype::float32,
                       sf::sum | sf::count,
                       {.result = sf::dtype::float64},
                       {.kind = sf::processor_kind::cuda, .deadline = std::chrono::microseconds(300)}};
    sums.add({ones.data(), static_cast<std::int64_t>(bytes / 4), sf::dtype::float32});
    int missed = 0;
    for (; missed < 1000; ++missed) try {
            sf::reduction_results const got = sums.finish();
            EXPECT_EQ(got[sf::operation::sum].as_double(), static_cast<double>(bytes / 4));
            EXPECT_EQ(got[sf::operation::count].as_int64(), static_cast<std::int64_t>(bytes / 4));
            break;
        } catch (sf::timeout_error const&) {
            std::this_thread::sleep_for(std::chrono::milliseconds(5));
        }
    EXPECT_GT(missed, 0);
    EXPECT_LT(missed, 1000);
}

TEST_F(cuda_device, pinned_and_managed_memory_are_taken) {
    std::int64_t const n = 10007;
    sample const data = generate(data_class::log_normal, sf::dtype::float64, n, 3);
    invariance_case const c = make_case(data);
    void *pinned = nullptr, *managed = nullptr;
    require(cudaMallocHost(&pinned, data.bytes.size()));
    require(cudaMallocManaged(&managed, data.bytes.size()));
    for (void* memory : {pinned, managed}) {
        std::copy(data.bytes.begin(), data.bytes.end(), static_cast<std::byte*>(memory));
        sf::reduction reduction{data.type, c.operations, {}, on_gpu};
        reduction.add({memory, n, data.type});
        expect_bits(reduction.finish(), c, memory == pinned ? "pinned" : "managed");
    }
    require(cudaFree(managed));
    require(cudaFreeHost(pinned));
}

TEST_F(cuda_device, fast_sums_are_close_and_repeat) {
    for (sf::dtype const type : {sf::dtype::float64, sf::dtype::float32, sf::dtype::float16, sf::dtype::complex64}) {
        sample const data = generate(data_class::gaussian, type, 1 << 18, 9);
        sf::reduce_options options{.mode = sf::reduction_mode::fast, .result = sf::dtype::float64};
        sf::operation_set const ops = sf::sum | sf::l1 | sf::l2 | sf::variance | sf::count;
        sf::reduction fast{type, ops, options, on_gpu};
        fast.add(data.view());
        sf::reduction_results const first = fast.finish();
        fast.add(data.view());
        EXPECT_EQ(fast.finish(), first) << data.label;
        options.mode = sf::reduction_mode::exact;
        sf::reduction exact{type, ops, options, on_gpu};
        exact.add(data.view());
        sf::reduction_results const truth = exact.finish();
        double const scale = truth[sf::operation::l1].as_double();
        EXPECT_NEAR(first[sf::operation::sum].as_double(), truth[sf::operation::sum].as_double(), 1e-13 * scale);
        EXPECT_NEAR(first[sf::operation::l1].as_double(), scale, 1e-13 * scale);
        EXPECT_EQ(first[sf::operation::variance], truth[sf::operation::variance]);
        EXPECT_EQ(first[sf::operation::count], truth[sf::operation::count]);
    }
}

TEST_F(cuda_device, bad_arguments_are_named) {
    auto const message = [](auto const& call) -> std::string {
        try {
            call();
        } catch (sf::argument_error const& e) {
            return e.what();
        }
        return "no error";
    };
    auto const with = [&](sf::execution where) {
        where.kind = sf::processor_kind::cuda;
        return message([&] { sf::reduction{sf::dtype::float64, sf::sum, {}, where}; });
    };
    EXPECT_NE(with({.device = 99}).find("99"), std::string::npos);
    EXPECT_NE(with({.threads_per_block = 33}).find("33"), std::string::npos);
    EXPECT_NE(with({.threads_per_block = -32}).find("-32"), std::string::npos);
    EXPECT_NE(with({.threads_per_block = 2048}).find("2048"), std::string::npos);
    EXPECT_NE(with({.blocks = -1}).find("-1"), std::string::npos);
    device_bytes const memory{std::size_t{80}};
    EXPECT_NE(message([&] {
                  sf::reduction on_host{sf::dtype::float64, sf::sum};
                  on_host.add({memory.data(), 10, sf::dtype::float64});
              }).find("device memory"),
              std::string::npos);
}

TEST_F(cuda_device, the_current_device_is_left_as_it_was) {
    if (device_count() < 2) GTEST_SKIP() << "no GPU to spare: needs two";
    require(cudaSetDevice(1));
    device_bytes const there{std::vector<std::byte>(80)}; // ten zeros
    require(cudaSetDevice(0));
    sf::reduction reduction{sf::dtype::float64, sf::sum, {}, {.kind = sf::processor_kind::cuda, .device = 1}};
    reduction.add({there.data(), 10, sf::dtype::float64});
    EXPECT_EQ(reduction.finish()[sf::operation::sum].as_double(), 0);
    int current = -1;
    require(cudaGetDevice(&current));
    EXPECT_EQ(current, 0);
    sf::reduction here{sf::dtype::float64, sf::sum, {}, on_gpu};
    EXPECT_THROW(here.add({there.data(), 10, sf::dtype::float64}), sf::argument_error);
}

TEST_F(cuda_device, two_devices_merge_to_the_same_bits) {
    if (device_count() < 2) GTEST_SKIP() << "no GPU to spare: needs two";
    sf::execution const second{.kind = sf::processor_kind::cuda, .device = 1};
    std::array const places = {on_gpu, second, sf::execution{.kind = sf::processor_kind::host, .threads = 2}};
    for (data_class const which : classes_of(sf::dtype::float64)) {
        sample const data = generate(which, sf::dtype::float64, 20011, 4);
        by_merging(make_case(data), places, 1);
    }
}

} // namespace
