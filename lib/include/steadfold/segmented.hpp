/// Many reductions in one call: of the segments of an array, or along one axis of an N-dimensional one.
///
///     std::vector<double> x(10), sums(3), means(4);
///     std::vector<std::int64_t> offsets{0, 3, 3, 10};     // three segments: x[0..3), none, x[3..10)
///     sf::segmented_reduce(sf::view{x.data(), 10}, offsets, sf::operation::sum, sf::view{sums.data(), 3});
///
///     std::vector<std::int64_t> extents{6, 4};            // field[6][4], its mean over the first axis
///     sf::axis_reduce(sf::view{field.data(), 24}, extents, 0, sf::operation::mean, sf::view{means.data(), 4});
///
/// Every output is what reduce() gives for its elements alone: the exact value, rounded once, with the same bits on
/// every processor, for any number of threads and blocks and any alignment. Special values, empty ranges, NaN policies,
/// missing values and result types are those of reduce(); `mode` fast is accepted and computed exactly all the same.
/// argmin and argmax count from the start of the segment, or along the axis.
///
/// All operations of reduce() on one array are there. Quick are, on a host, all but variance, stddev, product and the
/// bitwise ones; on a GPU sums, means, L1, extrema and their indices of every type, and squares and L2 of float32,
/// float64 and complex data. The rest, and segments whose values differ by more than a factor of about 2^40, go through
/// a superaccumulator each: exact as well, several times slower. So does every strided array on a GPU: where the same
/// one is reduced often, gather its elements into an array of their own first. On a host they are gathered on the way.
/// Products and bitwise operations on a GPU take one warp for an output, however long it is. On a GPU the grid and the
/// arithmetic are chosen by the library: `blocks`, `threads_per_block` and `integer_arithmetic` of `execution` have no
/// effect.
#pragma once

#include "steadfold/dtype.hpp"
#include "steadfold/operations.hpp"
#include "steadfold/options.hpp"
#include "steadfold/results.hpp"
#include "steadfold/status.hpp"
#include "steadfold/stream.hpp"
#include "steadfold/view.hpp"

#include <cstdint>
#include <memory>
#include <span>
#include <type_traits>

namespace steadfold {
inline namespace v0 {

/// Where results go: `count` elements of a type known at run time and, if wanted, as many status flags. Implicitly made
/// from a `view` of elements that are not const. Trivially copyable; owns nothing.
struct output_view {
    void* data = nullptr;
    std::int64_t count = 0;
    dtype type = dtype::float64;
    status_flags* status = nullptr; ///< in the same kind of memory as `data`

    constexpr output_view() noexcept = default;
    constexpr output_view(void* data, std::int64_t count, dtype type, status_flags* status = nullptr) noexcept
        : data{data}, count{count}, type{type}, status{status} {}
    template <class T>
    requires(!std::is_const_v<T>) output_view(view<T> v, status_flags* status = nullptr)
    noexcept // NOLINT: implicit on purpose
        : output_view{v.data(), v.size(), dtype_of<T>, status} {}
};

/// The type of the results of `op` over elements of type `input`: the one reduce() gives, so the default one unless
/// `options.result` is set.
[[nodiscard]] dtype result_type(operation op, dtype input, reduce_options const& options = {}) noexcept;

/// Reduces segments again and again: owns threads or device memory, so that a later call finds them ready.
///
///     sf::segmented_reduction sums{sf::dtype::float64, sf::operation::sum, {}, {.kind = sf::processor_kind::cuda}};
///     sums.reserve(n, m);                                  // from here on calls allocate nothing
///     sums.segments(x, offsets, out, stream);              // returns at once; out is ready in the order of `stream`
///
/// Move-only; one thread at a time. The calls of one object share its memory: on a GPU keep them on one stream, or let
/// each end before the next. The caller's floating-point environment and current device are left as they were.
class segmented_reduction {
  public:
    /// @throws argument_error for operations the type does not have, for dot, and for devices that do not exist
    segmented_reduction(dtype type, operation op, reduce_options const& options = {}, execution const& where = {});
    ~segmented_reduction();
    segmented_reduction(segmented_reduction&&) noexcept;
    segmented_reduction& operator=(segmented_reduction&&) noexcept;

    /// Makes room on the GPU for calls with up to so many elements and outputs, which allocate nothing then. Other
    /// calls make room as they need it; what a captured graph works in lives as long as this object. On a host there is
    /// nothing to do.
    void reserve(std::int64_t elements, std::int64_t outputs);

    /// out[i] from x[offsets[i]] ... x[offsets[i + 1] - 1], elements of a strided x counted as those of its view.
    ///
    /// On the host all arrays are host memory and the results are there on return. On a GPU `x` is device, managed or
    /// pinned memory; work is done in the order of `stream` (no stream: the default stream). Offsets and results may be
    /// anywhere: results in ordinary host memory are waited for. With neither in ordinary host memory, and room made by
    /// reserve() or an earlier call, a call can be captured into a graph.
    ///
    /// @param offsets  one more than outputs, none smaller than the one before, from 0 to x.count. They need not begin
    ///                 at 0 or end at x.count. Offsets in host or pinned memory are looked at before any work; those in
    ///                 device and managed memory by the GPU on the way: if they are wrong nothing outside of x is read,
    ///                 the results are of no use, nor are those of later calls until wait() has thrown
    /// @param out      of result_type(); overlaps neither elements of x nor the offsets
    /// @throws argument_error  for another element or result type, null or misaligned data, offsets out of order or
    ///                 beyond x, a count of outputs that does not fit, overlapping or unreachable memory; nothing has
    ///                 been done then
    void segments(array_view x, view<std::int64_t const> offsets, output_view out, stream_ref stream = {});

    /// Reduces axis number `axis` of an array of these extents in C order (the last axis fastest): `out` has the other
    /// extents, in the same order. A strided x has one stride from each element to the next in that order: one field of
    /// interleaved data. Streams and errors as segments().
    ///
    /// @param extents  at least one, none negative; their product is x.count
    void axis(array_view x, std::span<std::int64_t const> extents, int axis, output_view out, stream_ref stream = {});

    /// Returns when the results of every call are there. A call captured into a graph is not waited for.
    /// @throws timeout_error at execution::deadline; argument_error if a GPU met offsets out of order or outside of x
    void wait();

    [[nodiscard]] dtype type() const noexcept;
    /// The type `out` must have.
    [[nodiscard]] dtype result_type() const noexcept;

  private:
    struct implementation;
    std::unique_ptr<implementation> implementation_;
};

/// One call of segmented_reduction::segments where `x` lies: on the GPU that holds it, else on the host. Returns when
/// the results are there.
void segmented_reduce(array_view x, view<std::int64_t const> offsets, operation op, output_view out,
                      reduce_options const& options = {}, stream_ref stream = {});

/// One call of segmented_reduction::axis, in the same way.
void axis_reduce(array_view x, std::span<std::int64_t const> extents, int axis, operation op, output_view out,
                 reduce_options const& options = {}, stream_ref stream = {});

} // namespace v0
} // namespace steadfold
