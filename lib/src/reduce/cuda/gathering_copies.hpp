// Strided host memory on its way to a device: gathered into pinned memory a piece at a time, and copied from there.
#pragma once

#include "base/cuda_handles.hpp"
#include "reduce/strided.hpp"
#include "steadfold/view.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace steadfold::inline v0::cuda {

/// Of one device, which must be the current one in every call. Memory is allocated by the first call.
class gathering_copies {
  public:
    /// The elements, one after another, to device memory at `to` in the order of `stream`, which must always be the
    /// same one. They have been read on return. `wait_for(event)` returns once what is before the event on the stream
    /// is done, or throws.
    template <class Wait>
    void enqueue(array_view elements, std::byte* to, cudaStream_t stream, Wait const& wait_for) {
        using steadfold::detail::check;
        auto const bytes = static_cast<std::int64_t>(size_bytes(elements.type));
        std::int64_t const most = piece_bytes / bytes;
        for (std::int64_t done = 0; done < elements.count; done += most) {
            piece& next = next_piece();
            wait_for(next.copied.get());
            std::int64_t const count = std::min(most, elements.count - done);
            auto const size = static_cast<std::size_t>(count * bytes);
            void const* const part = reduce_detail::contiguous_part(elements, done, count, next.memory.get());
            if (part != next.memory.get()) std::memcpy(next.memory.get(), part, size); // one element is left
            check(cudaMemcpyAsync(to + done * bytes, next.memory.get(), size, cudaMemcpyHostToDevice, stream),
                  "copying strided data to the device");
            check(cudaEventRecord(next.copied.get(), stream), "marking a copy");
        }
    }

    /// After a missed deadline: copies may still read the memory.
    void leak() noexcept {
        for (piece& each : pieces_) {
            static_cast<void>(each.memory.release());
            static_cast<void>(each.copied.release());
        }
    }

  private:
    static constexpr std::int64_t piece_bytes = std::int64_t{4} << 20;

    struct piece {
        steadfold::detail::pinned_buffer<std::byte> memory;
        steadfold::detail::owned_event copied;
    };

    /// One is filled while the other is copied.
    piece& next_piece() {
        using namespace steadfold::detail;
        piece& next = pieces_[next_];
        next_ ^= 1;
        if (!next.memory) next.memory = allocate_pinned<std::byte>(piece_bytes, "gathering strided data");
        if (!next.copied) next.copied = make_event();
        return next;
    }

    std::array<piece, 2> pieces_;
    std::size_t next_ = 0;
};

} // namespace steadfold::inline v0::cuda
