// A block of threads on the CPU, so that kernels run and are tested without a GPU: fibers that take turns in a random
// order and change only where they wait for each other. What they do between is atomic: this finds wrong protocols and
// wrong arithmetic, not races.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <random>
#include <source_location>
#include <string>
#include <ucontext.h>
#include <vector>

namespace on_cpu {

struct index {
    unsigned x = 0, y = 0, z = 0;
};
/// Of the thread whose turn it is.
inline index this_thread, this_block, block_size, grid_size;

class fibers {
  public:
    fibers(unsigned threads, std::uint64_t seed) : fibers{index{threads, 1, 1}, seed} {}
    /// A block of some shape; its last warp may have fewer than 32 threads.
    fibers(index shape, std::uint64_t seed);

    /// Runs `program` in every thread of a block, or of a part of one from thread `first` on that the others never wait
    /// for. @throws std::runtime_error where threads wait for each other in different places or for ever
    void run(unsigned block, std::function<void()> const& program, unsigned first = 0);

    /// Of the thread whose turn it is, in its warp.
    [[nodiscard]] unsigned lane() const { return running_ % 32; }
    /// Of the lanes that its warp has.
    [[nodiscard]] unsigned mask() const;
    /// What every lane of the warp brought here, once all have; of lanes that it does not have, something odd.
    [[nodiscard]] std::array<std::uint64_t, 32> const& exchange(std::uint64_t mine, std::source_location const& where);
    /// Waits for the whole block.
    void barrier(std::source_location const& where);
    /// The block that runs.
    [[nodiscard]] static fibers& current();

  private:
    struct fiber {
        ucontext_t context;
        std::unique_ptr<char[]> stack;
        bool done = false;
    };
    /// Where threads meet: whoever comes waits until all have come.
    struct meeting {
        unsigned arrived = 0, generation = 0;
        std::source_location where;
    };
    struct warp {
        meeting at;
        std::array<std::array<std::uint64_t, 32>, 2> brought; // a lane may be one exchange ahead
    };

    static void begin();
    void turn(unsigned thread);
    void meet(meeting& at, unsigned all, std::source_location const& where);
    [[noreturn]] void fail(std::string const& what);

    [[nodiscard]] unsigned lanes() const;

    index shape_;
    std::minstd_rand random_;
    std::vector<fiber> threads_;
    std::vector<warp> warps_;
    meeting whole_block_;
    std::function<void()> const* program_ = nullptr;
    std::optional<std::string> failure_;
    ucontext_t scheduler_;
    unsigned first_ = 0, running_ = 0;
    std::uint64_t progress_ = 0; // arrivals and ends
};

} // namespace on_cpu
