#include "io/hdf5_file.hpp"

#include <algorithm>
#include <numeric>

namespace steadfold::inline v0::io_detail {

namespace {
#if H5_VERSION_GE(1, 12, 0)
using object_info = H5O_info2_t;
#else
using object_info = H5O_info_t;
#endif

extern "C" herr_t steadfold_keep_dataset(hid_t, char const* name, object_info const* info, void* paths) noexcept {
    if (info->type != H5O_TYPE_DATASET) return 0;
    try {
        static_cast<std::vector<std::string>*>(paths)->push_back(std::string("/") + name);
        return 0;
    } catch (...) { // no exception may pass through C
        return -1;
    }
}

std::size_t edit_distance(std::string const& a, std::string const& b) {
    std::vector<std::size_t> row(b.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 0; i < a.size(); ++i) {
        std::size_t diagonal = std::exchange(row[0], i + 1);
        for (std::size_t j = 0; j < b.size(); ++j) {
            auto const substituted = diagonal + (a[i] != b[j] ? 1 : 0);
            diagonal = row[j + 1];
            row[j + 1] = std::min({substituted, row[j] + 1, diagonal + 1});
        }
    }
    return row.back();
}

[[noreturn]] void refuse_path(hid_t file, std::string const& path, std::string const& reason) {
    auto paths = dataset_paths(file);
    auto const absolute = path.starts_with('/') ? path : "/" + path;
    if (std::ranges::find(paths, absolute) != paths.end())
        throw io_error("cannot open data set " + path + ": " + reason);
    if (H5Lexists(file, path.c_str(), H5P_DEFAULT) > 0)
        throw io_error("the link " + path + " leads nowhere: " + reason);
    if (paths.empty()) throw io_error("no data set " + path + "; the file holds none");
    throw io_error("no data set " + path + "; there are: " + likely_paths(std::move(paths), absolute));
}

/// Room for all chunks with the same first index. A range in row-major order that ends inside such a row leaves chunks
/// half read; while they stay in the cache, the next range does not decompress them again.
void set_chunk_cache(hid_t access, hid_t dataset, std::size_t memory_limit_bytes) {
    hdf5_handle const creation(H5Dget_create_plist(dataset), H5Pclose, "read the layout");
    if (H5Pget_layout(creation.get()) != H5D_CHUNKED) return;
    hdf5_handle const space(H5Dget_space(dataset), H5Sclose, "read the shape");
    hdf5_handle const type(H5Dget_type(dataset), H5Tclose, "read the type");
    hsize_t chunk[H5S_MAX_RANK] = {}, extent[H5S_MAX_RANK] = {};
    int const rank = check(H5Pget_chunk(creation.get(), H5S_MAX_RANK, chunk), "read the chunk size");
    if (check(H5Sget_simple_extent_dims(space.get(), extent, nullptr), "read the shape") != rank) return;

    double bytes = static_cast<double>(H5Tget_size(type.get())), chunks = 1;
    for (int d = 0; d < rank; ++d) {
        bytes *= static_cast<double>(chunk[d]);
        if (d > 0) chunks *= static_cast<double>((extent[d] + chunk[d] - 1) / std::max<hsize_t>(chunk[d], 1));
    }
    auto const room = static_cast<double>(memory_limit_bytes / 2);
    auto const cache = static_cast<std::size_t>(std::clamp(bytes * chunks, 1048576.0, std::max(room, 1048576.0)));
    auto const slots = static_cast<std::size_t>(std::clamp(chunks * 10 + 1, 521.0, 1000003.0)) | 1U;
    // Near 1: a chunk that was read to its end is the first to go. At 1 itself no other chunk ever goes, whatever the
    // size of the cache (HDF5 1.10's pruning ends before it comes to the second kind).
    check(H5Pset_chunk_cache(access, slots, cache, 0.99), "set the chunk cache");
}
} // namespace

hdf5_handle open_hdf5_file(std::string const& file) {
    check(H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr), "silence HDF5");
    hid_t const id = H5Fopen(file.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
    if (id >= 0) return {id, H5Fclose, "open the file"};
    auto const text = hdf5_error_text();
    if (text.find("errno = 11") != std::string::npos)
        throw io_error("is locked by a program that writes it; wait until that has closed it, or set "
                       "HDF5_USE_FILE_LOCKING=FALSE to read it all the same");
    throw io_error("HDF5 cannot open it: " + text + "; is it complete? Copy or write it again");
}

std::vector<std::string> dataset_paths(hid_t file) {
    std::vector<std::string> paths;
#if H5_VERSION_GE(1, 12, 0)
    check(H5Ovisit3(file, H5_INDEX_NAME, H5_ITER_NATIVE, steadfold_keep_dataset, &paths, H5O_INFO_BASIC),
          "list its data sets");
#else
    check(H5Ovisit2(file, H5_INDEX_NAME, H5_ITER_NATIVE, steadfold_keep_dataset, &paths, H5O_INFO_BASIC),
          "list its data sets");
#endif
    std::ranges::sort(paths);
    return paths;
}

hdf5_handle open_hdf5_dataset(hid_t file, std::string const& path, std::size_t memory_limit_bytes) {
    hid_t const id = H5Oopen(file, path.c_str(), H5P_DEFAULT);
    if (id < 0) refuse_path(file, path, hdf5_error_text());
    hdf5_handle object(id, H5Oclose, "open it");
    if (H5Iget_type(id) != H5I_DATASET) {
        auto paths = dataset_paths(file);
        throw io_error(path + " is a group or a type, not a data set" +
                       (paths.empty() ? "" : "; there are: " + likely_paths(std::move(paths), path)));
    }
    hdf5_handle const access(H5Pcreate(H5P_DATASET_ACCESS), H5Pclose, "make a property list");
    set_chunk_cache(access.get(), id, memory_limit_bytes);
    object.reset(); // a cache size counts for the first of the handles that are open together
    return {H5Dopen2(file, path.c_str(), access.get()), H5Dclose, "open the data set"};
}

std::string likely_paths(std::vector<std::string> paths, std::string const& wanted) {
    constexpr std::size_t most = 8;
    std::vector<std::pair<std::size_t, std::string>> ranked;
    for (auto& path : paths) {
        auto const distance = edit_distance(path, wanted);
        ranked.emplace_back(distance, std::move(path));
    }
    std::ranges::sort(ranked);
    std::string text;
    for (std::size_t i = 0; i < std::min(most, ranked.size()); ++i) text += (i > 0 ? ", " : "") + ranked[i].second;
    if (ranked.size() > most) text += " and " + std::to_string(ranked.size() - most) + " more";
    return text;
}

} // namespace steadfold::inline v0::io_detail
