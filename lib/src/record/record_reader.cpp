#include "record/hdf5_attributes.hpp"
#include "record/record_file.hpp"
#include "record/record_table.hpp"
#include "steadfold/error.hpp"
#include "steadfold/record.hpp"

#include <cstring>

namespace steadfold {
inline namespace v0 {
namespace fs = std::filesystem;
namespace {

fs::path choose_file(fs::path const& name) {
    std::error_code ignored;
    fs::path const partial = detail::partial_path(name);
    fs::path const file = fs::exists(name, ignored) ? name : partial;
    if (!fs::exists(file, ignored))
        throw io_error("record " + name.string() + ": there is no such file, and no " + partial.string());
    if (!fs::is_regular_file(file, ignored)) throw io_error("record " + file.string() + " is no file");
    return file;
}

detail::file_handle open_file(fs::path const& path) {
    if (H5Fis_hdf5(path.c_str()) == 0) throw io_error("this is no HDF5 file");
    hid_t const file = H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
    if (file >= 0) return detail::file_handle{file};
    try {
        detail::throw_hdf5_error("opening it", std::source_location::current());
    } catch (detail::hdf5_error const& e) {
        if (!std::strstr(e.what(), "Resource temporarily unavailable")) throw;
        throw io_error(
            "another process has it open: wait for it, or set HDF5_USE_FILE_LOCKING=FALSE to read it meanwhile");
    }
}

detail::object_handle open_object(hid_t file, char const* name) {
    if (detail::check(H5Lexists(file, name, H5P_DEFAULT), name) == 0)
        throw io_error(std::string("this is no run record: it has no group ") + name);
    return detail::object_handle{detail::check(H5Oopen(file, name, H5P_DEFAULT), name)};
}

run_status parse_status(std::string const& text) {
    for (run_status const status :
         {run_status::running, run_status::complete, run_status::failed, run_status::interrupted})
        if (name(status) == text) return status;
    throw io_error("unknown status \"" + text + "\"");
}

void check_schema(record_contents& contents, hid_t run) {
    std::int64_t const version = detail::read_integer_attribute(run, "schema_version", 0);
    if (version < 1) throw io_error("this is no run record: /run has no schema_version");
    if (version > record_schema_version)
        throw io_error("it has schema version " + std::to_string(version) + ", this steadfold reads up to " +
                       std::to_string(record_schema_version) + ": use a newer steadfold");
    contents.schema_version = static_cast<int>(version);
}

void read_run(record_contents& contents, hid_t run) {
    run_facts& facts = contents.facts;
    contents.start_time = detail::read_text_attribute(run, "start_time");
    contents.end_time = detail::read_text_attribute(run, "end_time");
    contents.status = parse_status(detail::read_text_attribute(run, "status"));
    facts.command_line = detail::read_text_attribute(run, "command_line");
    facts.library_version = detail::read_text_attribute(run, "library_version");
    facts.git_revision = detail::read_text_attribute(run, "git_revision");
    facts.build = detail::read_text_attribute(run, "build");
    facts.ranks = static_cast<int>(detail::read_integer_attribute(run, "ranks", 0));
    facts.hosts = detail::read_texts(run, "hosts");
    constexpr std::string_view prefix = "slurm_";
    for (auto const& [key, value] : detail::read_text_attributes(run))
        if (key.starts_with(prefix)) facts.slurm[key.substr(prefix.size())] = value;
}

void read_topology(record_contents& contents, hid_t topology) {
    std::vector<std::string> json = detail::read_texts(topology, "json");
    if (!json.empty()) contents.topology_json = std::move(json.front());
    contents.topology_counts = detail::read_integer_attributes(topology);
}

} // namespace

record_contents read_record(fs::path const& name) {
    detail::quiet_hdf5 const quiet;
    record_contents contents;
    contents.file = choose_file(name);
    contents.partial = contents.file.extension() == ".partial";
    try {
        auto const file = open_file(contents.file);
        auto const run = open_object(file.get(), "run");
        check_schema(contents, run.get());
        read_run(contents, run.get());
        contents.facts.environment = detail::read_text_attributes(open_object(file.get(), "environment").get());
        read_topology(contents, open_object(file.get(), "topology").get());
        contents.partition = detail::read_table<partition_row>(file.get());
        contents.operations = detail::read_table<operation_row>(file.get());
        contents.results = detail::read_table<result_row>(file.get());
        contents.messages = detail::read_table<message_row>(file.get());
    } catch (std::exception const& e) {
        throw io_error("record " + contents.file.string() + ": " + e.what());
    }
    return contents;
}

} // namespace v0
} // namespace steadfold
