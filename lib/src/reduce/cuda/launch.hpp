// Grids and arguments of the reduction kernels, and their launch.
#pragma once

#include "reduce/cuda/launch_arguments.hpp"
#include "reduce/plan.hpp"
#include "steadfold/options.hpp"

#include <cstdint>
#include <cuda_runtime_api.h>

namespace steadfold::inline v0::cuda {

/// A kernel with the grid that fills a device. The device must be the current one.
class launcher {
  public:
    launcher() = default;
    /// For the exact or the fast parts of a plan. @throws argument_error for a bad number of blocks or threads
    launcher(reduce_detail::plan const& plan, bool fast, execution const& where);

    [[nodiscard]] explicit operator bool() const noexcept { return choice_.function != nullptr; }
    [[nodiscard]] int most_blocks() const noexcept { return blocks_; }
    /// The device can prepare a kernel while the one before it ends.
    [[nodiscard]] bool overlaps() const noexcept { return overlaps_; }
    [[nodiscard]] bool has_partials() const noexcept { return choice_.has_partials; }

    /// Everything about the data; memory and results are the caller's to set. `y` is null unless there are pairs of two
    /// arrays. Either may be strided.
    [[nodiscard]] pass_arguments arguments_for(array_view x, array_view y, std::int64_t first_index) const;
    /// Number of blocks launch() will use.
    [[nodiscard]] int blocks_for(pass_arguments const& arguments) const;
    void launch(pass_arguments arguments, cudaStream_t stream) const;

  private:
    [[nodiscard]] std::int64_t warps_of(int blocks) const;
    /// Blocks of the largest cluster that the device takes of them.
    [[nodiscard]] int most_cluster_blocks() const;
    /// Threads of a block; fewer if there is less than one block of data.
    [[nodiscard]] int threads_for(pass_arguments const& arguments) const;
    /// Shared memory for the stages of bulk copies of one or two arrays.
    [[nodiscard]] std::size_t bulk_bytes(int arrays) const;

    kernel_choice choice_;
    int device_ = 0, threads_ = 0, blocks_ = 0;
    small_limits small_;
    int bulk_blocks_[2] = {}; // with bulk copies of one and of two arrays; 0: not on this device
    bool fixed_blocks_ = false, fixed_threads_ = false;
    bool overlaps_ = false;
    bool integer_only_ = false; // too few float64 units for folds
    described_elements what_;
};

} // namespace steadfold::inline v0::cuda
