/// A CUDA stream in the signatures of a library that needs no CUDA header.
///
///     cudaStream_t mine;
///     sf::stream_ref stream = mine;      // borrowed: must outlive the work put on it
///     sf::stream_ref none;               // the default: host work, or blocking device work; each call says which
#pragma once

struct CUstream_st; // what CUDA's cudaStream_t and CUstream point to

namespace steadfold {
inline namespace v0 {

/// A borrowed stream, or none. Trivially copyable; owns nothing.
class stream_ref {
  public:
    constexpr stream_ref() noexcept = default;
    constexpr stream_ref(CUstream_st* stream) noexcept : stream_(stream) {} // NOLINT: implicit on purpose

    /// For callers that carry a cudaStream_t as void* (C, Fortran, Python).
    [[nodiscard]] static stream_ref from_handle(void* handle) noexcept {
        return stream_ref(static_cast<CUstream_st*>(handle));
    }

    /// The cudaStream_t; null for none. Converts to void*.
    [[nodiscard]] constexpr CUstream_st* get() const noexcept { return stream_; }
    /// True if a stream was given.
    [[nodiscard]] constexpr explicit operator bool() const noexcept { return stream_ != nullptr; }
    [[nodiscard]] friend constexpr bool operator==(stream_ref, stream_ref) noexcept = default;

  private:
    CUstream_st* stream_ = nullptr;
};

} // namespace v0
} // namespace steadfold
