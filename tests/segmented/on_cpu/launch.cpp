#include "segmented/on_cpu/launch.hpp"

#include "on_cpu/fibers.hpp"
#include "segmented/cuda/work_plan.hpp"

#include <algorithm>
#include <numeric>
#include <random>
#include <stdexcept>
#include <vector>

namespace steadfold::inline v0::segmented {

// As in find_kernel.cpp.
quick_kernels find_float64_on_cpu_kernels(operation op);
quick_kernels find_float32_on_cpu_kernels(operation op);
quick_kernels find_half_on_cpu_kernels(operation op);
quick_kernels find_complex128_on_cpu_kernels(operation op);
quick_kernels find_complex64_on_cpu_kernels(operation op);
quick_kernels find_integer_on_cpu_kernels(operation op);
kernel find_general_kernel_on_cpu() noexcept;
std::size_t shared_bytes_on_cpu(store_shape const& shape) noexcept;

} // namespace steadfold::inline v0::segmented

namespace on_cpu {

namespace {

namespace sf = steadfold;
namespace seg = steadfold::segmented;

seg::quick_kernels find_quick_kernels(sf::operation op, sf::dtype type) {
    switch (type) {
    case sf::dtype::float64:
        return seg::find_float64_on_cpu_kernels(op);
    case sf::dtype::float32:
        return seg::find_float32_on_cpu_kernels(op);
    case sf::dtype::float16:
    case sf::dtype::bfloat16:
        return seg::find_half_on_cpu_kernels(op);
    case sf::dtype::complex128:
        return seg::find_complex128_on_cpu_kernels(op);
    case sf::dtype::complex64:
        return seg::find_complex64_on_cpu_kernels(op);
    default:
        return seg::find_integer_on_cpu_kernels(op);
    }
}

} // namespace

launch_result launch(seg::settings const& settings, seg::problem const& problem, std::int64_t resident_warps,
                     std::uint64_t seed) {
    seg::quick_kernels const kernels =
        problem.x.contiguous() ? find_quick_kernels(settings.op, settings.what.type) : seg::quick_kernels{};
    seg::kernel const quick = problem.inner == 1 ? kernels.rows : kernels.columns;
    seg::kernel const kernel = quick != nullptr ? quick : seg::find_general_kernel_on_cpu();
    seg::work_plan plan = seg::plan_work(settings, problem, quick != nullptr, resident_warps);
    seg::call& call = plan.arguments;
    if (seg::shared_bytes_on_cpu(call.shape) > std::size_t{1} << 18) throw std::runtime_error("too few shared_words");
    std::vector<std::uint64_t> records(static_cast<std::size_t>(plan.records * call.record_words()));
    std::uint32_t bad_offsets = 0;
    call.records = records.data();
    call.bad_offsets = &bad_offsets;
    std::vector<unsigned> order(static_cast<std::size_t>(call.chunks));
    std::iota(order.begin(), order.end(), 0u);
    std::shuffle(order.begin(), order.end(), std::mt19937_64{seed});
    fibers warp{32, seed};
    for (unsigned const number : order)
        warp.run(
            number / seg::warps_per_block, [&] { kernel(call); }, 32 * (number % seg::warps_per_block));
    return {bad_offsets != 0, std::all_of(records.begin(), records.end(), [](std::uint64_t w) { return w == 0; })};
}

} // namespace on_cpu
