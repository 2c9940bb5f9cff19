// Reductions along an axis that is not the last: neighbours of one output lie far apart, so blocks of neighbouring
// outputs are turned into rows first.
#pragma once

#include "segmented/host/segment_worker.hpp"
#include "segmented/settings.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace steadfold::inline v0::segmented {

/// The outputs cut into blocks of neighbours that are worked on together.
class column_blocks {
  public:
    explicit column_blocks(problem const& problem);

    [[nodiscard]] std::int64_t count() const noexcept { return outer_ * blocks_an_outer_; }
    [[nodiscard]] std::int64_t length() const noexcept { return length_; }
    [[nodiscard]] dtype type() const noexcept { return x_.type; }
    /// Columns of a block, and rows of them that are turned at once.
    [[nodiscard]] std::int64_t width(std::int64_t block) const noexcept;
    [[nodiscard]] std::int64_t rows() const noexcept { return rows_; }
    [[nodiscard]] std::int64_t first_output(std::int64_t block) const noexcept;
    /// Into how many parts each column is cut, so that every thread has something to do.
    [[nodiscard]] int parts_for(int threads) const noexcept;

    /// Copies rows [first, first + rows) of a block: column by column, each of them contiguous.
    void turn(std::int64_t block, std::int64_t first, std::int64_t rows, std::byte* out) const;
    [[nodiscard]] std::size_t turned_bytes() const noexcept;

  private:
    array_view x_;
    std::int64_t length_, inner_, outer_, width_, rows_, blocks_an_outer_;
};

using column_states = std::vector<exact::reduction_state>;

/// One thread's work on blocks.
class column_worker {
  public:
    column_worker(column_blocks const& blocks, segment_worker& worker);

    void reduce(std::int64_t block, result_writer const& out);
    /// Part `part` of `parts` of every column of a block.
    [[nodiscard]] column_states add(std::int64_t block, int parts, int part);

  private:
    [[nodiscard]] array_view turned(std::int64_t first, std::int64_t count) const noexcept;

    column_blocks const& blocks_;
    segment_worker& worker_;
    std::vector<std::byte> turned_;
};

} // namespace steadfold::inline v0::segmented
