#include "io/source.hpp"

#include "io/file_probe.hpp"
#include "io/flat_source.hpp"

namespace steadfold::inline v0::io_detail {

namespace {
#ifndef STEADFOLD_HAS_HDF5
[[noreturn]] void refuse_hdf5(std::string const& file) {
    throw io_error(file + ": is an HDF5 file, and this build has no HDF5; install libhdf5-dev and build again");
}
#endif

std::unique_ptr<source> open_flat(probed_file&& file, dataset_spec const& spec, read_options const& options) {
    bool const npy = file.kind == file_kind::npy;
    if (!spec.path.empty())
        throw io_error(spec.file + ": is " + (npy ? "an npy" : "a raw") + " file and holds no data set \"" + spec.path +
                       "\"; leave out \":" + spec.path + "\"");
    return npy ? open_npy(std::move(file)) : open_raw(std::move(file), options);
}
} // namespace

std::unique_ptr<source> open_source(dataset_spec const& spec, read_options const& options) {
    auto file = probe_file(spec.file);
    if (file.kind != file_kind::hdf5) return open_flat(std::move(file), spec, options);
#ifdef STEADFOLD_HAS_HDF5
    file.descriptor.close();
    return open_hdf5(spec, options);
#else
    refuse_hdf5(spec.file);
#endif
}

std::vector<dataset_info> list_source(std::string const& name, read_options const& options) {
    auto file = probe_file(name);
    if (file.kind != file_kind::hdf5) return {open_flat(std::move(file), {name, {}}, options)->info()};
#ifdef STEADFOLD_HAS_HDF5
    file.descriptor.close();
    return list_hdf5(name, options);
#else
    refuse_hdf5(name);
#endif
}

} // namespace steadfold::inline v0::io_detail
