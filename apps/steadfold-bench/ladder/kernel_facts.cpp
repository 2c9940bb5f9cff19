#include "ladder/kernel_facts.hpp"

#include "base/cuda_check.hpp"

#include <algorithm>

namespace steadfold::inline v0::app::ladder {

namespace {

int attribute(cudaDeviceAttr which) {
    int device = 0, value = 0;
    detail::check(cudaGetDevice(&device), "asking for the current device");
    detail::check(cudaDeviceGetAttribute(&value, which, device), "asking what a multiprocessor has");
    return value;
}

multiprocessor this_multiprocessor() {
    return {.threads = attribute(cudaDevAttrMaxThreadsPerMultiProcessor),
            .warp = attribute(cudaDevAttrWarpSize),
            .blocks = attribute(cudaDevAttrMaxBlocksPerMultiprocessor),
            .registers = attribute(cudaDevAttrMaxRegistersPerMultiprocessor),
            .shared_bytes = attribute(cudaDevAttrMaxSharedMemoryPerMultiprocessor),
            .reserved_shared_bytes = attribute(cudaDevAttrReservedSharedMemoryPerBlock)};
}

int rounded_up(int value, int unit) {
    return (value + unit - 1) / unit * unit;
}

} // namespace

int resident_blocks::fewest() const {
    return std::min({by_threads, by_blocks, by_registers, by_shared_memory});
}

std::string resident_blocks::limit() const {
    std::string names;
    auto const name_if = [&](int blocks, char const* name) {
        if (blocks == fewest()) names.append(names.empty() ? "" : "+").append(name);
    };
    name_if(by_registers, "registers");
    name_if(by_shared_memory, "shared_memory");
    name_if(by_threads, "threads");
    name_if(by_blocks, "blocks");
    return names;
}

resident_blocks blocks_allowed(multiprocessor const& has, int threads, int registers, int shared_bytes) {
    // CUDA's cuda_occupancy.h, for compute capability 7.0 and later: a warp takes registers in units of 256 from one of
    // four files, and a block takes shared memory in units of 128 bytes.
    constexpr int files = 4, register_unit = 256, shared_unit = 128;
    int const warps = (threads + has.warp - 1) / has.warp;
    int const warp_registers = rounded_up(std::max(registers, 1) * has.warp, register_unit);
    int const block_shared = rounded_up(shared_bytes + has.reserved_shared_bytes, shared_unit);
    return {.by_threads = has.threads / has.warp / warps,
            .by_blocks = has.blocks,
            .by_registers = has.registers / files / warp_registers * files / warps,
            .by_shared_memory = block_shared == 0 ? has.blocks : has.shared_bytes / block_shared};
}

kernel_facts facts_of(void const* kernel, int threads) {
    cudaFuncAttributes found{};
    detail::check(cudaFuncGetAttributes(&found, kernel), "asking for a kernel's registers");
    kernel_facts facts;
    facts.registers = found.numRegs;
    facts.static_shared_bytes = static_cast<int>(found.sharedSizeBytes);
    facts.local_bytes = static_cast<int>(found.localSizeBytes);
    facts.binary_version = found.binaryVersion;
    detail::check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&facts.blocks_per_multiprocessor, kernel, threads, 0),
                  "asking how many blocks a multiprocessor holds");
    multiprocessor const has = this_multiprocessor();
    int const warps = facts.blocks_per_multiprocessor * ((threads + has.warp - 1) / has.warp);
    facts.occupancy = static_cast<double>(warps) / (has.threads / has.warp);
    resident_blocks const allowed = blocks_allowed(has, threads, facts.registers, facts.static_shared_bytes);
    // A chip with other rules than ours is not given a wrong reason.
    facts.limit = allowed.fewest() == facts.blocks_per_multiprocessor ? allowed.limit() : "unknown";
    return facts;
}

} // namespace steadfold::inline v0::app::ladder
