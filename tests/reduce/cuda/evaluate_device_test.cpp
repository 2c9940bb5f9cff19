// Finishing on a device: the same code as on the host must give the oracle's bits there too.
#include "reduce/cuda/device_memory.hpp"
#include "reduce/cuda/evaluate_kernel.hpp"
#include "reduce/finish.hpp"
#include "reduce/summary_state.hpp"
#include "support/check.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <limits>

namespace {

using namespace oracle;
namespace rd = steadfold::reduce_detail;

using cuda_evaluation = cuda_test;
constexpr sf::dtype all_types[] = {sf::dtype::float64,   sf::dtype::float32,   sf::dtype::float16, sf::dtype::bfloat16,
                                   sf::dtype::int8,      sf::dtype::int16,     sf::dtype::int32,   sf::dtype::int64,
                                   sf::dtype::uint8,     sf::dtype::uint16,    sf::dtype::uint32,  sf::dtype::uint64,
                                   sf::dtype::complex64, sf::dtype::complex128};

struct evaluated {
    std::array<sf::result_value, sf::operation_count> result;
    std::array<long long, sf::operation_count> clocks;
};

evaluated on_device(summary const& s, sf::operation_set ops, sf::reduce_options const& options) {
    ex::reduction_state const state = state_of(s);
    device_bytes const state_memory{sizeof state}, result_memory{sizeof(evaluated)};
    auto* const results = reinterpret_cast<evaluated*>(result_memory.data());
    require(cudaMemcpy(state_memory.data(), &state, sizeof state, cudaMemcpyHostToDevice));
    evaluate_on_device(reinterpret_cast<ex::reduction_state const*>(state_memory.data()),
                       rd::make_finish_options(rd::make_plan(s.type, ops, options), options), ops,
                       results->result.data(), results->clocks.data());
    require(cudaGetLastError());
    evaluated host;
    require(cudaMemcpy(&host, results, sizeof host, cudaMemcpyDeviceToHost));
    return host;
}

void check(summary const& s, sf::operation_set ops, sf::reduce_options const& options, std::string const& label) {
    evaluated const got = on_device(s, ops, options);
    for (int i = 0; i < sf::operation_count; ++i) {
        auto const op = static_cast<sf::operation>(i);
        if (!ops.contains(op)) continue;
        expect_same(got.result[static_cast<std::size_t>(i)], evaluate(s, op, options), op,
                    label + " " + describe(options));
    }
}

sf::reduce_options random_options(random_source& random, sf::dtype type) {
    constexpr sf::dtype results[] = {sf::dtype::float64, sf::dtype::float32, sf::dtype::float16, sf::dtype::bfloat16,
                                     sf::dtype::int8,    sf::dtype::int32,   sf::dtype::int64,   sf::dtype::uint64};
    sf::reduce_options options;
    options.nans = random.coin() ? sf::nan_policy::ignore : sf::nan_policy::propagate;
    options.ddof = random.between(0, 1);
    if (random.coin()) options.result = results[random.below(sf::is_complex(type) ? 2 : std::ssize(results))];
    return options;
}

TEST_F(cuda_evaluation, of_any_count_of_elements_agrees_with_the_oracle) {
    random_source random{61};
    for (sf::dtype const type : all_types)
        for (data_class const which : classes_of(type))
            for (int round = 0; round < 20; ++round) {
                sample const data = generate(which, type, random.between(0, 6), static_cast<std::uint64_t>(round));
                std::int64_t const most = std::numeric_limits<std::int64_t>::max() / std::max<std::int64_t>(data.n, 1);
                std::int64_t const times =
                    round % 2 == 0 ? 1 : std::max<std::int64_t>(1, most >> random.between(0, 62));
                summary const s = repeated(summarise(data.bytes.data(), data.n, type), times);
                check(s, operations_of(type), random_options(random, type),
                      data.label + " times " + std::to_string(times));
            }
}

TEST_F(cuda_evaluation, of_pairs_agrees_with_the_oracle) {
    random_source random{62};
    for (sf::dtype const type : all_types)
        for (int which = 0; which < pair_class_count && !sf::is_complex(type); ++which)
            for (int round = 0; round < 6; ++round) {
                sample_pair const data = generate_pair(static_cast<pair_class>(which), type, random.between(0, 6),
                                                       static_cast<std::uint64_t>(round));
                summary const s = summarise_pairs(data.x.bytes.data(), data.y.bytes.data(), data.x.n, type);
                check(s, sf::operation::dot, random_options(random, type), data.x.label + " . " + data.y.label);
            }
}

// Not a check: what one result costs, alone in its warp and beside all others.
TEST_F(cuda_evaluation, cycles_are_printed) {
    for (sf::dtype const type : {sf::dtype::float64, sf::dtype::float32, sf::dtype::int64}) {
        sample const data =
            generate(sf::is_integer(type) ? data_class::integer_bits : data_class::gaussian, type, 1000, 1);
        summary const s = summarise(data.bytes.data(), data.n, type);
        evaluated const together = on_device(s, operations_of(type), {});
        for (sf::operation const op : {sf::operation::sum, sf::operation::mean, sf::operation::l1, sf::operation::l2,
                                       sf::operation::variance, sf::operation::stddev, sf::operation::min}) {
            auto const i = static_cast<std::size_t>(op);
            std::printf("%s %s: %lld cycles alone, %lld beside the others\n", std::string(sf::name(type)).c_str(),
                        std::string(sf::name(op)).c_str(), on_device(s, op, {}).clocks[i], together.clocks[i]);
        }
    }
}

} // namespace
