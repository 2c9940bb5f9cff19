// Warps on the CPU, so that kernels run and are tested without a GPU: 32 fibers that take turns, in a different order
// after every instruction that they execute together. Only for kernels whose warps never wait for each other.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <source_location>
#include <string>
#include <ucontext.h>

namespace on_cpu {

struct index {
    unsigned x = 0;
};
/// Of the lane whose turn it is.
inline index this_thread, this_block;

class warp {
  public:
    explicit warp(std::uint64_t seed) : seed_{seed} {}

    /// Runs `program` in every lane. @throws std::runtime_error where the lanes do not meet in the same place
    void run(unsigned block, unsigned number, std::function<void()> const& program);

    /// What every lane brought here, once all have.
    [[nodiscard]] std::array<std::uint64_t, 32> const& exchange(std::uint64_t mine, std::source_location const& where);
    /// The one that runs.
    [[nodiscard]] static warp& current();

  private:
    struct lane {
        ucontext_t context;
        std::unique_ptr<char[]> stack;
        std::source_location where;
        unsigned exchanges = 0;
        bool done = false;
    };
    static void begin();
    void turn(unsigned lane);
    [[nodiscard]] bool all_done() const;

    std::uint64_t seed_;
    std::array<lane, 32> lanes_;
    std::array<std::array<std::uint64_t, 32>, 2> brought_; // a lane may be one exchange ahead
    std::function<void()> const* program_ = nullptr;
    ucontext_t scheduler_;
    unsigned base_ = 0, running_ = 0;
};

} // namespace on_cpu
