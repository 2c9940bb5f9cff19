/// Histograms with exact counts: every element falls into the same bin wherever and however it is counted.
///
///     auto h = sf::histogram(world, sf::view{x.data(), n}, sf::uniform_bins(0.0, 1.0, 100));
///     std::printf("%lld in the first bin, %lld NaN\n", (long long)h.counts[0], (long long)h.nan);
///
///     sf::histogram_counter c{sf::dtype::float32, sf::bin_edges({0.0, 1.0, 10.0, 100.0})};
///     for (auto const& chunk : chunks) c.add(chunk);
///     sf::histogram_result h = c.finish(world);
///
/// Bin i holds edge[i] <= x < edge[i+1]; the last bin holds its upper edge too. Edges are float64 numbers, and
/// membership is decided by comparing the element's exact value with them: float32 0.1f is above the edge 0.1, and
/// 64-bit integers are not rounded. -0 equals +0. -Inf counts as below, +Inf as above, NaN apart.
///
/// Element types: float64, float32, float16, bfloat16 and integers of 8 to 64 bits. Counts do not overflow before 2^63.
#pragma once

#include "steadfold/array.hpp"
#include "steadfold/communicator.hpp"
#include "steadfold/dtype.hpp"
#include "steadfold/options.hpp"
#include "steadfold/stream.hpp"
#include "steadfold/view.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace steadfold {
inline namespace v0 {

/// The most bins of a histogram.
inline constexpr std::int64_t max_histogram_bins = std::int64_t{1} << 24;

/// Strictly increasing finite edges, one more than there are bins. Made by uniform_bins() and bin_edges(); a value.
class histogram_bins {
  public:
    [[nodiscard]] std::int64_t count() const noexcept { return static_cast<std::int64_t>(edges_.size()) - 1; }
    [[nodiscard]] std::span<double const> edges() const noexcept { return edges_; }
    /// Made by uniform_bins(): found faster, counted alike.
    [[nodiscard]] bool uniform() const noexcept { return uniform_; }
    /// Equal edges, however they were made.
    [[nodiscard]] friend bool operator==(histogram_bins const& a, histogram_bins const& b) noexcept {
        return a.edges_ == b.edges_;
    }

  private:
    histogram_bins(std::vector<double> edges, bool uniform) : edges_{std::move(edges)}, uniform_{uniform} {}
    friend histogram_bins uniform_bins(double low, double high, std::int64_t count);
    friend histogram_bins bin_edges(std::vector<double> edges);

    std::vector<double> edges_;
    bool uniform_;
};

/// `count` bins of equal width: edge[i] is the exact value ((count - i) * low + i * high) / count rounded once to
/// nearest-even. So edge[0] is low, edge[count] is high, high - low may exceed the largest double, and 0.3 is an edge
/// of ten bins from 0 to 1. (NumPy's edges are steps of a rounded width, 0.30000000000000004 there: give them to
/// bin_edges() where its counts must be met.)
/// @throws argument_error unless low < high are finite, 1 <= count <= max_histogram_bins and the edges all differ
[[nodiscard]] histogram_bins uniform_bins(double low, double high, std::int64_t count);

/// Bins between given edges.
/// @throws argument_error unless there are 2 to max_histogram_bins + 1 edges, finite and strictly increasing; names the
///         first that is not
[[nodiscard]] histogram_bins bin_edges(std::vector<double> edges);

struct histogram_options {
    /// Integer data: elements of this value are counted as NaN.
    std::optional<std::int64_t> missing = {};
};

struct histogram_result {
    std::vector<std::int64_t> counts; ///< one a bin
    std::int64_t below = 0;           ///< less than the first edge
    std::int64_t above = 0;           ///< more than the last edge
    std::int64_t nan = 0;             ///< NaN, or missing
    std::int64_t total = 0;           ///< all elements: the sum of the above
    [[nodiscard]] friend bool operator==(histogram_result const&, histogram_result const&) = default;
};

/// A histogram in progress: takes data in pieces, in any order and any number of them.
///
/// Create it once and use it again: finish() starts it anew. Move-only; one thread at a time; different counters are
/// independent. The caller's floating-point environment and current device are left as they were.
class histogram_counter {
  public:
    /// On the host every thread keeps counts of its own: 8 bytes a bin, four times that up to 2^12 bins.
    /// @throws argument_error for complex types, `missing` with floating-point types and devices that do not exist
    histogram_counter(dtype type, histogram_bins bins, histogram_options const& options = {},
                      execution const& where = {});
    ~histogram_counter();
    histogram_counter(histogram_counter&&) noexcept;
    histogram_counter& operator=(histogram_counter&&) noexcept;

    /// Counts elements, which may be strided.
    ///
    /// On a host counter the data must be host memory and has been read on return. On a CUDA counter the data may be
    /// host, pinned, device or managed memory; the call may return before it was read: keep it until wait() or
    /// finish(). Device and managed memory is read in the order of `stream` (no stream: the default stream): after the
    /// work already on it, before work put on it later. Host and pinned memory is read at once, so let work that still
    /// writes it end first. Strided host memory has been read on return, which may have to wait for earlier copies:
    /// timeout_error at execution::deadline.
    ///
    /// After an error other than argument_error part of the data may have been counted: start again with a new counter.
    /// @throws argument_error for another element type, null or misaligned data with elements, elements outside the
    ///         address space, or device memory that is not this counter's
    void add(array_view data, stream_ref stream = {});

    /// Returns when everything added so far has been read.
    void wait();

    /// Moves what `other` has counted into this counter; other devices of the same process are merged this way.
    /// @throws mismatch_error if the two were created for different types, edges or options; argument_error for a merge
    ///         with itself
    void merge(histogram_counter& other);

    /// Counts over everything added on all ranks; the same on every rank. Starts the counter anew. Collective. Where
    /// this process's own device misses execution::deadline, nothing is lost: it can be called again.
    /// @throws mismatch_error on every rank if the ranks disagree on type, edges or options; timeout_error if one does
    ///         not arrive
    [[nodiscard]] histogram_result finish(communicator const& ranks = {});

    [[nodiscard]] dtype type() const noexcept;
    [[nodiscard]] histogram_bins const& bins() const noexcept;

  private:
    struct implementation;
    std::unique_ptr<implementation> implementation_;
};

/// Histogram of all elements of `x` on every rank, counted where they lie. Collective over `ranks`.
///
/// @param x  this rank's part, n >= 0 elements; aligned to them, no more is needed
/// @throws as histogram_counter
[[nodiscard]] histogram_result histogram(communicator const& ranks, array_view x, histogram_bins const& bins,
                                         histogram_options const& options = {});

/// The same over pieces that may lie on different devices, GPUs side by side. `type` is the element type of the whole,
/// also on ranks without pieces.
[[nodiscard]] histogram_result histogram(communicator const& ranks, dtype type, std::span<array_view const> pieces,
                                         histogram_bins const& bins, histogram_options const& options = {});

/// Histogram of a partitioned array: every rank passes its part.
template <class T>
[[nodiscard]] histogram_result histogram(communicator const& ranks, array<T> const& x, histogram_bins const& bins,
                                         histogram_options const& options = {}) {
    std::vector<array_view> pieces;
    for (auto const& shard : x.shards())
        if (shard.range.count > 0) pieces.push_back(shard.data);
    return histogram(ranks, dtype_of<T>, pieces, bins, options);
}

} // namespace v0
} // namespace steadfold
