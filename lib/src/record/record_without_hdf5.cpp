// What the record is in a build without HDF5: a clear error.
#include "steadfold/error.hpp"
#include "steadfold/record.hpp"

namespace steadfold {
inline namespace v0 {
namespace {

[[noreturn]] void throw_no_hdf5(std::filesystem::path const& name) {
    throw io_error("record " + name.string() + ": this steadfold was built without HDF5: install libhdf5-dev and " +
                   "configure again with -DSTEADFOLD_HDF5=ON");
}

} // namespace

struct run_record::impl {
    std::filesystem::path name;
};

run_record::run_record(std::filesystem::path name, run_facts const&, record_options) {
    throw_no_hdf5(name);
}
run_record::run_record(run_record&&) noexcept = default;
run_record& run_record::operator=(run_record&&) noexcept = default;
run_record::~run_record() = default;

// No object exists that these could be called on.
void run_record::set_topology(std::string_view, std::map<std::string, std::int64_t> const&) {}
void run_record::append(std::span<partition_row const>) {}
void run_record::append(std::span<operation_row const>) {}
void run_record::append(std::span<result_row const>) {}
void run_record::append(std::span<message_row const>) {}
void run_record::message(std::string_view, std::string_view, int) {}
void run_record::flush() {}
void run_record::close(run_status) {}
bool run_record::broken() const noexcept {
    return true;
}
std::filesystem::path const& run_record::path() const noexcept {
    return impl_->name;
}

record_contents read_record(std::filesystem::path const& name) {
    throw_no_hdf5(name);
}

} // namespace v0
} // namespace steadfold
