#include "io/hdf5_attributes.hpp"
#include "io/hdf5_file.hpp"
#include "io/hdf5_types.hpp"
#include "io/hyperslab.hpp"
#include "io/source.hpp"

#include <algorithm>
#include <limits>

namespace steadfold::inline v0::io_detail {

namespace {
std::string filter_text(hid_t creation, unsigned index, H5Z_filter_t& id) {
    unsigned flags = 0, settings[8] = {}, configuration = 0;
    std::size_t count = 8;
    char text[64] = {};
    id = check(H5Pget_filter2(creation, index, &flags, &count, settings, sizeof text, text, &configuration),
               "read the filters");
    switch (id) {
    case H5Z_FILTER_DEFLATE:
        return "deflate " + std::to_string(settings[0]);
    case H5Z_FILTER_SHUFFLE:
        return "shuffle";
    case H5Z_FILTER_FLETCHER32:
        return "fletcher32";
    case H5Z_FILTER_SZIP:
        return "szip";
    case H5Z_FILTER_NBIT:
        return "nbit";
    case H5Z_FILTER_SCALEOFFSET:
        return "scaleoffset";
    default:
        text[sizeof text - 1] = '\0';
        return "filter " + std::to_string(id) + (text[0] != '\0' ? std::string(" (") + text + ")" : "");
    }
}

std::string chunk_text(hid_t creation) {
    hsize_t chunk[H5S_MAX_RANK] = {};
    int const rank = check(H5Pget_chunk(creation, H5S_MAX_RANK, chunk), "read the chunk size");
    std::string text = "chunked ";
    for (int d = 0; d < rank; ++d) text += (d > 0 ? "x" : "") + std::to_string(chunk[d]);
    return text;
}

/// Everything that is needed to read a data set, or `info.unsupported` says why it cannot be read.
struct opened_dataset {
    hdf5_handle dataset, space;
    element_mapping element;
    missing_markers markers;
    packing rule;
    dataset_info info;
};

void describe_shape(opened_dataset& opened) {
    opened.space = hdf5_handle(H5Dget_space(opened.dataset.get()), H5Sclose, "read the shape");
    if (H5Sget_simple_extent_type(opened.space.get()) == H5S_NULL) {
        opened.info.extents = {0};
        return;
    }
    hsize_t extents[H5S_MAX_RANK] = {};
    int const rank = check(H5Sget_simple_extent_dims(opened.space.get(), extents, nullptr), "read the shape");
    for (int d = 0; d < rank; ++d) {
        if (extents[d] > static_cast<hsize_t>(std::numeric_limits<std::int64_t>::max()))
            throw io_error("an extent exceeds 63 bits; is the file corrupt?");
        opened.info.extents.push_back(static_cast<std::int64_t>(extents[d]));
    }
    opened.info.elements = checked_product(opened.info.extents);
}

void describe_layout(opened_dataset& opened) {
    hdf5_handle const creation(H5Dget_create_plist(opened.dataset.get()), H5Pclose, "read the layout");
    auto& info = opened.info;
    switch (H5Pget_layout(creation.get())) {
    case H5D_COMPACT:
        info.layout = "compact";
        break;
    case H5D_CONTIGUOUS:
        info.layout = "contiguous";
        break;
    case H5D_CHUNKED:
        info.layout = chunk_text(creation.get());
        break;
    case H5D_VIRTUAL:
        info.layout = "virtual";
        break;
    default:
        info.layout = "unknown layout";
    }
    if (H5Pget_external_count(creation.get()) > 0) info.layout += ", in external files";
    int const filters = check(H5Pget_nfilters(creation.get()), "read the filters");
    for (int i = 0; i < filters; ++i) {
        H5Z_filter_t id = 0;
        auto const text = filter_text(creation.get(), static_cast<unsigned>(i), id);
        info.layout += ", " + text;
        if (H5Zfilter_avail(id) <= 0)
            info.unsupported =
                "is compressed with HDF5 " +
                (text.starts_with("filter") ? text : "filter " + std::to_string(id) + " (" + text + ")") +
                ", which is not installed; install its plugin and set HDF5_PLUGIN_PATH, or repack the file "
                "with: h5repack -f GZIP=4 OLD NEW";
    }
}

void describe_elements(opened_dataset& opened, read_options const& options) {
    hid_t const dataset = opened.dataset.get();
    auto& info = opened.info;
    hdf5_handle const stored(H5Dget_type(dataset), H5Tclose, "read the type");
    opened.element = map_element_type(stored.get());
    info.stored_type = opened.element.stored;
    info.units = read_text_attribute(dataset, "units");
    if (!opened.element.type) {
        info.unsupported =
            "holds elements of type " + info.stored_type +
            ", which cannot be reduced; choose a data set of integers, floating-point or complex numbers";
        return;
    }
    info.type = *opened.element.type;
    auto markers = read_missing_markers(dataset, info.type, opened.element.memory.get());
    info.declares_missing = !markers.empty();
    if (!options.keep_missing) opened.markers = std::move(markers);
    if (options.unpack && !is_complex(info.type)) opened.rule = read_packing(dataset);
    if (opened.rule.used())
        info.type = dtype::float64;
    else if (!opened.markers.integer.empty())
        info.missing = opened.markers.integer.front();
}

opened_dataset describe(hid_t file, std::string const& path, read_options const& options) {
    opened_dataset opened;
    opened.dataset = open_hdf5_dataset(file, path, options.memory_limit_bytes);
    opened.info.path = path.starts_with('/') ? path : "/" + path;
    opened.info.format = file_format::hdf5;
    describe_shape(opened);
    describe_elements(opened, options);
    describe_layout(opened);
    return opened;
}

class hdf5_source final : public source {
  public:
    hdf5_source(hdf5_handle&& file, opened_dataset&& opened, std::string const& name)
        : file_(std::move(file)), opened_(std::move(opened)) {
        info_ = opened_.info;
        info_.file = name;
    }

