// Reductions by the GPU's kernels, which run on the CPU.
#pragma once

#include "steadfold/options.hpp"
#include "steadfold/results.hpp"
#include "steadfold/view.hpp"

#include <cstdint>
#include <memory>

namespace on_cpu {

struct launch_shape {
    int blocks = 1;    // at most
    int threads = 64;  // a block
    bool bulk = false; // whole tiles by bulk copies, with one warp of the threads to send for them
    bool integer_only = false;
    bool may_be_small = false; // little data by one block, as the library's launches are
};

/// What sf::workspace is on a GPU: the same memory for one launch after the other.
class workspace {
  public:
    workspace(steadfold::dtype type, steadfold::operation_set operations, steadfold::reduce_options const& options);
    ~workspace();
    workspace(workspace const&) = delete;
    workspace& operator=(workspace const&) = delete;

    /// Blocks run in a random order. `y` is null unless the operation takes two arrays.
    [[nodiscard]] steadfold::reduction_results run(steadfold::array_view x, steadfold::array_view y,
                                                   launch_shape const& shape, std::uint64_t seed);
    /// The same by two launches that leave a state, which is finished on the host.
    [[nodiscard]] steadfold::reduction_results run_in_parts(steadfold::array_view x, steadfold::array_view y,
                                                            launch_shape const& shape, std::uint64_t seed);
    /// False if a launch left something behind that the next one would add to its own.
    [[nodiscard]] bool is_clean() const;

  private:
    struct implementation;
    std::unique_ptr<implementation> implementation_;
};

/// What a GPU may use for a launch of little data, and the grid it gets; no blocks: the usual way.
struct small_device {
    int blocks, threads, vectors_of_thread, folds;
};
struct small_launch {
    int blocks = 0, threads = 0, vectors_of_block = 0;
};
[[nodiscard]] small_launch small_launch_of(std::int64_t elements, std::int64_t vectors, small_device const& device);

} // namespace on_cpu
