/// Someone else's memory: a pointer and a count, of any kind of memory, and what the driver knows about a pointer.
///
///     std::vector<double> x(n);
///     sf::view v{x.data(), n};                        // or sf::view<double const> v = x;
///     sf::view d{device_pointer, n};                  // cudaMalloc, cudaMallocManaged, pinned: all alike
///     if (sf::locate(d.data()).kind == sf::memory_kind::device) ...
///     sf::array_view any = d;                         // the element type as a value
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

/// Elements of a type known at run time, in memory of any kind. Implicitly made from a `view`.
struct array_view {
    void const* data = nullptr;
    std::int64_t count = 0;
    dtype type = dtype::float64;
};

namespace detail {
/// @throws argument_error  for a null address with elements, or one not aligned to `alignment` bytes
/// A number, since compilers take a `void const*` for a promise to read and warn about memory not yet written.
void require_view(std::uintptr_t address, std::int64_t count, std::size_t alignment, dtype type);
[[noreturn]] void throw_bad_count(std::string const& count);

template <std::integral Count>
[[nodiscard]] std::int64_t checked_count(Count count) {
    if (!std::in_range<std::int64_t>(count) || count < Count{0}) throw_bad_count(std::to_string(count));
    return static_cast<std::int64_t>(count);
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

} // namespace v0
} // namespace steadfold
