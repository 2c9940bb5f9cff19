#include "record/hdf5_attributes.hpp"
#include "record/record_file.hpp"
#include "record/record_table.hpp"
#include "steadfold/error.hpp"
#include "steadfold/record.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace steadfold {
inline namespace v0 {

struct run_record::impl {
    impl(std::filesystem::path const& name, run_facts const& facts, record_options const& options);
    ~impl();
    impl(impl const&) = delete;
    impl& operator=(impl const&) = delete;

    /// Runs `work` unless the record is closed or broken; whatever it throws breaks the record and becomes io_error.
    template <class Work>
    void guarded(std::string_view doing, Work&& work);
    template <class Row>
    void append(std::span<Row const> rows);
    template <class Row>
    void create_table() {
        char const* const table = detail::table_name<Row>();
        tables[table] = detail::create_table(file.get(), table, detail::layout_of<Row>());
    }

    void create_objects(run_facts const& facts);
    void set_topology(std::string_view json, std::map<std::string, std::int64_t> const& counts);
    void finish(run_status status);
    void reserve(std::int64_t bytes) const;
    void give_back_reserve() const noexcept;
    void flush_to_file() const { detail::check(H5Fflush(file.get(), H5F_SCOPE_LOCAL), "flushing"); }
    void abandon() noexcept;

    [[nodiscard]] detail::group_handle group(char const* name) const {
        return detail::group_handle{detail::check(H5Gopen2(file.get(), name, H5P_DEFAULT), name)};
    }

    std::filesystem::path name;
    detail::file_handle file;
    // Open as long as the file is: a table closed while an exception unwinds would try to write again.
    std::map<std::string, detail::dataset_handle> tables;
    int descriptor = -1;
    bool overwrite = false;
    bool broken = false;
    bool has_topology = false;
};

namespace {

constexpr std::int64_t objects_bytes = 256 * 1024; // groups, tables and attributes of an empty record, with room

std::string fix_for(std::string const& reason) {
    auto const says = [&](char const* words) { return reason.find(words) != std::string::npos; };
    if (says("No space left")) return "free space there, or write the record elsewhere";
    if (says("quota")) return "free some of your quota, or write the record elsewhere";
    if (says("File too large")) return "raise the limit on file sizes (ulimit -f)";
    return "check that the file system is there and writable, or write the record elsewhere";
}

void write_run(hid_t run, run_facts const& facts) {
    using detail::write_attribute;
    write_attribute(run, "schema_version", record_schema_version);
    write_attribute(run, "library_version", facts.library_version);
    write_attribute(run, "git_revision", facts.git_revision);
    write_attribute(run, "build", facts.build);
    write_attribute(run, "start_time", utc_now());
    write_attribute(run, "end_time", "");
    write_attribute(run, "status", name(run_status::running));
    write_attribute(run, "command_line", facts.command_line);
    write_attribute(run, "ranks", facts.ranks);
    for (auto const& [key, value] : facts.slurm) write_attribute(run, ("slurm_" + key).c_str(), value);
    detail::write_texts(run, "hosts", facts.hosts);
}

void write_root(hid_t file, run_facts const& facts) {
    std::string const now = utc_now();
    detail::write_attribute(file, "software", "steadfold");
    detail::write_attribute(file, "softwareVersion", facts.library_version);
    detail::write_attribute(file, "date", now.substr(0, 10) + " " + now.substr(11, 8) + " +0000"); // openPMD's form
}

} // namespace

run_record::impl::impl(std::filesystem::path const& wanted, run_facts const& facts, record_options const& options)
    : overwrite(options.existing == existing_record::overwrite) {
    detail::quiet_hdf5 const quiet;
    detail::created_file created = detail::create_record_file(wanted, options);
    file = std::move(created.file);
    name = std::move(created.name);
    descriptor = created.descriptor;
    try {
        guarded("creating it", [&] { create_objects(facts); });
    } catch (...) {
        ::unlink(detail::partial_path(name).c_str());
        throw;
    }
}

run_record::impl::~impl() {
    detail::quiet_hdf5 const quiet;
    if (file) give_back_reserve(); // every append has flushed
    tables.clear();
    file.reset();
}

template <class Work>
void run_record::impl::guarded(std::string_view doing, Work&& work) {
    if (!file) return;
    detail::quiet_hdf5 const quiet;
    try {
        work();
    } catch (io_error const&) {
        abandon();
        throw;
    } catch (std::exception const& e) {
        abandon();
        std::string const reason = e.what();
        throw io_error("record " + detail::partial_path(name).string() + ": " + std::string(doing) +
                       " failed: " + reason + ": " + fix_for(reason));
    }
}

void run_record::impl::abandon() noexcept {
    broken = true;
    if (!file) return; // closed: the descriptor's number may be someone else's by now
    detail::detach_from_disk(descriptor);
    // HDF5 1.10 keeps a mark of the failed flush: the next one clears it and reports failure, the one after works.
    // Closing with the mark set frees the file and leaves its identifier behind, a crash at exit.
    bool const cured = H5Fflush(file.get(), H5F_SCOPE_LOCAL) >= 0 || H5Fflush(file.get(), H5F_SCOPE_LOCAL) >= 0;
    tables.clear();
    if (cured)
        file.reset();
    else
        static_cast<void>(file.release());
}

void run_record::impl::reserve(std::int64_t bytes) const {
    hsize_t end = 0;
    detail::check(H5Fget_filesize(file.get(), &end), "reading the file's size");
    detail::reserve_space(descriptor, static_cast<std::int64_t>(end), bytes);
}

void run_record::impl::give_back_reserve() const noexcept {
    hsize_t end = 0;
    bool const known = H5Fget_filesize(file.get(), &end) >= 0;
    // A file that stays longer than need be is no failure.
    if (known) static_cast<void>(::ftruncate(descriptor, static_cast<off_t>(end)) == 0);
}

void run_record::impl::create_objects(run_facts const& facts) {
    reserve(objects_bytes);
    for (char const* group_name : {"run", "environment", "topology"})
        detail::group_handle{
            detail::check(H5Gcreate2(file.get(), group_name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), group_name)};
    write_root(file.get(), facts);
    write_run(group("run").get(), facts);
    auto const environment = group("environment");
    for (auto const& [key, value] : facts.environment) detail::write_attribute(environment.get(), key.c_str(), value);
    create_table<partition_row>();
    create_table<operation_row>();
    create_table<result_row>();
    create_table<message_row>();
    flush_to_file();
}

void run_record::impl::set_topology(std::string_view json, std::map<std::string, std::int64_t> const& counts) {
    guarded("writing the topology", [&] {
        reserve(static_cast<std::int64_t>(json.size()) + objects_bytes);
        auto const topology = group("topology");
        detail::write_text(topology.get(), "json", json);
        for (auto const& [key, value] : counts) detail::write_attribute(topology.get(), key.c_str(), value);
        flush_to_file();
    });
}

template <class Row>
void run_record::impl::append(std::span<Row const> rows) {
    while (!rows.empty() && file) {
        auto const some = rows.first(std::min(rows.size(), detail::rows_per_flush));
        guarded("adding rows", [&] {
            auto const layout = detail::layout_of<Row>();
            auto const bytes = detail::encode_rows(some);
            reserve(detail::growth_bytes(some.size(), detail::row_bytes<Row>()));
            detail::append_bytes(tables.at(detail::table_name<Row>()).get(), layout, bytes);
            flush_to_file();
        });
        rows = rows.subspan(some.size());
    }
}

void run_record::impl::finish(run_status status) {
    guarded("closing", [&] {
        reserve(objects_bytes);
        auto run = group("run");
        detail::write_attribute(run.get(), "end_time", utc_now());
        detail::write_attribute(run.get(), "status", steadfold::name(status));
        run.reset();
        flush_to_file();
        give_back_reserve();
        tables.clear();
        detail::check(H5Fclose(file.get()), "closing");
        static_cast<void>(file.release());
        detail::sync_path(detail::partial_path(name));
        detail::publish(name, overwrite);
    });
}

run_record::run_record(std::filesystem::path name, run_facts const& facts, record_options options)
    : impl_(std::make_unique<impl>(name, facts, options)) {}
run_record::run_record(run_record&&) noexcept = default;
run_record& run_record::operator=(run_record&&) noexcept = default;
run_record::~run_record() = default;

void run_record::set_topology(std::string_view json, std::map<std::string, std::int64_t> const& counts) {
    if (std::exchange(impl_->has_topology, true)) throw argument_error("the record has a topology already");
    impl_->set_topology(json, counts);
}

void run_record::append(std::span<partition_row const> rows) {
    impl_->append(rows);
}
void run_record::append(std::span<operation_row const> rows) {
    impl_->append(rows);
}
void run_record::append(std::span<result_row const> rows) {
    impl_->append(rows);
}

void run_record::append(std::span<message_row const> rows) {
    std::vector<message_row> timed(rows.begin(), rows.end());
    for (message_row& row : timed)
        if (row.time.empty()) row.time = utc_now();
    impl_->append(std::span<message_row const>(timed));
}

void run_record::message(std::string_view level, std::string_view text, int rank) {
    message_row const row{utc_now(), rank, std::string(level), std::string(text)};
    impl_->append(std::span<message_row const>(&row, 1));
}

void run_record::flush() {
    impl_->guarded("flushing", [&] {
        impl_->flush_to_file();
        if (::fsync(impl_->descriptor) != 0) throw std::system_error(errno, std::generic_category(), "fsync");
    });
}

void run_record::close(run_status status) {
    if (status == run_status::running) throw argument_error("a record cannot be closed as running");
    impl_->finish(status);
}

bool run_record::broken() const noexcept {
    return impl_->broken;
}
std::filesystem::path const& run_record::path() const noexcept {
    return impl_->name;
}

} // namespace v0
} // namespace steadfold
