#include "segmented/host/columns.hpp"

#include "steadfold/partition.hpp"

#include <algorithm>
#include <cstring>

namespace steadfold::inline v0::segmented {

namespace {

constexpr std::int64_t turned_at_once = 256 * 1024; // bytes, to stay in the second-level cache
constexpr std::int64_t most_rows = 1024;            // of columns that are too long to be turned whole
constexpr std::int64_t widest = 512;

// A cache line of each row at a time, so that few lines are written side by side.
template <std::size_t Bytes>
void turn_words(std::byte const* from, std::int64_t row_bytes, std::int64_t column_bytes, std::int64_t rows,
                std::int64_t columns, std::byte* out) {
    constexpr auto bytes = static_cast<std::int64_t>(Bytes), step = 64 / bytes;
    for (std::int64_t first = 0; first < columns; first += step) {
        std::int64_t const last = std::min(columns, first + step);
        for (std::int64_t r = 0; r < rows; ++r)
            for (std::int64_t c = first; c < last; ++c)
                std::memcpy(out + (c * rows + r) * bytes, from + r * row_bytes + c * column_bytes, Bytes);
    }
}

} // namespace

column_blocks::column_blocks(problem const& problem)
    : x_{problem.x}, length_{problem.segments.length}, inner_{problem.inner}, outer_{problem.outputs / problem.inner} {
    auto const bytes = static_cast<std::int64_t>(size_bytes(x_.type));
    // A column that fits a tile is turned whole, and has a quick way to its result.
    rows_ = length_ <= host::tile_elements / 2 ? std::max<std::int64_t>(length_, 1) : most_rows;
    width_ = std::clamp<std::int64_t>(turned_at_once / (rows_ * bytes), 1, std::min(inner_, widest));
    blocks_an_outer_ = (inner_ + width_ - 1) / width_;
}

std::int64_t column_blocks::width(std::int64_t block) const noexcept {
    return std::min(width_, inner_ - block % blocks_an_outer_ * width_);
}

std::int64_t column_blocks::first_output(std::int64_t block) const noexcept {
    return block / blocks_an_outer_ * inner_ + block % blocks_an_outer_ * width_;
}

int column_blocks::parts_for(int threads) const noexcept {
    if (length_ <= rows_ || count() >= threads) return 1;
    return static_cast<int>((threads + count() - 1) / count());
}

std::size_t column_blocks::turned_bytes() const noexcept {
    return static_cast<std::size_t>(width_ * rows_) * size_bytes(x_.type);
}

void column_blocks::turn(std::int64_t block, std::int64_t first, std::int64_t rows, std::byte* out) const {
    std::int64_t const outer = block / blocks_an_outer_, column = block % blocks_an_outer_ * width_;
    std::int64_t const columns = width(block);
    std::int64_t const apart = (x_.contiguous() ? 1 : x_.stride) * static_cast<std::int64_t>(size_bytes(x_.type));
    auto const* const from =
        static_cast<std::byte const*>(x_.data) + ((outer * length_ + first) * inner_ + column) * apart;
    switch (size_bytes(x_.type)) {
    case 1:
        return turn_words<1>(from, inner_ * apart, apart, rows, columns, out);
    case 2:
        return turn_words<2>(from, inner_ * apart, apart, rows, columns, out);
    case 4:
        return turn_words<4>(from, inner_ * apart, apart, rows, columns, out);
    case 8:
        return turn_words<8>(from, inner_ * apart, apart, rows, columns, out);
    default:
        return turn_words<16>(from, inner_ * apart, apart, rows, columns, out);
    }
}

column_worker::column_worker(column_blocks const& blocks, segment_worker& worker)
    : blocks_{blocks}, worker_{worker}, turned_(blocks.turned_bytes()) {}

void column_worker::reduce(std::int64_t block, result_writer const& out) {
    std::int64_t const width = blocks_.width(block), output = blocks_.first_output(block);
    if (blocks_.length() <= blocks_.rows()) {
        blocks_.turn(block, 0, blocks_.length(), turned_.data());
        worker_.reduce(turned(0, width * blocks_.length()), {nullptr, blocks_.length()}, 0, width, output, out);
        return;
    }
    column_states states = add(block, 1, 0);
    for (std::int64_t c = 0; c < width; ++c) out.put(output + c, worker_.finish(states[static_cast<std::size_t>(c)]));
}

/// Elements [first, first + count) of what was turned last.
array_view column_worker::turned(std::int64_t first, std::int64_t count) const noexcept {
    auto const bytes = static_cast<std::int64_t>(size_bytes(blocks_.type()));
    return {turned_.data() + first * bytes, count, blocks_.type()};
}

column_states column_worker::add(std::int64_t block, int parts, int part) {
    std::int64_t const width = blocks_.width(block);
    index_range const mine = block_range(blocks_.length(), parts, part);
    column_states states(static_cast<std::size_t>(width));
    for (std::int64_t first = mine.first; first < mine.last(); first += blocks_.rows()) {
        std::int64_t const rows = std::min(blocks_.rows(), mine.last() - first);
        blocks_.turn(block, first, rows, turned_.data());
        for (std::int64_t c = 0; c < width; ++c)
            worker_.add(states[static_cast<std::size_t>(c)], turned(c * rows, rows), first);
    }
    return states;
}

} // namespace steadfold::inline v0::segmented
