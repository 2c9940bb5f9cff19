/// Someone else's memory: a pointer and a count, of any kind of memory, and what the driver knows about a pointer.
///
///     std::vector<double> x(n);
///     sf::view v{x.data(), n};                        // or sf::view<double const> v = x;
///     sf::view d{device_pointer, n};                  // cudaMalloc, cudaMallocManaged, pinned: all alike
///     if (sf::locate(d.data()).kind == sf::memory_kind::device) ...
///     sf::array_view any = d;                         // the element type as a value
///     sf::strided_view column{matrix.data() + j, rows, columns};         // of a row-major matrix
///     sf::strided_view backwards{x.data() + n - 1, n, -1};
///
/// Making a view asks no driver and touches no memory. The memory must outlive the view.
#pragma once

#include "steadfold/bits.hpp"
#include "steadfold/dtype.hpp"
#include "steadfold/levels.hpp"

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace steadfold {
inline namespace v0 {

enum class memory_kind : std::uint8_t {
    host,    ///< ordinary memory of the process, unknown to CUDA
    pinned,  ///< page-locked host memory (cudaMallocHost, cudaHostRegister)
    device,  ///< memory of one GPU
    managed, ///< cudaMallocManaged: moves between host and GPUs
};

/// "host", "pinned", "device" or "managed".
[[nodiscard]] std::string_view name(memory_kind kind) noexcept;

struct memory_location {
    memory_kind kind = memory_kind::host;
    /// CUDA ordinal for `device` and `managed` memory (the device it was allocated on), else `host_device`.
    int device = host_device;
    [[nodiscard]] friend constexpr bool operator==(memory_location const&, memory_location const&) noexcept = default;
};

/// Where a pointer points, asked of the CUDA driver. Host for null, for memory CUDA does not know, and where there is
/// no CUDA or no driver. Leaves no error of its own behind for the caller's next cudaGetLastError.
/// @throws library_error  if CUDA reports something else, such as an earlier failure of one of the caller's kernels
[[nodiscard]] memory_location locate(void const* pointer);

/// Elements of a type known at run time, in memory of any kind. Implicitly made from a `view` or a `strided_view`.
struct array_view {
    void const* data = nullptr; ///< the first element
    std::int64_t count = 0;
    dtype type = dtype::float64;
    std::int64_t stride = 1; ///< elements from one to the next, as in strided_view

    /// Whether the elements lie one after another; a single one does.
    [[nodiscard]] constexpr bool contiguous() const noexcept { return stride == 1 || count <= 1; }
};

namespace detail {
/// @throws argument_error  for a null address with elements, or one not aligned to `alignment` bytes
/// A number, since compilers take a `void const*` for a promise to read and warn about memory not yet written.
void require_view(std::uintptr_t address, std::int64_t count, std::size_t alignment, dtype type);
[[noreturn]] void throw_bad_count(std::string const& count);
/// @throws argument_error, about `what`, unless `count` elements so far apart, the first one at `address`, lie within
/// the
///         address space
void require_strides(std::string_view what, std::uintptr_t address, std::int64_t count, std::int64_t stride,
                     dtype type);
[[noreturn]] void throw_bad_stride(std::string const& stride);

template <std::integral Count>
[[nodiscard]] std::int64_t checked_count(Count count) {
    if (!std::in_range<std::int64_t>(count) || std::cmp_less(count, 0)) throw_bad_count(std::to_string(count));
    return static_cast<std::int64_t>(count);
}

template <std::integral Stride>
[[nodiscard]] std::int64_t checked_stride(Stride stride) {
    if (!std::in_range<std::int64_t>(stride)) throw_bad_stride(std::to_string(stride));
    return static_cast<std::int64_t>(stride);
}

template <class Range, class T, class View>
concept contiguous_memory_of =
    !std::same_as<std::remove_cvref_t<Range>, View> && std::constructible_from<std::span<T>, Range&>;
template <class U, class T>
concept becomes_const = std::same_as<U const, T> && !std::same_as<U, T>;
} // namespace detail

/// A borrowed array of `count` elements. `T` is a type `dtype_of` knows, or such a type const. Trivially copyable.
template <class T>
class view {
  public:
    using element_type = T;
    using value_type = std::remove_cv_t<T>;
    /// The only alignment needed, in bytes: that of one component (4 for complex<float>).
    static constexpr std::size_t alignment = size_bytes(component_type(dtype_of<T>));

    constexpr view() noexcept = default;

    /// @param pointer  host, pinned, device or managed memory; may be null only if `count` is 0
    /// @param count    elements, any integer type
    /// @throws argument_error  naming a negative or too large count, a null or a misaligned pointer
    template <std::integral Count>
    view(T* pointer, Count count) : data_(pointer), count_(detail::checked_count(count)) {
        detail::require_view(reinterpret_cast<std::uintptr_t>(pointer), count_, alignment, dtype_of<T>);
    }

    /// From contiguous host memory: std::vector, std::array, std::span.
    template <detail::contiguous_memory_of<T, view> Range>
    view(Range&& range) : view(std::span<T>(range).data(), std::span<T>(range).size()) {} // NOLINT: implicit

    /// view<T> to view<T const>.
    template <detail::becomes_const<T> U>
    view(view<U> other) noexcept : data_(other.data()), count_(other.size()) {} // NOLINT: implicit on purpose

    [[nodiscard]] STEADFOLD_HOST_DEVICE constexpr T* data() const noexcept { return data_; }
    [[nodiscard]] STEADFOLD_HOST_DEVICE constexpr std::int64_t size() const noexcept { return count_; }
    [[nodiscard]] STEADFOLD_HOST_DEVICE constexpr bool empty() const noexcept { return count_ == 0; }
    [[nodiscard]] std::size_t bytes() const noexcept { return static_cast<std::size_t>(count_) * sizeof(T); }

    operator array_view() const noexcept { return {data_, count_, dtype_of<T>}; } // NOLINT: implicit on purpose

  private:
    T* data_ = nullptr;
    std::int64_t count_ = 0;
};

template <class T, std::integral Count>
view(T*, Count) -> view<T>;

/// A borrowed array of `count` elements of which each lies `stride` elements after the one before: a column of a
/// matrix, one field of interleaved data, an array backwards. Trivially copyable.
///
/// Index 0 is the element at `pointer`, whatever the sign of the stride (NumPy's convention; BLAS has negative strides
/// start at the other end). A stride of 0 is one element, `count` times. Results that are positions count the elements
/// of the view, not those in between.
///
/// Whatever takes an array_view takes strided ones, on the host and on GPUs, and gives the bits of the same elements
/// copied together; memory between the elements is not read. It costs what the memory costs: elements far apart fill a
/// cache line each. Strided host memory on its way to a GPU is gathered first.
template <class T>
class strided_view {
  public:
    using element_type = T;
    using value_type = std::remove_cv_t<T>;

    constexpr strided_view() noexcept = default;

    /// @param pointer  the first element; may be null only if `count` is 0
    /// @param count    elements, any integer type
    /// @param stride   elements from one to the next, not bytes; negative, 0 or positive, any integer type
    /// @throws argument_error  naming a negative or too large count, a stride that leads out of the address space, a
    ///                         null or a misaligned pointer
    template <std::integral Count, std::integral Stride>
    strided_view(T* pointer, Count count, Stride stride)
        : elements_(pointer, count), stride_(detail::checked_stride(stride)) {
        detail::require_strides("a view", reinterpret_cast<std::uintptr_t>(pointer), size(), stride_, dtype_of<T>);
    }

    strided_view(view<T> elements) noexcept : elements_(elements) {} // NOLINT: implicit on purpose

    /// strided_view<T> to strided_view<T const>.
    template <detail::becomes_const<T> U>
    strided_view(strided_view<U> other) noexcept // NOLINT: implicit on purpose
        : strided_view(view<T>(other.elements_), other.stride_) {}

    [[nodiscard]] constexpr T* data() const noexcept { return elements_.data(); }
    [[nodiscard]] constexpr std::int64_t size() const noexcept { return elements_.size(); }
    [[nodiscard]] constexpr std::int64_t stride() const noexcept { return stride_; }
    [[nodiscard]] constexpr bool empty() const noexcept { return elements_.empty(); }

    operator array_view() const noexcept { return {data(), size(), dtype_of<T>, stride_}; } // NOLINT: implicit

  private:
    template <class U>
    friend class strided_view;
    strided_view(view<T> elements, std::int64_t stride) noexcept : elements_(elements), stride_(stride) {}

    view<T> elements_; // as if they were contiguous
    std::int64_t stride_ = 1;
};

template <class T, std::integral Count, std::integral Stride>
strided_view(T*, Count, Stride) -> strided_view<T>;

namespace detail {
template <class View>
inline constexpr bool is_typed_view = false;
template <class T>
inline constexpr bool is_typed_view<view<T>> = true;
template <class T>
inline constexpr bool is_typed_view<strided_view<T>> = true;
} // namespace detail

/// view<T> or strided_view<T> of some T.
template <class View>
concept typed_view = detail::is_typed_view<View>;

/// Two views of one element type.
template <class X, class Y>
concept views_of_one_type =
    typed_view<X> && typed_view<Y> && std::same_as<typename X::value_type, typename Y::value_type>;

} // namespace v0
} // namespace steadfold