    void read(std::int64_t first, std::int64_t count, std::byte* destination) override {
        auto const type = *opened_.element.type;
        auto const bytes = static_cast<std::int64_t>(size_bytes(type));
        bool const unpack = opened_.rule.used();
        std::byte* const stored =
            destination + (unpack ? count * (static_cast<std::int64_t>(sizeof(double)) - bytes) : 0);
        std::byte* at = stored;
        for (auto const& part : split_range(info_.extents, first, count)) {
            read_box(part, at);
            at += part.elements * bytes;
        }
        if (unpack)
            unpack_in_place(type, opened_.markers, opened_.rule, destination, count);
        else
            unify_missing(type, opened_.markers, stored, count);
    }

  private:
    /// The data space in memory has the box's shape: only then does HDF5 copy whole rows out of a chunk; with a flat
    /// one it goes element by element, ten times slower.
    void read_box(box const& part, std::byte* destination) {
        std::vector<hsize_t> const start(part.start.begin(), part.start.end()),
            size(part.count.begin(), part.count.end());
        hdf5_handle const memory(H5Screate_simple(static_cast<int>(size.size()), size.data(), nullptr), H5Sclose,
                                 "make a data space");
        if (!size.empty())
            check(H5Sselect_hyperslab(opened_.space.get(), H5S_SELECT_SET, start.data(), nullptr, size.data(), nullptr),
                  "select elements");
        if (H5Dread(opened_.dataset.get(), opened_.element.memory.get(), memory.get(), opened_.space.get(), H5P_DEFAULT,
                    destination) < 0)
            throw io_error(info_.file + ": cannot read data set " + info_.path + ": " + hdf5_error_text() +
                           "; the file is probably corrupt, check it with h5dump");
    }

    hdf5_handle file_; ///< closed last
    opened_dataset opened_;
};

/// For a spec without a path: the only data set that can be read.
opened_dataset only_dataset(hid_t file, read_options const& options) {
    opened_dataset found;
    std::vector<std::string> usable;
    auto const paths = dataset_paths(file);
    for (auto const& path : paths) {
        auto candidate = describe(file, path, options);
        if (!candidate.info.unsupported.empty() && paths.size() > 1) continue;
        usable.push_back(path);
        if (usable.size() == 1) found = std::move(candidate);
    }
    if (usable.size() == 1) return found;
    if (usable.empty()) throw io_error(paths.empty() ? "holds no data set" : "holds no data set of numbers");
    throw io_error("holds " + std::to_string(usable.size()) +
                   " data sets; choose one, as FILE:DATASET, of: " + likely_paths(usable, usable.front()));
}
} // namespace

std::unique_ptr<source> open_hdf5(dataset_spec const& spec, read_options const& options) {
    try {
        auto file = open_hdf5_file(spec.file);
        auto opened = spec.path.empty() ? only_dataset(file.get(), options) : describe(file.get(), spec.path, options);
        if (!opened.info.unsupported.empty())
            throw io_error("data set " + opened.info.path + " " + opened.info.unsupported);
        return std::make_unique<hdf5_source>(std::move(file), std::move(opened), spec.file);
    } catch (io_error const& failure) {
        throw io_error(spec.file + ": " + failure.what());
    }
}

std::vector<dataset_info> list_hdf5(std::string const& name, read_options const& options) {
    std::vector<dataset_info> list;
    try {
        auto const file = open_hdf5_file(name);
        for (auto const& path : dataset_paths(file.get())) {
            dataset_info info;
            try {
                info = describe(file.get(), path, options).info;
            } catch (io_error const& failure) {
                info.path = path;
                info.format = file_format::hdf5;
                info.unsupported = std::string("cannot be opened: ") + failure.what();
            }
            info.file = name;
            list.push_back(std::move(info));
        }
    } catch (io_error const& failure) {
        throw io_error(name + ": " + failure.what());
    }
    return list;
}

} // namespace steadfold::inline v0::io_detail
