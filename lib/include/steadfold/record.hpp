/// The run record: one HDF5 file a job that says what ran, where, how fast, and with which results, and that survives
/// the death of the job.
///
///     sf::run_facts facts = sf::collect_run_facts(argc, argv);          // this process; set hosts and ranks yourself
///     sf::run_record record{"run.h5", facts};                           // rank 0 only; writes run.h5.partial
///     record.append(std::vector<sf::operation_row>{{.input = "field.h5:/pressure", .rank = 0, .operations = "sum|l2",
///         .dtype = "float64", .mode = "exact", .elements = n, .bytes = 8 * n, .seconds_reduce = seconds}});
///     record.append(std::vector<sf::result_row>{{.input = "field.h5:/pressure", .operation = "sum",
///         .dtype = "float64", .value = sum, .bits = sf::hex_bits(sum), .status = "ok"}});
///     record.close(sf::run_status::complete);                           // now it is run.h5
///     auto contents = sf::read_record("run.h5");                        // also finds run.h5.partial
///
/// One process writes. Other ranks send it their rows: `pack`, `communicator::all_gather_varying`, `unpack`.
///
/// What is in the file, schema version 1 (h5py, h5dump and pandas read it; every type is a plain HDF5 type):
///
/// | object       | kind    | content                                                                               |
/// |--------------|---------|---------------------------------------------------------------------------------------|
/// | /            | attrs   | software, softwareVersion, date (openPMD's names)                                      |
/// | /run         | attrs   | schema_version, library_version, git_revision, build, start_time, end_time (ISO 8601,  |
/// |              |         | UTC), status (running, complete, failed, interrupted), command_line, ranks, slurm_*    |
/// | /run/hosts   | strings | one name a host                                                                       |
/// | /environment | attrs   | the white-listed variables that were set                                              |
/// | /topology    | attrs   | counts given by the caller; data set `json` holds the text                            |
/// | /partition   | table   | shard, rank, device, domain, first, count                                             |
/// | /operations  | table   | input, rank, device, domain, operations, dtype, mode, elements, bytes, seconds_read,   |
/// |              |         | seconds_reduce, seconds_combine, bandwidth                                            |
/// | /results     | table   | input, operation, dtype, value, bits, status                                          |
/// | /messages    | table   | time, rank, level, text                                                               |
///
/// Tables are extendible 1-D compound data sets. The unit of numeric column C is the data set's attribute `C_units`
/// ("1" for numbers without unit; "GB/s" = 10^9 bytes per second); text columns have none. Text attributes are
/// variable-length UTF-8; text columns are fixed-length UTF-8 padded with NUL, and text that does not fit ends in "…"
/// (`input`, a path, begins with it instead: the end tells more).
///
/// After a kill -9 the `.partial` file opens and holds every row appended, up to some 24,000 rows of operations.
/// Beyond, HDF5 splits the table's index now and then, and a kill in the middle of a split can lose rows appended long
/// before. A table cut off in the middle of a write may end in rows of zeros and empty texts: `read_record` drops them.
/// Other readers may meet an error at the last rows.
///
/// Thread safety: one thread at a time for each object. If HDF5 was built without thread safety, no other thread of
/// the process may be inside HDF5 meanwhile.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace steadfold {
inline namespace v0 {

/// The newest layout this library writes and reads.
inline constexpr int record_schema_version = 1;

/// What the run is: written once, when the record is created.
struct run_facts {
    std::string command_line;
    std::string library_version;
    std::string git_revision;
    std::string build;              ///< compiler, build type and optional parts
    std::vector<std::string> hosts; ///< every host once
    int ranks = 1;
    std::map<std::string, std::string> slurm;       ///< "job_id", "job_nodelist", "array_task_id", ...; empty outside
    std::map<std::string, std::string> environment; ///< white-listed variables that are set
};

/// Facts about this process: version, build, own host name, and a fixed white list of environment variables (never
/// the whole environment, which holds secrets). `SLURM_JOB_ID` becomes `slurm["job_id"]`, and so on. Arguments are
/// quoted for a POSIX shell where they need it.
[[nodiscard]] run_facts collect_run_facts(int argc = 0, char const* const* argv = nullptr);

/// One shard of the partition.
struct partition_row {
    std::int64_t shard = 0;
    int rank = 0;
    int device = -1; ///< -1 is the host CPU, in every table
    int domain = 0;
    std::int64_t first = 0; ///< global row-major index of its first element
    std::int64_t count = 0; ///< elements
    friend bool operator==(partition_row const&, partition_row const&) = default;
};

/// What one rank, device and domain did for one input.
struct operation_row {
    std::string input; ///< FILE:DATASET
    int rank = 0;
    int device = -1;
    int domain = 0;
    std::string operations; ///< the set, e.g. "sum|mean"
    std::string dtype;      ///< of the elements
    std::string mode;       ///< "exact" or "fast"
    std::int64_t elements = 0;
    std::int64_t bytes = 0;
    double seconds_read = 0;    ///< s
    double seconds_reduce = 0;  ///< s
    double seconds_combine = 0; ///< s
    double bandwidth = 0;       ///< GB/s, 10^9 bytes per second
    friend bool operator==(operation_row const&, operation_row const&) = default;
};

/// One global result.
struct result_row {
    std::string input;
    std::string operation;
    std::string dtype;  ///< of the result
    double value = 0;   ///< rounded to float64 where the result is a wider integer
    std::string bits;   ///< the result itself, see hex_bits
    std::string status; ///< "ok" or what is special about it
    friend bool operator==(result_row const&, result_row const&) = default;
};

/// A warning or an error.
struct message_row {
    std::string time; ///< ISO 8601 UTC; empty: the time of the append
    int rank = 0;
    std::string level; ///< "info", "warning" or "error"
    std::string text;
    friend bool operator==(message_row const&, message_row const&) = default;
};

/// Now, UTC, as "2026-01-31T23:59:59.123Z".
[[nodiscard]] std::string utc_now();

/// The lowest `bytes` (1..8) bytes of `bits` as "0x" and two hexadecimal digits a byte, most significant first.
[[nodiscard]] std::string hex_digits(std::uint64_t bits, int bytes);

/// The bits of a number: hex_bits(1.0) is "0x3ff0000000000000". Complex results: one row a part.
template <class T>
requires std::is_arithmetic_v<T>
[[nodiscard]] std::string hex_bits(T value) {
    static_assert(sizeof(T) <= 8, "no element type of steadfold is wider");
    if constexpr (sizeof(T) == 8)
        return hex_digits(std::bit_cast<std::uint64_t>(value), 8);
    else if constexpr (sizeof(T) == 4)
        return hex_digits(std::bit_cast<std::uint32_t>(value), 4);
    else if constexpr (sizeof(T) == 2)
        return hex_digits(std::bit_cast<std::uint16_t>(value), 2);
    else
        return hex_digits(std::bit_cast<std::uint8_t>(value), 1);
}

/// Rows as bytes for ranks of the same job (not for storage). Texts are cut to their column's width.
[[nodiscard]] std::vector<std::byte> pack(std::span<operation_row const> rows);

/// The rows of any number of packed blocks laid end to end, as `all_gather_varying` returns them.
/// @throws argument_error  if the bytes are not whole blocks written by the same version of `pack`
[[nodiscard]] std::vector<operation_row> unpack(std::span<std::byte const> blocks);

enum class run_status { running, complete, failed, interrupted };

/// "running", "complete", "failed" or "interrupted".
[[nodiscard]] std::string_view name(run_status status) noexcept;

/// What to do when NAME exists already.
enum class existing_record {
    refuse,    ///< throw
    overwrite, ///< replace it by the rename on close; until then the old one stays
    unique,    ///< write NAME-1, NAME-2, ... (before the extension), the first that is free
};

struct record_options {
    existing_record existing = existing_record::refuse;
    /// Remove a NAME.partial whose writer is gone (its file lock is free). One that is being written is never touched.
    bool replace_stale_partial = false;
};

/// Writes a record. See the top of this file.
///
/// Failures: the first write that fails throws io_error with the path and the fix, and the record is broken from then
/// on: the file stays `.partial` as it was after the last good append, later calls return at once and do nothing.
/// Whether that ends the run is the caller's choice. Space is reserved ahead, so that a full disk, quota or file size
/// limit is met before anything is half written (where the file system can reserve; elsewhere soon after).
class run_record {
  public:
    /// Creates NAME.partial. A constructor that throws leaves no file behind.
    /// @throws io_error  NAME or NAME.partial exists and the options do not cover it; the folder is missing or not
    ///                   writable; the disk is full; this steadfold was built without HDF5
    explicit run_record(std::filesystem::path name, run_facts const& facts, record_options options = {});
    run_record(run_record&&) noexcept;
    run_record& operator=(run_record&&) noexcept;
    /// Without close(): the file stays NAME.partial, status `running`. Never throws.
    ~run_record();

    /// Stores the topology's JSON text and some counts ("devices": 8) as attributes. Once a record.
    /// @throws argument_error  on a second call
    /// @throws io_error        see "Failures"
    void set_topology(std::string_view json, std::map<std::string, std::int64_t> const& counts = {});

    /// Adds rows to a table. When it returns they survive the death of the process, within the limit told at the top of
    /// this file; one call with many rows costs little more than one with a single row.
    /// @throws io_error  see "Failures"
    void append(std::span<partition_row const> rows);
    void append(std::span<operation_row const> rows);
    void append(std::span<result_row const> rows);
    void append(std::span<message_row const> rows);
    /// One message, now.
    void message(std::string_view level, std::string_view text, int rank = 0);

    /// Waits until all rows are on the storage device (fsync): they survive the death of the machine as well.
    /// @throws io_error  see "Failures"
    void flush();

    /// Sets status and end time, waits for the storage device and renames NAME.partial to NAME. A second call, or one
    /// on a broken record, does nothing.
    /// @throws argument_error  if status is `running`
    /// @throws io_error        see "Failures"; also if NAME appeared meanwhile and was not to be overwritten
    void close(run_status status = run_status::complete);

    /// True after a failed write.
    [[nodiscard]] bool broken() const noexcept;
    /// The final name; differs from the one given only with existing_record::unique.
    [[nodiscard]] std::filesystem::path const& path() const noexcept;

  private:
    struct impl;
    std::unique_ptr<impl> impl_;
};

/// All that a record holds.
struct record_contents {
    std::filesystem::path file; ///< the file that was read
    bool partial = false;       ///< it is a NAME.partial: never closed, or by a writer that runs still
    int schema_version = 0;
    run_status status = run_status::running;
    std::string start_time;
    std::string end_time; ///< empty while running
    run_facts facts;
    std::string topology_json; ///< empty if none was set
    std::map<std::string, std::int64_t> topology_counts;
    std::vector<partition_row> partition;
    std::vector<operation_row> operations;
    std::vector<result_row> results;
    std::vector<message_row> messages;
};

/// Reads the record NAME or, if there is none, NAME.partial. Columns and objects it does not know are passed over.
///
/// A damaged file can crash the HDF5 library itself: programs open files of strangers in a child process.
/// @throws io_error  no such file; not HDF5; not a record; damaged; written by a newer schema; locked by its writer
[[nodiscard]] record_contents read_record(std::filesystem::path const& name);

} // namespace v0
} // namespace steadfold
