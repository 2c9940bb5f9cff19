// What block.cuh computes of one value a thread, for tests on the CPU and on GPUs.
#pragma once

#include "steadfold/device/block.cuh"

#include <cstdint>

namespace device_cases {

/// x -> a x + b modulo 2^32, one after the other: associative, not commutative, and of no power of two in size.
struct affine {
    std::uint32_t a, b, tag;
    friend bool operator==(affine const&, affine const&) = default;
};
struct then {
    __host__ __device__ affine operator()(affine first, affine second) const {
        return {second.a * first.a, second.a * first.b + second.b, first.tag + second.tag};
    }
};

/// Results of every thread.
template <class T>
struct results_of_block {
    T *reduced, *everywhere, *inclusive, *exclusive; // `reduced`: of thread 0 only
};

/// Shared memory of a block that computes them.
template <class T>
struct room_of_block {
    typename steadfold::device::block_reduce<T>::storage reduced, everywhere;
    typename steadfold::device::block_scan<T>::storage inclusive, exclusive;
};

template <class T, class Operation>
__device__ void compute(T const* values, T const& initial, Operation operation, results_of_block<T> const& out,
                        room_of_block<T>& room) {
    namespace device = steadfold::device;
    unsigned const i = device::thread_rank();
    T const value = values[i];
    T const reduced = device::block_reduce<T>{room.reduced}.reduce(value, operation);
    if (i == 0) out.reduced[0] = reduced;
    out.everywhere[i] = device::block_reduce<T>{room.everywhere}.all_reduce(value, operation);
    out.inclusive[i] = device::block_scan<T>{room.inclusive}.inclusive(value, operation);
    out.exclusive[i] = device::block_scan<T>{room.exclusive}.exclusive(value, operation, initial);
}

} // namespace device_cases
