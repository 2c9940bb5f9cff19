#include "reduce/on_cpu/launch.hpp"

#include "reduce/cuda/dynamic_memory.cuh"
#include "reduce/cuda/launch_arguments.hpp"
#include "reduce/finish.hpp"
#include "reduce/strided.hpp"

#include <bit>
#include <numeric>
#include <random>

namespace on_cpu {

namespace sf = steadfold;
namespace kernels = sf::cuda; // a macro gives it the name of its own

struct workspace::implementation {
    sf::reduce_detail::plan plan;
    sf::reduce_options options;
    kernels::kernel_choice choice;
    kernels::grid_memory memory;
    std::vector<kernels::block_partial> partials;

    void launch(sf::array_view x, sf::array_view y, std::int64_t first_index, launch_shape const& shape,
                kernels::finish_request const& finish, std::uint64_t seed) {
        kernels::pass_arguments arguments;
        kernels::set_arrays(arguments, x, y, kernels::described_elements{plan});
        arguments.first_index = first_index;
        arguments.bulk = shape.bulk && !arguments.strided && arguments.x_aligned && y.data == nullptr;
        kernels::set_tiles(arguments, choice.vectors_in_flight);
        std::int64_t const warps = shape.threads / kernels::warp_threads;
        arguments.direct = arguments.tiles <= shape.blocks * warps;
        arguments.integer_only = shape.integer_only;
        arguments.memory = &memory;
        arguments.finish = finish;
        if (shape.may_be_small)
            kernels::set_small(arguments, {1, shape.threads, choice.most_small_vectors, choice.small_folds,
                                           choice.most_small_elements});
        auto const blocks = arguments.small_bits != 0 ? 1u
                                                      : static_cast<unsigned>(std::clamp<std::int64_t>(
                                                            (arguments.tiles + warps - 1) / warps, 1, shape.blocks));
        kernels::set_block_tiles(arguments, blocks);
        partials.assign(blocks, {});
        arguments.partials = partials.data();
        if (choice.shared_bytes > sizeof(kernels::dynamic_memory))
            throw std::runtime_error("too little dynamic_memory");
        std::vector<unsigned> order(blocks);
        std::iota(order.begin(), order.end(), 0u);
        std::shuffle(order.begin(), order.end(), std::mt19937_64{seed});
        grid_size.x = blocks;
        fibers block{static_cast<unsigned>(shape.threads), seed};
        for (unsigned const number : order) {
            std::memset(kernels::dynamic_memory, 0xa5, sizeof(kernels::dynamic_memory)); // what others left there
            block.run(number, [&] { choice.function(arguments); });
        }
    }
};

workspace::workspace(sf::dtype type, sf::operation_set operations, sf::reduce_options const& options)
    : implementation_{std::make_unique<implementation>()} {
    implementation& self = *implementation_;
    self.plan = sf::reduce_detail::make_plan(type, operations, options);
    self.options = options;
    self.choice = kernels::find_kernel(self.plan, self.plan.features == 0 && self.plan.fast_features != 0);
    std::memset(static_cast<void*>(&self.memory), 0, sizeof self.memory);
    self.memory.state = {};
}
workspace::~workspace() = default;

sf::reduction_results workspace::run(sf::array_view x, sf::array_view y, launch_shape const& shape,
                                     std::uint64_t seed) {
    implementation& self = *implementation_;
    std::vector<sf::result_value> values(static_cast<std::size_t>(std::popcount(self.plan.operations.bits())));
    kernels::finish_request finish = kernels::make_finish_request(self.plan, self.options, x.count);
    finish.results = values.data();
    self.launch(x, y, 0, shape, finish, seed);
    sf::reduction_results results;
    auto next = values.begin();
    for (int i = 0; i < sf::operation_count; ++i)
        if (auto const op = static_cast<sf::operation>(i); self.plan.operations.contains(op)) results.set(op, *next++);
    return results;
}

sf::reduction_results workspace::run_in_parts(sf::array_view x, sf::array_view y, launch_shape const& shape,
                                              std::uint64_t seed) {
    implementation& self = *implementation_;
    std::int64_t const first = x.count / 3;
    auto const part = [&](sf::array_view of, std::int64_t from, std::int64_t to) {
        return of.data == nullptr ? of : sf::reduce_detail::part_of(of, from, to - from);
    };
    self.launch(part(x, 0, first), part(y, 0, first), 0, shape, {}, seed);
    self.launch(part(x, first, x.count), part(y, first, x.count), first, shape, {}, seed + 1);
    sf::exact::reduction_state state = std::exchange(self.memory.state, {});
    state.elements = x.count;
    sf::exact::normalise(state, x.type);
    return sf::reduce_detail::finish(state, self.plan, self.options);
}

bool workspace::is_clean() const {
    kernels::grid_memory expected{};
    expected.hot_top = implementation_->memory.hot_top;
    return std::memcmp(&expected, &implementation_->memory, sizeof expected) == 0;
}

small_launch small_launch_of(std::int64_t elements, std::int64_t vectors, small_device const& device) {
    kernels::small_limits const limits{device.blocks, device.threads, device.vectors_of_thread, device.folds, 1 << 17};
    kernels::pass_arguments arguments;
    arguments.length = elements;
    arguments.vectors = vectors;
    arguments.finish.operations = 1;
    arguments.finish.may_be_quick = true;
    kernels::set_small(arguments, limits);
    if (arguments.small_bits == 0) return {};
    kernels::small_grid const grid = kernels::grid_of_small(arguments, limits);
    return {grid.blocks, grid.threads, arguments.small_vectors};
}

} // namespace on_cpu
