// Runs a rung: as many launches as it takes until one number is left on the device.
#pragma once

#include "base/cuda_handles.hpp"
#include "ladder/kernel_facts.hpp"
#include "ladder/rung.hpp"

#include <cstddef>
#include <cstdint>

namespace steadfold::inline v0::app::ladder {

/// Device memory for what blocks leave behind, and for the result. For one rung at a time on one stream.
class scratch {
  public:
    explicit scratch(std::int64_t most_elements);
    [[nodiscard]] void* sums(int which) const { return sums_[which].get(); } // 0 or 1: levels alternate
    [[nodiscard]] void* result() const { return result_.get(); }             // eight bytes
    [[nodiscard]] void* words() const { return words_.get(); }               // digit_words of them

  private:
    detail::device_buffer<std::byte> sums_[2];
    detail::device_buffer<std::byte> result_, words_;
};

/// Blocks of the first kernel, and operations on the stream: kernels and fills.
struct launches {
    std::int64_t blocks = 0;
    int operations = 0;
};

class launcher {
  public:
    /// On the current device.
    launcher(rung const& what, cudaStream_t stream);

    [[nodiscard]] rung const& what() const { return rung_; }
    [[nodiscard]] kernel_facts const& facts() const { return facts_; }

    /// The sum of x[0 .. n), n > 0, goes to the scratch memory's result. Returns at once.
    /// @param most_blocks  of a resident grid: 0 is as many as fit; a few make a small array wrap around them
    launches enqueue(void const* x, std::int64_t n, scratch const& memory, std::int64_t most_blocks = 0) const;

    /// Waits for what was enqueued. Exact: all types of results are float64 numbers.
    [[nodiscard]] double result(scratch const& memory) const;

  private:
    [[nodiscard]] std::int64_t blocks_for(std::int64_t n, std::int64_t most_blocks) const;
    void launch(void const* kernel, std::int64_t blocks, int threads, void** arguments) const;
    void launch_sum(std::int64_t blocks, void const* x, std::int64_t n, void* to) const;
    void clear(void* memory, std::size_t bytes) const;

    rung rung_;
    cudaStream_t stream_;
    kernel_facts facts_;
    std::int64_t resident_ = 1; // blocks of the whole device
};

} // namespace steadfold::inline v0::app::ladder
