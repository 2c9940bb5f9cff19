// Adding up ranks on a stream: what comes before and after the sum of the messages.
//
//     launch a reduction that leaves its state        (launch.hpp)
//     enqueue_encoding(message, stream);              // the state becomes a message and is empty again
//     ... the words of all ranks are added, in place, on the same stream ...
//     enqueue_results(message, stream);               // rounds what all ranks have together
#pragma once

#include "reduce/cuda/pass.hpp"
#include "steadfold/operations.hpp"

#include <cstdint>
#include <cuda_runtime_api.h>

namespace steadfold::inline v0::cuda {

/// Trivially copyable kernel argument; the pointers are to memory the device can use.
struct rank_message {
    std::int64_t* words = nullptr; // message_words(ranks) of them: see reduce/message.hpp
    int rank = 0, ranks = 1;
    std::int64_t signature = 0;
    std::int64_t elements = 0;                     // of this rank
    exact::reduction_state* state = nullptr;       // as launches leave it
    exact::reduction_state const* empty = nullptr; // what it is set back to
    finish_request finish;                         // its number of elements is not looked at
    dtype types[operation_count] = {};             // of the results, for ranks that disagree
    std::uint32_t* disagreed = nullptr;            // pinned; becomes 1 when they do
};

/// So that the first use, which may be in a capture, has nothing to load.
void load_message_kernels();

/// For compute capability 9.0 and later the kernel may get ready while the one before it ends (`overlaps`).
void enqueue_encoding(rank_message const& message, bool overlaps, cudaStream_t stream);
void enqueue_results(rank_message const& message, cudaStream_t stream);

} // namespace steadfold::inline v0::cuda
