#include "io/file_probe.hpp"

#include "steadfold/error.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <string_view>
#include <sys/stat.h>

namespace steadfold::inline v0::io_detail {

namespace {
using namespace std::string_view_literals;

constexpr auto hdf5_signature = "\x89HDF\r\n\x1a\n"sv;

/// The format allows the signature at 0, 512, 1024, 2048, ...: a user block may come first.
bool has_hdf5_signature(int fd, std::int64_t bytes) {
    std::array<char, 8> found{};
    for (std::int64_t at = 0; at + 8 <= bytes; at = at == 0 ? 512 : 2 * at)
        if (::pread(fd, found.data(), found.size(), at) == 8 && std::string_view(found.data(), 8) == hdf5_signature)
            return true;
    return false;
}

std::string describe(std::string_view head) {
    if (head.empty()) return "is empty";
    if (head.starts_with("CDF\x01") || head.starts_with("CDF\x02") || head.starts_with("CDF\x05"))
        return "is a netCDF-3 (classic) file; convert it with: nccopy -k nc4 OLD NEW";
    if (head.starts_with("\x1f\x8b")) return "is compressed with gzip; gunzip it";
    if (head.starts_with("BZh")) return "is compressed with bzip2; bunzip2 it";
    if (head.starts_with("\xfd"
                         "7zXZ"))
        return "is compressed with xz; unxz it";
    if (head.starts_with("\x28\xb5\x2f\xfd")) return "is compressed with zstd; unzstd it";
    if (head.starts_with("PK\x03\x04")) return "is a zip archive (.npz?); unzip it and name the .npy file inside";
    if (head.starts_with("\x0e\x03\x13\x01")) return "is an HDF4 file; convert it with: h4toh5convert OLD NEW";
    if (head.starts_with("GRIB")) return "is a GRIB file; convert it to netCDF-4";
    bool const text =
        std::ranges::all_of(head, [](char c) { return (c >= ' ' && c <= '~') || (c >= '\t' && c <= '\r'); });
    if (text) return "is a text file; convert it to .npy or HDF5";
    return "is neither an HDF5 nor an npy file; if it holds plain binary numbers, give their type with --dtype";
}

std::string why_not_open(std::string const& name, int code) {
    if (code == ENOENT) return name + ": no such file";
    if (code == EACCES || code == EPERM) return name + ": no permission to read it; ask its owner, or chmod it";
    return name + ": cannot open it: " + std::strerror(code);
}
} // namespace

probed_file probe_file(std::string const& name) {
    if (name.find('\0') != std::string::npos) throw io_error("a file name contains a zero byte");
    probed_file file;
    file.name = name;
    // O_NONBLOCK: opening a FIFO would wait for its writer
    file.descriptor = unique_fd(::open(name.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    if (!file.descriptor) throw io_error(why_not_open(name, errno));
    struct stat status {};
    if (::fstat(file.descriptor.get(), &status) != 0) throw io_error(why_not_open(name, errno));
    if (S_ISDIR(status.st_mode)) throw io_error(name + ": is a directory; name a file in it");
    if (!S_ISREG(status.st_mode))
        throw io_error(name + ": is not a regular file (a pipe, socket or device); copy its contents to a file");
    file.bytes = status.st_size;

    std::array<char, 512> head{};
    auto const got = ::pread(file.descriptor.get(), head.data(), head.size(), 0);
    if (got < 0) throw io_error(name + ": cannot read it: " + std::strerror(errno));
    std::string_view const start(head.data(), static_cast<std::size_t>(got));
    if (start.starts_with("\x93NUMPY"))
        file.kind = file_kind::npy;
    else if (has_hdf5_signature(file.descriptor.get(), file.bytes))
        file.kind = file_kind::hdf5;
    else
        file.looks_like = describe(start);
    return file;
}

} // namespace steadfold::inline v0::io_detail
