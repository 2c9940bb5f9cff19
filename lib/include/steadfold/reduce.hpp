/// Reductions over arrays, ranks and devices: the same bits however they are run.
///
///     sf::communicator world = sf::mpi::duplicate(MPI_COMM_WORLD);
///     auto stats = sf::reduce(world, sf::view{x.data(), n}, sf::sum | sf::mean | sf::variance | sf::extrema);
///     std::printf("%a %a\n", stats.sum, stats.variance);
///     double rho = sf::dot(world, sf::view{r.data(), n}, sf::view{z.data(), n});
///
/// In `exact` mode every result is the mathematically exact value, rounded once to nearest-even. It depends on the
/// multiset of elements alone: not on ranks, devices, threads, blocks, chunks, order or alignment (indices of extrema
/// depend on the order, of course). Special values: NaN propagates (or is left out, nan_policy::ignore); +Inf and -Inf
/// together give NaN with status `invalid`; a sum of only -0 is -0; an empty range gives a sum of +0, NaN for means,
/// variances and extrema, index -1, each with status `empty`. A complex element with a NaN part counts as NaN.
#pragma once

#include "steadfold/array.hpp"
#include "steadfold/communicator.hpp"
#include "steadfold/dtype.hpp"
#include "steadfold/operations.hpp"
#include "steadfold/options.hpp"
#include "steadfold/results.hpp"
#include "steadfold/stream.hpp"
#include "steadfold/view.hpp"

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>
#include <type_traits>
#include <vector>

namespace steadfold {
inline namespace v0 {

/// A reduction in progress: owns threads or device memory, takes data in pieces, in any order and any number of them.
///
///     sf::reduction r{sf::dtype::float64, sf::sum | sf::extrema};
///     for (auto const& chunk : chunks) r.add(chunk.values, chunk.first_index);
///     sf::reduction_results results = r.finish(world);
///
/// Create it once and use it again: finish() starts it anew, and a later round of the same size finds its threads and
/// its device memory ready. Move-only; one thread at a time; different reductions are independent. The caller's
/// floating-point environment and current device are left as they were. A process made by fork() makes its own:
/// threads and devices do not follow it.
class reduction {
  public:
    /// @throws argument_error for operations the type does not have and for devices that do not exist, naming them
    reduction(dtype type, operation_set operations, reduce_options const& options = {}, execution const& where = {});
    ~reduction();
    reduction(reduction&&) noexcept;
    reduction& operator=(reduction&&) noexcept;

    /// Adds elements; `first_index` is the row-major index of the first one in the whole array (for argmin, argmax).
    ///
    /// On a host reduction the data must be host memory and has been read on return. On a CUDA reduction the data may
    /// be host, pinned, device or managed memory; the call may return before it was read: keep it until wait() or
    /// finish(). Device and managed memory is read in the order of `stream` (no stream: the default stream): after the
    /// work already on it, before work put on it later. Host and pinned memory is read at once, so let work that still
    /// writes it end first. Strided host memory has been read on return, which may have to wait for earlier copies:
    /// timeout_error at execution::deadline.
    ///
    /// After an error other than argument_error part of the data may have been added: start again with a new reduction.
    /// @throws argument_error for another element type, null data with elements, an index below 0 or beyond 2^63 - 1,
    ///         elements outside the address space, device memory on a host reduction, or a reduction of pairs
    void add(array_view data, std::int64_t first_index = 0, stream_ref stream = {});

    /// Adds products of pairs, for operation::dot. Both arrays must have the same type and length; their strides may
    /// differ.
    void add_products(array_view x, array_view y, stream_ref stream = {});

    /// Returns when everything added so far has been read.
    void wait();

    /// Moves what `other` has seen into this reduction; other devices of the same process are merged this way.
    /// @throws mismatch_error if the two were created for different types, operations or options; argument_error for
    ///         a merge with itself
    void merge(reduction& other);

    /// Results over everything added on all ranks; the same on every rank. Starts the reduction anew. Collective. Where
    /// this process's own device misses execution::deadline, nothing is lost: it can be called again.
    /// @throws mismatch_error on every rank if the ranks disagree; timeout_error if one does not arrive
    [[nodiscard]] reduction_results finish(communicator const& ranks = {});

    [[nodiscard]] dtype type() const noexcept;
    [[nodiscard]] operation_set operations() const noexcept;

  private:
    struct implementation;
    std::unique_ptr<implementation> implementation_;
};

/// Where data of a view is best reduced: on the GPU that holds it, else on the host.
[[nodiscard]] execution where_it_lies(array_view data);
/// The same for arrays that are reduced together: on the GPU if one of them is its memory or all are managed, else on
/// the host. @throws argument_error for memory of two GPUs
[[nodiscard]] execution where_they_lie(std::initializer_list<array_view> arrays);

/// Results over all elements of `x` on every rank, in one pass over the data. Collective over `ranks`.
///
/// @param x            this rank's part, n >= 0 elements; aligned to its components, no more is needed; may be strided
/// @param first_index  row-major index of x[0] in the whole array; the elements of `x` follow it without gaps
/// @throws as reduction
[[nodiscard]] reduction_results reduce(communicator const& ranks, array_view x, operation_set operations,
                                       reduce_options const& options = {}, std::int64_t first_index = 0);

/// A piece of this rank's part of an array, and the row-major index of its first element in the whole.
struct array_piece {
    array_view data;
    std::int64_t first_index = 0;
};

/// The same over pieces that may lie on different devices: each is reduced where it lies, GPUs side by side.
/// `type` is the element type of the whole, also on ranks without pieces.
[[nodiscard]] reduction_results reduce(communicator const& ranks, dtype type, std::span<array_piece const> pieces,
                                       operation_set operations, reduce_options const& options = {});

/// Typed form of reduce(), of a view<T> or strided_view<T>; `options.result` must not be set.
template <typed_view View>
[[nodiscard]] statistics<typename View::value_type> reduce(communicator const& ranks, View x, operation_set operations,
                                                           reduce_options const& options = {},
                                                           std::int64_t first_index = 0) {
    detail::require_default_result(options);
    return detail::typed<typename View::value_type>(reduce(ranks, array_view(x), operations, options, first_index));
}

/// Results over all elements of a partitioned array: every rank passes its part.
template <class T>
[[nodiscard]] statistics<T> reduce(communicator const& ranks, array<T> const& x, operation_set operations,
                                   reduce_options const& options = {}) {
    detail::require_default_result(options);
    std::vector<array_piece> pieces;
    for (auto const& shard : x.shards())
        if (shard.range.count > 0) pieces.push_back({shard.data, shard.range.first});
    return detail::typed<T>(reduce(ranks, dtype_of<T>, pieces, operations, options));
}

/// Sum of x[i] * y[i] over every rank, correctly rounded. Collective; the views must be of the same length. Complex
/// elements are not conjugated (BLAS dotu): see pairs.hpp for the other one.
[[nodiscard]] result_value dot(communicator const& ranks, array_view x, array_view y,
                               reduce_options const& options = {});

/// Typed form of dot(), of views and strided views.
template <typed_view X, typed_view Y>
[[nodiscard]] auto dot(communicator const& ranks, X x, Y y, reduce_options const& options = {}) {
    static_assert(views_of_one_type<X, Y>, "dot takes two arrays of one type");
    detail::require_default_result(options);
    return detail::value_as<typename detail::result_types<typename X::value_type>::sum>(
        dot(ranks, array_view(x), array_view(y), options));
}

} // namespace v0
} // namespace steadfold
