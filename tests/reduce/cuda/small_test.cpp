// Little data on a GPU, which one block or the blocks of one cluster sum in registers: sizes at which the grid changes,
// data that only one of the blocks cannot take, and any number of threads. Twice each, for the window is that of the
// launch before.
#include "reduce/cuda/graphs.hpp"
#include "steadfold/reduce.hpp"
#include "steadfold/workspace.hpp"
#include "support/check.hpp"

#include <cmath>
#include <cstring>

namespace {

using namespace oracle;
using sf::operation;

sf::execution gpu_with(int threads_per_block) {
    return {.kind = sf::processor_kind::cuda, .threads_per_block = threads_per_block};
}

/// Workspaces of the operations that little data is quick with, and what they must give.
class small_calls {
  public:
    small_calls(sf::dtype type, int threads_per_block)
        : type_{type}, dots_{type, operation::dot, {}, gpu_with(threads_per_block)} {
        for (operation const op : {operation::sum, operation::l1, operation::sum_of_squares})
            works_.push_back({op, sf::workspace{type, op, {}, gpu_with(threads_per_block)}});
    }

    /// All of them, of `n` elements from `first` on, which are in `memory` too.
    void check(sample const& s, device_bytes const& memory, std::int64_t first, std::int64_t n) {
        std::byte const* const host = s.at(first);
        sf::array_view const part{memory.data() + (host - s.bytes.data()), n, type_};
        std::string const label = s.label + " from " + std::to_string(first) + ", " + std::to_string(n);
        summary const one = summarise(host, n, type_), pairs = summarise_pairs(host, host, n, type_);
        for (int time = 0; time < 2; ++time) {
            for (auto& [op, work] : works_) {
                sf::enqueue_reduce(work, part, out_.span(), stream_.get());
                expect_same(out_.read(stream_)[0], evaluate(one, op, {}), op, label);
            }
            sf::enqueue_dot(dots_, part, part, out_.span(), stream_.get());
            expect_same(out_.read(stream_)[0], evaluate(pairs, operation::dot, {}), operation::dot, label);
        }
    }

  private:
    struct call {
        operation op;
        sf::workspace work;
    };
    sf::dtype type_;
    own_stream stream_;
    device_results out_{1};
    std::vector<call> works_;
    sf::workspace dots_;
};

struct cuda_small : cuda_test, testing::WithParamInterface<sf::dtype> {
    static std::int64_t per_vector() { return 16 / static_cast<std::int64_t>(sf::size_bytes(GetParam())); }
};

TEST_P(cuda_small, sizes_at_which_the_grid_changes) {
    constexpr std::int64_t most = 8194; // vectors
    sample const s = generate(data_class::gaussian, GetParam(), most * per_vector(), 41);
    device_bytes const memory{s.bytes};
    small_calls calls{GetParam(), 0};
    for (std::int64_t const n : {255, 256, 257}) calls.check(s, memory, 0, n);
    for (std::int64_t const vectors : {64, 128, 256, 512, 1024, 2048, 4096, 8192})
        for (std::int64_t const more : {-1, 0, 1})
            for (std::int64_t const first : {0, 1})
                calls.check(s, memory, first, (vectors + more) * per_vector() + first);
}

TEST_P(cuda_small, any_number_of_threads) {
    sample const s = generate(data_class::log_normal, GetParam(), 8192, 42);
    device_bytes const memory{s.bytes};
    for (int const threads : {32, 96, 224}) {
        small_calls calls{GetParam(), threads};
        for (std::int64_t const n : {1, 31, 200, 1111, 2500, 8191}) calls.check(s, memory, 1, n);
    }
}

// What does not fit the window of the launch before sends all blocks the usual way, whichever of them has it.
TEST_P(cuda_small, one_value_that_does_not_fit_in_any_block) {
    std::int64_t const n = 4096 * per_vector(), of_block = n / 8;
    sample const usual = generate(data_class::gaussian, GetParam(), n, 43);
    device_bytes const memory{usual.bytes};
    small_calls calls{GetParam(), 0};
    for (double const value : {std::nan(""), HUGE_VAL, std::ldexp(1, 900), std::ldexp(-1, 15), std::ldexp(1, -1074)}) {
        sample const odd = sample_of(GetParam(), {{value}}, "one odd value");
        for (std::int64_t const block : {0, 3, 7}) {
            sample s = usual;
            s.label += " but for " + std::to_string(value) + " in block " + std::to_string(block);
            std::size_t const at = static_cast<std::size_t>(block * of_block + 5) * odd.bytes.size();
            std::memcpy(s.bytes.data() + at, odd.bytes.data(), odd.bytes.size());
            require(cudaMemcpy(memory.data(), s.bytes.data(), s.bytes.size(), cudaMemcpyHostToDevice));
            require(cudaDeviceSynchronize());
            calls.check(s, memory, 0, n);
        }
        require(cudaMemcpy(memory.data(), usual.bytes.data(), usual.bytes.size(), cudaMemcpyHostToDevice));
        require(cudaDeviceSynchronize());
        calls.check(usual, memory, 0, n);
    }
}

// For compute-sanitizer, under which everything is slow: one warp, a block, a cluster, and hot words.
TEST_P(cuda_small, Sanitizer_every_way_to_meet) {
    sample const s = generate(data_class::gaussian, GetParam(), 12000 * per_vector(), 44);
    device_bytes const memory{s.bytes};
    small_calls calls{GetParam(), 0};
    for (std::int64_t const vectors : {10, 300, 3000, 11999}) calls.check(s, memory, 1, vectors * per_vector());
}

INSTANTIATE_TEST_SUITE_P(types, cuda_small,
                         testing::Values(sf::dtype::float64, sf::dtype::float32, sf::dtype::float16,
                                         sf::dtype::bfloat16),
                         [](auto const& info) { return std::string(sf::name(info.param)); });

struct cuda_small_integers : cuda_test {};

TEST_F(cuda_small_integers, Sanitizer_sums_and_dots_meet_in_hot_words) {
    own_stream const stream;
    device_results const out{1};
    for (sf::dtype const type : {sf::dtype::int64, sf::dtype::uint8}) {
        sample const s = generate(data_class::integer_bits, type, 20000, 45);
        device_bytes const memory{s.bytes};
        sf::array_view const all{memory.data(), s.n, type};
        sf::workspace sums{type, operation::sum, {}, gpu_with(0)}, dots{type, operation::dot, {}, gpu_with(0)};
        sf::enqueue_reduce(sums, all, out.span(), stream.get());
        expect_same(out.read(stream)[0], evaluate(summarise(s.bytes.data(), s.n, type), operation::sum, {}),
                    operation::sum, s.label);
        sf::enqueue_dot(dots, all, all, out.span(), stream.get());
        expect_same(out.read(stream)[0],
                    evaluate(summarise_pairs(s.bytes.data(), s.bytes.data(), s.n, type), operation::dot, {}),
                    operation::dot, s.label);
    }
}

} // namespace
