// Instead of lib/src/reduce/cuda/cluster_parts.cuh: there are no clusters on the CPU.
#pragma once

#include <stdexcept>

namespace steadfold::inline v0::cuda {

template <class Part>
struct cluster_parts {
    static void prepare() { throw std::runtime_error("there are no clusters on the CPU"); }
    static void wait_for_blocks() {}
    static void tell(Part const&) {}
    static void wait() {}
    [[nodiscard]] Part const& of_block(unsigned) const { return part; }
    Part part;
};

} // namespace steadfold::inline v0::cuda
