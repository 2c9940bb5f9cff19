// What a kernel costs: registers, shared memory, and how many of its threads a multiprocessor can hold.
#pragma once

#include <string>

namespace steadfold::inline v0::app::ladder {

struct kernel_facts {
    int registers = 0;           // a thread
    int static_shared_bytes = 0; // a block
    int dynamic_shared_bytes = 0;
    int local_bytes = 0; // a thread: what did not fit into registers
    int binary_version = 0;
    int blocks_per_multiprocessor = 0;
    double occupancy = 0; // of the warps that a multiprocessor can hold
    std::string limit;    // what keeps it from holding another block, e.g. "registers"; several joined by "+"
};

/// Of the current device. The kernel is launched with `threads` a block and no dynamic shared memory.
[[nodiscard]] kernel_facts facts_of(void const* kernel, int threads);

/// What a multiprocessor has, in the units in which it is handed out.
struct multiprocessor {
    int threads = 0, warp = 32, blocks = 0, registers = 0;
    int shared_bytes = 0, reserved_shared_bytes = 0; // the latter for every block
};

struct resident_blocks {
    int by_threads = 0, by_blocks = 0, by_registers = 0, by_shared_memory = 0;
    [[nodiscard]] int fewest() const;
    [[nodiscard]] std::string limit() const;
};

/// How many blocks each resource alone would allow.
[[nodiscard]] resident_blocks blocks_allowed(multiprocessor const& has, int threads, int registers, int shared_bytes);

} // namespace steadfold::inline v0::app::ladder
