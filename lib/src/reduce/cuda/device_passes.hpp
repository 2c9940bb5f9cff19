// The kernels of a plan over data that lies in device memory, and what they gather there.
//
//     device_passes passes{plan, where, stream};
//     passes.add_all(x, {}, first_index, stream, make_room);
//     passes.read(stream);
//     exact::reduction_state const state = passes.state();   // once the stream got there
//     passes.clear(stream);
#pragma once

#include "base/cuda_handles.hpp"
#include "reduce/cuda/factor_pass.hpp"
#include "reduce/cuda/launch.hpp"
#include "reduce/strided.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace steadfold::inline v0::cuda {

/// Of one device, which must be the current one in every call. Complex dots and weighted means need elements that are
/// made first; two sums that no kernel has together are gathered in two states.
class device_passes {
  public:
    device_passes(reduce_detail::plan const& plan, execution const& where, stream_ref stream);

    /// Starts anew.
    void clear(stream_ref stream);
    /// `y` is null unless there are pairs of two arrays. Either may be strided. Every time before something is launched
    /// make_room() is called, which should read and clear if this is_full().
    template <class Function>
    void add_all(array_view x, array_view y, std::int64_t first_index, stream_ref stream, Function const& make_room) {
        for (std::int64_t done = 0; done < x.count;) {
            make_room();
            std::int64_t const part = std::min(most_elements_, x.count - done);
            array_view const y_part = y.data == nullptr ? y : reduce_detail::part_of(y, done, part);
            add(reduce_detail::part_of(x, done, part), y_part, first_index + done, stream);
            done += part;
        }
    }
    /// Brings what was gathered to the host.
    void read(stream_ref stream);
    [[nodiscard]] exact::reduction_state state() const;

    /// Instead of read(): all of it in one state on the device, whose reader sets it back to `empty`. Its number of
    /// elements is not kept there.
    void gather_on_device(exact::reduction_state const* empty, stream_ref stream);
    [[nodiscard]] exact::reduction_state* device_state() const noexcept { return &memory_.get()->state; }

    /// What was gathered has to be read before more is added: limbs have no room for what every block may add.
    [[nodiscard]] bool is_full() const noexcept { return launched_blocks_ > blocks_before_read; }

    /// Room for made_elements() elements of the plan's type: small enough to stay in the cache between the kernel that
    /// makes them and the one that reduces them. Allocated when it is first asked for, and before any add() that needs
    /// it.
    [[nodiscard]] std::byte* made();
    [[nodiscard]] std::int64_t made_elements() const noexcept {
        return made_bytes / static_cast<std::int64_t>(size_bytes(plan_.type));
    }

    /// Whether a plan takes more than one kernel, and things that are made.
    [[nodiscard]] static bool are_needed(reduce_detail::plan const& plan) noexcept;

    /// Gives the memory up without freeing it: after a missed deadline kernels may still use it.
    void leak() noexcept;

  private:
    static constexpr std::int64_t made_bytes = std::int64_t{16} << 20;
    // A launch adds less than 2^33 for every block to a limb. No add() launches as many as are left to 2^30.
    static constexpr std::int64_t blocks_before_read = std::int64_t{1} << 28;
    // More would only wait for each other, and 2^30 blocks are then more chunks than any GPU has memory for.
    static constexpr int most_blocks_of_chunk = 4096;

    void add(array_view x, array_view y, std::int64_t first_index, stream_ref stream);
    void add_complex_pairs(array_view x, array_view y, stream_ref stream);
    void add_weights(array_view w, array_view x, stream_ref stream);
    void launch_all(int state, array_view x, array_view y, std::int64_t first_index, stream_ref stream);
    void launch(launcher const& with, int state, pass_arguments arguments, stream_ref stream);

    reduce_detail::plan plan_;
    int states_; // 2: the imaginary part of a complex dot, or the sum of weights, is gathered in the second one
    std::int64_t most_elements_; // of one add()
    launcher exact_, fast_, weights_;
    factor_pass factors_;
    steadfold::detail::device_buffer<grid_memory> memory_;
    steadfold::detail::device_buffer<block_partial> partials_;
    steadfold::detail::device_buffer<std::byte> made_;
    steadfold::detail::pinned_buffer<exact::reduction_state> host_states_; // and behind them an empty one
    std::int64_t launched_blocks_ = 0, elements_ = 0;
};

} // namespace steadfold::inline v0::cuda
