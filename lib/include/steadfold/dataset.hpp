/// Reading arrays from HDF5 and netCDF-4, .npy and raw binary files, in chunks, through two alternating buffers.
///
///     namespace sf = steadfold;
///     sf::dataset_reader in{sf::parse_dataset_spec("run.h5:/pressure")};
///     std::int64_t const n = in.info().elements, step = in.chunk_elements();
///     auto const count = [&](std::int64_t first) { return std::min(step, n - first); };
///     if (n > 0) in.start(0, 0, count(0));
///     int current = 0;
///     for (std::int64_t first = 0; first < n; first += step, current = 1 - current) {
///         std::int64_t const next = first + step;
///         if (next < n) in.start(1 - current, next, count(next)); // the child reads the next chunk ...
///         in.wait(current);
///         fold(in.buffer(current), count(first));                 // ... while this one is folded
///     }
///
/// A file from elsewhere may be corrupt, and the libraries that parse it may crash or hang. So every file is opened and
/// read in a child process with a deadline and a memory limit: whatever happens there is an `io_error` or a
/// `timeout_error` here, one line that names the file and the fix.
///
/// The child is made by fork() without exec. Open readers while no other thread is inside a call to HDF5, and under MPI
/// preferably before large messages are in flight. It never touches MPI, CUDA or the caller's open files.
#pragma once

#include "steadfold/dtype.hpp"
#include "steadfold/error.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace steadfold {
inline namespace v0 {

enum class file_format : std::uint8_t { hdf5, npy, raw };

/// "HDF5", "npy" or "raw".
[[nodiscard]] std::string_view name(file_format format) noexcept;

/// What a data set holds and how it is delivered.
struct dataset_info {
    std::string file;
    std::string path; ///< inside an HDF5 file, beginning with '/'; empty for other formats
    file_format format = file_format::raw;
    dtype type = dtype::float64; ///< of the elements as delivered, in native byte order
    std::string stored_type;     ///< in words, e.g. "big-endian float32"
    std::string unsupported;     ///< why it cannot be read; empty if it can. Only `list_datasets` returns such entries
    std::vector<std::int64_t> extents; ///< row-major order, slowest first; empty for a scalar
    std::int64_t elements = 0;
    std::string layout; ///< in words, e.g. "chunked 64x64, shuffle, deflate 4", "contiguous, Fortran order"
    std::string units;  ///< the attribute `units`, if there is one

    /// The file declares missing elements (netCDF `_FillValue`, `missing_value`). Unless `keep_missing` was set,
    /// floating-point elements so marked are delivered as NaN, and integer ones as `missing`.
    bool declares_missing = false;

    /// For integers as delivered: the value that marks a missing element (for uint64: its bits). With several declared
    /// values every one is delivered as this one.
    std::optional<std::int64_t> missing;
};

struct read_options {
    std::chrono::nanoseconds deadline = std::chrono::seconds{60}; ///< of opening, listing, and of each wait
    std::size_t memory_limit_bytes = std::size_t{1} << 30;        ///< the child's own working memory
    std::size_t buffer_bytes = std::size_t{64} << 20;             ///< of each of the two buffers

    std::optional<dtype> raw_type;    ///< element type of a file that is neither HDF5 nor npy
    std::size_t raw_offset_bytes = 0; ///< bytes before the first element of a raw file
    bool raw_big_endian = false;

    /// Deliver float64: stored * scale_factor + add_offset, two roundings, NaN where missing. A data set with neither
    /// attribute is delivered as it is stored.
    bool unpack = false;
    bool keep_missing = false; ///< ignore `_FillValue` and `missing_value`
};

/// One data set: a file, and a path in it (empty: the only one it holds).
struct dataset_spec {
    std::string file;
    std::string path;
};

/// Splits "FILE[:DATASET]". The longest prefix that names an existing file is FILE, so names with ':' work.
/// @throws argument_error  if the file part is empty
[[nodiscard]] dataset_spec parse_dataset_spec(std::string_view text);

/// The inputs a pattern stands for, sorted by bytes: "run_*.h5" or "run_*.h5:/pressure". An existing file stands for
/// itself, whatever characters its name has.
/// @throws io_error  if nothing matches
[[nodiscard]] std::vector<std::string> expand_inputs(std::string_view pattern);

/// Every data set of an HDF5 file, in all groups, those that cannot be read included; one entry for a .npy or raw file.
/// Links to other files are not followed.
/// @throws io_error, timeout_error
[[nodiscard]] std::vector<dataset_info> list_datasets(std::string const& file, read_options const& options = {});

/// Reads ranges of one data set. Elements are numbered from 0 in row-major order, whatever the order in the file.
///
/// Owns a child process and two buffers; used by one thread at a time. The child does not outlive this process.
/// An error in one read (a corrupt chunk) leaves the reader usable; after a crash or timeout of the child every call
/// throws the same error again.
///
/// A chunked, compressed data set reads fast when `memory_limit_bytes` holds twice a row of its chunks (all chunks
/// with the same first index); below that, chunks are decompressed again for every range that touches them.
class dataset_reader {
  public:
    /// Starts the child and opens the data set.
    /// @throws argument_error  for options that make no sense
    /// @throws io_error        a missing, unreadable or corrupt file, a data set that is missing or cannot be read
    /// @throws timeout_error   past `options.deadline`
    explicit dataset_reader(dataset_spec const& spec, read_options const& options = {});
    dataset_reader(dataset_reader&&) noexcept;
    dataset_reader& operator=(dataset_reader&&) noexcept;
    ~dataset_reader(); ///< kills and reaps the child

    [[nodiscard]] dataset_info const& info() const noexcept;

    /// The most elements one `start` may ask for; at least 1.
    [[nodiscard]] std::int64_t chunk_elements() const noexcept;

    /// Memory of buffer `index`, 0 or 1: page-aligned, `buffer_bytes` long, at the same place for the reader's life.
    [[nodiscard]] std::byte* buffer(int index) noexcept;

    /// Asks the child to read elements [first, first + count) into a buffer, and returns at once. The buffer must not
    /// be touched until `wait`.
    /// @throws argument_error  if the range is outside the data set or too long, or the buffer is still being filled
    void start(int buffer, std::int64_t first, std::int64_t count);

    /// Returns when the buffer is filled.
    /// @throws argument_error  if nothing was started for this buffer
    /// @throws io_error, timeout_error
    void wait(int buffer);

    /// Time the child spent reading so far, as far as `wait` has reported it.
    [[nodiscard]] double read_seconds() const noexcept;

    /// The child, for logs.
    [[nodiscard]] int process_id() const noexcept;

  private:
    struct state;
    std::unique_ptr<state> state_;
};

/// Reads the whole data set into `destination`, which holds `info().elements` elements of `info().type`.
/// No other read may be under way.
void read_all(dataset_reader& reader, void* destination);

} // namespace v0
} // namespace steadfold
