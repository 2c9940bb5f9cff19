// Functions of elements in GPU memory against the same functions on the host.
#include "reduce/cuda/device_memory.hpp"
#include "reduce/cuda/functions.cuh"
#include "steadfold/error.hpp"
#include "steadfold/transform.cuh"
#include "support/generators.hpp"

namespace {

using namespace oracle;
using sf::operation;

using cuda_transform = cuda_test;

/// A sample in both memories.
template <class T>
struct both {
    explicit both(sample const& s) : host(static_cast<std::size_t>(s.n)), memory{s.bytes}, label{s.label} {
        std::copy_n(s.bytes.begin(), s.bytes.size(), reinterpret_cast<std::byte*>(host.data()));
    }
    [[nodiscard]] sf::view<T const> here() const { return host; }
    [[nodiscard]] sf::view<T const> there() const { return {reinterpret_cast<T const*>(memory.data()), host.size()}; }

    std::vector<T> host;
    device_bytes memory;
    std::string label;
};

template <class T, class F>
void expect_same_bits(both<T> const& x, F const& f, sf::operation_set ops, sf::reduce_options const& options = {}) {
    auto const expected = sf::transform_reduce({}, x.here(), f, ops, options, 5);
    EXPECT_EQ(sf::transform_reduce({}, x.there(), sf::on_device{f}, ops, options, 5).raw, expected.raw) << x.label;
}

// 3000000 float64 are more than one chunk.
constexpr std::int64_t lengths[] = {0, 1, 2, 31, 32, 33, 4097, 3000000};

constexpr sf::operation_set statistics =
    sf::sum | sf::mean | sf::l1 | sf::l2 | sf::variance | sf::extrema | sf::count | sf::nan_count | sf::zero_count;

TEST_F(cuda_transform, gives_the_hosts_bits_for_every_class_of_data) {
    for (data_class const which : classes_of(sf::dtype::float64))
        for (std::int64_t const n : lengths) {
            if (n > 10000 && which != data_class::gaussian && which != data_class::specials) continue;
            both<double> const x{generate(which, sf::dtype::float64, n, 61)};
            for (auto const nans : {sf::nan_policy::propagate, sf::nan_policy::ignore})
                expect_same_bits(x, cube{}, statistics, {.nans = nans});
            expect_same_bits(x, whole{}, statistics | sf::bit_and | sf::bit_or | sf::bit_xor);
        }
}

TEST_F(cuda_transform, gives_every_type_of_result) {
    both<std::int32_t> const whole_numbers{generate(data_class::integer_bits, sf::dtype::int32, 40000, 62)};
    expect_same_bits(whole_numbers, parity{}, statistics | sf::product);
    both<float> const floats{generate(data_class::subnormals, sf::dtype::float32, 40000, 63)};
    expect_same_bits(floats, as_it_is{}, statistics);
    both<sf::half> const halves{generate(data_class::any_bits, sf::dtype::float16, 40000, 64)};
    expect_same_bits(halves, as_it_is{}, statistics);
    using complex = std::complex<double>;
    both<complex> const pairs{generate(data_class::gaussian, sf::dtype::complex128, 40000, 65)};
    expect_same_bits(pairs, as_it_is{}, sf::sum | sf::l2);
}

TEST_F(cuda_transform, of_two_arrays) {
    for (int which = 0; which < pair_class_count; ++which)
        for (std::int64_t const n : lengths) {
            if (n > 10000 && which > 0) continue;
            auto const [a, b] = generate_pair(static_cast<pair_class>(which), sf::dtype::float32, n, 66);
            both<float> const x{a}, y{b};
            auto const expected = sf::transform_reduce({}, x.here(), y.here(), wide_product{}, sf::sum | sf::l2);
            EXPECT_EQ(
                sf::transform_reduce({}, x.there(), y.there(), sf::on_device{wide_product{}}, sf::sum | sf::l2).raw,
                expected.raw)
                << x.label << " " << y.label;
        }
}

/// A function of its own: nvcc takes no such lambda in a test's private body.
double sum_of_halves(sf::view<double const> x) {
    return sf::transform_reduce({}, x, sf::on_device{[] __device__(double v) -> double { return 0.5 * v; }}, sf::sum)
        .sum;
}

TEST_F(cuda_transform, calls_lambdas) {
    both<double> const x{generate(data_class::coarse, sf::dtype::float64, 5000, 70)};
    EXPECT_EQ(sum_of_halves(x.there()), 0.5 * sf::reduce({}, x.here(), sf::sum).sum);
}

TEST_F(cuda_transform, takes_strides) {
    both<double> const x{generate(data_class::log_normal, sf::dtype::float64, 30000, 71)};
    for (std::int64_t const stride : {3, -7, 0}) {
        std::int64_t const n = 4097, first = stride < 0 ? n * 7 : 5;
        sf::strided_view const here{x.here().data() + first, n, stride}, there{x.there().data() + first, n, stride};
        EXPECT_EQ(sf::transform_reduce({}, there, sf::on_device{cube{}}, statistics).raw,
                  sf::transform_reduce({}, here, cube{}, statistics).raw)
            << stride;
        sf::view const y_here{x.here().data(), n}, y_there{x.there().data(), n};
        EXPECT_EQ(sf::transform_reduce({}, there, y_there, sf::on_device{add{}}, sf::sum).raw,
                  sf::transform_reduce({}, here, y_here, add{}, sf::sum).raw)
            << stride;
        EXPECT_EQ(sf::fast_reduce(there, 0.5, sf::on_device{add{}}), sf::fast_reduce(here, 0.5, add{})) << stride;
    }
}

TEST_F(cuda_transform, comes_after_the_work_on_the_callers_stream) {
    cudaStream_t stream = nullptr;
    require(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    std::size_t const bytes = std::size_t{256} << 20;
    device_bytes const target{bytes};
    auto const x = sf::view(reinterpret_cast<std::uint8_t*>(target.data()), bytes);
    for (int round = 1; round < 10; ++round) {
        require(cudaMemsetAsync(target.data(), round, bytes, stream));
        auto const sum = sf::transform_reduce({}, x, sf::on_device{as_it_is{}}, sf::sum, {}, 0, stream).sum;
        EXPECT_EQ(sum, static_cast<std::uint64_t>(round) * bytes);
    }
    require(cudaStreamDestroy(stream));
}

TEST_F(cuda_transform, refuses_what_a_gpu_cannot_read) {
    both<double> const x{generate(data_class::gaussian, sf::dtype::float64, 100, 67)};
    sf::on_device const f{cube{}};
    EXPECT_THROW((void)sf::transform_reduce({}, x.here(), f, sf::sum), sf::argument_error);
    EXPECT_THROW((void)sf::transform_reduce({}, x.there(), cube{}, sf::sum), sf::argument_error);
    EXPECT_THROW((void)sf::transform_reduce({}, x.there(), f, operation::dot), sf::argument_error);
    EXPECT_THROW((void)sf::transform_reduce({}, x.there(), x.here(), sf::on_device{add{}}, sf::sum),
                 sf::argument_error);
    EXPECT_THROW((void)sf::fast_reduce(x.here(), 0.0, sf::on_device{add{}}), sf::argument_error);
}

// For compute-sanitizer, under which everything is slow.
TEST_F(cuda_transform, Sanitizer_every_kernel) {
    both<double> const x{generate(data_class::log_normal, sf::dtype::float64, 4099, 72)};
    expect_same_bits(x, cube{}, statistics);
    EXPECT_EQ(sf::transform_reduce({}, x.there(), x.there(), sf::on_device{add{}}, sf::sum).sum,
              sf::transform_reduce({}, x.here(), x.here(), add{}, sf::sum).sum);
    EXPECT_EQ(sf::fast_reduce(x.there(), 0.5, sf::on_device{add{}}), sf::fast_reduce(x.here(), 0.5, add{}));
}

TEST_F(cuda_transform, fast_reduce_keeps_the_hosts_order) {
    for (std::int64_t const n : {0, 1, 2, 4095, 4096, 4097, 8192, 1000003}) {
        both<std::uint64_t> const maps{generate(data_class::integer_bits, sf::dtype::uint64, n, 68)};
        std::uint64_t const identity = std::uint64_t{1} << 32;
        EXPECT_EQ(sf::fast_reduce(maps.there(), identity, sf::on_device{compose{}}),
                  sf::fast_reduce(maps.here(), identity, compose{}))
            << n;
        both<double> const numbers{generate(data_class::gaussian, sf::dtype::float64, n, 69)};
        EXPECT_EQ(sf::fast_reduce(numbers.there(), 0.5, sf::on_device{add{}}),
                  sf::fast_reduce(numbers.here(), 0.5, add{}))
            << n;
    }
}

} // namespace
