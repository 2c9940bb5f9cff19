#include "record/record_file.hpp"

#include "record/hdf5_check.hpp"
#include "steadfold/error.hpp"

#include <cerrno>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

namespace steadfold {
inline namespace v0 {
namespace detail {
namespace fs = std::filesystem;
namespace {

class file_descriptor {
  public:
    explicit file_descriptor(int value) noexcept : value_(value) {}
    file_descriptor(file_descriptor const&) = delete;
    file_descriptor& operator=(file_descriptor const&) = delete;
    ~file_descriptor() {
        if (value_ >= 0) ::close(value_);
    }
    [[nodiscard]] int get() const noexcept { return value_; }

  private:
    int value_;
};

[[noreturn]] void throw_errno(int code, std::string const& doing) {
    throw std::system_error(code, std::generic_category(), doing);
}

bool is_there(fs::path const& path) {
    std::error_code ignored;
    return fs::exists(fs::symlink_status(path, ignored)); // false also where we may not look: creating it will say so
}

/// NAME with "-NUMBER" before its extension.
fs::path numbered(fs::path const& name, int number) {
    fs::path path = name.parent_path() / name.stem();
    path += "-" + std::to_string(number);
    path += name.extension();
    return path;
}

/// Removes NAME.partial unless a live writer holds its lock. The lock is held while it is removed, and the name is
/// compared with what was locked, so that of two processes doing this at once only one succeeds.
void remove_stale(fs::path const& partial) {
    file_descriptor const file{::open(partial.c_str(), O_RDONLY | O_CLOEXEC)};
    if (file.get() < 0 && errno == ENOENT) return;
    struct stat locked {
    }, named{};
    if (file.get() < 0 || ::flock(file.get(), LOCK_EX | LOCK_NB) != 0 || ::fstat(file.get(), &locked) != 0 ||
        ::stat(partial.c_str(), &named) != 0 || locked.st_ino != named.st_ino)
        throw io_error("record " + partial.string() +
                       " is being written by another process: wait for it or choose another name");
    if (::unlink(partial.c_str()) != 0) throw_errno(errno, "removing " + partial.string());
}

void refuse_existing(fs::path const& name, record_options const& options) {
    if (options.existing == existing_record::refuse && is_there(name))
        throw io_error("record " + name.string() + " exists: remove it, or choose another name");
    fs::path const partial = partial_path(name);
    if (!is_there(partial)) return;
    if (!options.replace_stale_partial)
        throw io_error("record " + partial.string() +
                       " exists (a run that is still going, or was killed): remove it, or choose another name");
    remove_stale(partial);
}

void check_folder(fs::path const& name) {
    if (name.filename().empty()) throw io_error("record \"" + name.string() + "\" is no file name");
    fs::path const folder = name.has_parent_path() ? name.parent_path() : fs::path(".");
    std::error_code ignored;
    if (!fs::is_directory(folder, ignored))
        throw io_error("record " + name.string() + ": there is no folder " + folder.string() + ": create it");
}

created_file create_exclusively(fs::path const& name) {
    fs::path const partial = partial_path(name);
    properties_handle const access{check(H5Pcreate(H5P_FILE_ACCESS), "creating file properties")};
    // Newer formats cannot be opened after a kill without a repair tool.
    check(H5Pset_libver_bounds(access.get(), H5F_LIBVER_EARLIEST, H5F_LIBVER_LATEST), "choosing the file format");
    check(H5Pset_fclose_degree(access.get(), H5F_CLOSE_STRONG), "setting how the file closes");
    created_file created;
    created.file =
        file_handle{check(H5Fcreate(partial.c_str(), H5F_ACC_EXCL, H5P_DEFAULT, access.get()), "creating it")};
    created.name = name;
    void* descriptor = nullptr;
    check(H5Fget_vfd_handle(created.file.get(), access.get(), &descriptor), "finding its descriptor");
    created.descriptor = *static_cast<int*>(descriptor);
    ::flock(created.descriptor, LOCK_EX | LOCK_NB); // HDF5 has it already, unless told to lock nothing
    return created;
}

/// For a NAME that another process finished between our look and the creation of NAME.partial.
void drop(created_file& created) {
    ::unlink(partial_path(created.name).c_str());
    created.file.reset();
}

created_file create_unique(fs::path const& name) {
    constexpr int most_attempts = 100'000;
    for (int number = 0; number < most_attempts; ++number) {
        fs::path const candidate = number == 0 ? name : numbered(name, number);
        if (is_there(candidate) || is_there(partial_path(candidate))) continue;
        try {
            created_file created = create_exclusively(candidate);
            if (!is_there(candidate)) return created;
            drop(created);
        } catch (hdf5_error const&) {
            // Another process was faster, and may have closed its record already; anything else is an error.
            if (!is_there(partial_path(candidate)) && !is_there(candidate)) throw;
        }
    }
    throw io_error("record " + name.string() + ": no free name left: choose another one");
}

bool promises_no_storage(int code) {
    return code == EOPNOTSUPP || code == ENOSYS || code == ENODEV || code == EINVAL;
}

} // namespace

fs::path partial_path(fs::path const& name) {
    fs::path partial = name;
    return partial += ".partial";
}

created_file create_record_file(fs::path const& name, record_options const& options) {
    check_folder(name);
    try {
        if (options.existing == existing_record::unique) return create_unique(name);
        refuse_existing(name, options);
        created_file created = create_exclusively(name);
        if (options.existing == existing_record::refuse && is_there(name)) {
            drop(created);
            refuse_existing(name, options);
        }
        return created;
    } catch (hdf5_error const& e) {
        throw io_error("record " + partial_path(name).string() + ": " + e.what() +
                       ": choose a folder you may write to that has free space");
    }
}

void reserve_space(int descriptor, std::int64_t end, std::int64_t bytes) {
    rlimit limit{};
    // The kernel answers growth beyond this limit with SIGXFSZ, which ends the process by default.
    if (::getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY &&
        static_cast<rlim_t>(end + bytes) > limit.rlim_cur)
        throw_errno(EFBIG, "reserving space");
    struct stat now {};
    bool const regular = ::fstat(descriptor, &now) == 0 && S_ISREG(now.st_mode);
    if (regular && now.st_size >= end + bytes) return; // reserved before and not used up
    int failed = 0;
    do failed = ::fallocate(descriptor, 0, end, bytes) == 0 ? 0 : errno;
    while (failed == EINTR);
    if (failed == 0) return;
    if (!promises_no_storage(failed)) throw_errno(failed, "reserving space");
    if (regular && ::ftruncate(descriptor, end + bytes) != 0) throw_errno(errno, "reserving space");
}

void detach_from_disk(int descriptor) noexcept {
    int const memory = ::memfd_create("steadfold-abandoned-record", MFD_CLOEXEC);
    int const target = memory >= 0 ? memory : ::open("/dev/null", O_RDWR | O_CLOEXEC);
    if (target < 0) return;
    ::dup3(target, descriptor, O_CLOEXEC);
    ::close(target);
}

void sync_path(fs::path const& path) {
    file_descriptor const file{::open(path.c_str(), O_RDONLY | O_CLOEXEC)};
    // Some file systems cannot sync a folder (EINVAL); nothing is lost by that which could be kept.
    if (file.get() < 0 || (::fsync(file.get()) != 0 && errno != EINVAL)) throw_errno(errno, "fsync " + path.string());
}

void publish(fs::path const& name, bool overwrite) {
    fs::path const partial = partial_path(name);
    bool done = false;
    if (!overwrite) {
        done = ::renameat2(AT_FDCWD, partial.c_str(), AT_FDCWD, name.c_str(), RENAME_NOREPLACE) == 0;
        bool const unsupported = !done && (errno == EINVAL || errno == ENOSYS);
        if (!done && (errno == EEXIST || (unsupported && is_there(name))))
            throw io_error("record " + name.string() +
                           " was made by another process meanwhile; this one is complete in " + partial.string());
        if (!done && !unsupported) throw_errno(errno, "renaming " + partial.string());
    }
    if (!done && ::rename(partial.c_str(), name.c_str()) != 0) throw_errno(errno, "renaming " + partial.string());
    sync_path(name.has_parent_path() ? name.parent_path() : fs::path("."));
}

} // namespace detail
} // namespace v0
} // namespace steadfold
