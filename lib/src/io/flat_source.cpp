#include "io/flat_source.hpp"

#include "io/byte_order.hpp"
#include "io/element_order.hpp"
#include "io/hyperslab.hpp"
#include "io/npy_header.hpp"

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>
#include <sys/mman.h>
#include <sys/resource.h>

namespace steadfold::inline v0::io_detail {

namespace {
constexpr bool native_is_big = std::endian::native == std::endian::big;

std::string stored_type_text(dtype type, bool big_endian) {
    std::string const order = size_bytes(component_type(type)) == 1 ? ""
                              : big_endian                          ? "big-endian "
                                                                    : "little-endian ";
    return order + std::string(name(type));
}

[[noreturn]] void throw_short_file(std::string const& file, std::int64_t expected, std::int64_t actual) {
    throw io_error(file + ": is truncated: expected " + std::to_string(expected) + " bytes, it has " +
                   std::to_string(actual) + "; copy or write it again");
}

void read_exactly(probed_file const& file, std::int64_t at, std::byte* destination, std::int64_t bytes) {
    for (std::int64_t done = 0; done < bytes;) {
        auto const got =
            ::pread(file.descriptor.get(), destination + done, static_cast<std::size_t>(bytes - done), at + done);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) throw io_error(file.name + ": cannot read it: " + std::strerror(errno));
        if (got == 0) throw_short_file(file.name, at + bytes, at + done);
        done += got;
    }
}

class flat_source : public source {
  public:
    flat_source(probed_file&& file, dataset_info&& info, std::int64_t data_at, bool big_endian)
        : file_(std::move(file)), data_at_(data_at), swap_(big_endian != native_is_big) {
        info_ = std::move(info);
        element_bytes_ = static_cast<std::int64_t>(size_bytes(info_.type));
        std::int64_t end = 0;
        if (__builtin_mul_overflow(info_.elements, element_bytes_, &end) || __builtin_add_overflow(end, data_at_, &end))
            throw io_error(file_.name + ": its header asks for more than 2^63 bytes; write the file again");
        if (end > file_.bytes) throw_short_file(file_.name, end, file_.bytes);
    }

    void read(std::int64_t first, std::int64_t count, std::byte* destination) override {
        fetch(first, count, destination);
        if (swap_) swap_bytes(info_.type, destination, count);
    }

  protected:
    virtual void fetch(std::int64_t first, std::int64_t count, std::byte* destination) {
        read_exactly(file_, data_at_ + first * element_bytes_, destination, count * element_bytes_);
    }

    probed_file file_;
    std::int64_t data_at_;
    std::int64_t element_bytes_ = 0;
    bool swap_;
};

class fortran_source final : public flat_source {
  public:
    fortran_source(probed_file&& file, dataset_info&& info, std::int64_t data_at, bool big_endian)
        : flat_source(std::move(file), std::move(info), data_at, big_endian),
          mapped_bytes_(static_cast<std::size_t>(file_.bytes)) {
        allow_mapping();
        mapping_ = ::mmap(nullptr, mapped_bytes_, PROT_READ, MAP_SHARED, file_.descriptor.get(), 0);
        if (mapping_ == MAP_FAILED) throw io_error(file_.name + ": cannot map it: " + std::strerror(errno));
    }
    ~fortran_source() override { ::munmap(mapping_, mapped_bytes_); }
    fortran_source(fortran_source const&) = delete;
    fortran_source& operator=(fortran_source const&) = delete;

  private:
    /// Pages of a mapped file are not working memory: the limit on address space makes room for them.
    void allow_mapping() const {
        rlimit limit{};
        if (::getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return;
        limit.rlim_cur = std::min<rlim_t>(limit.rlim_cur + mapped_bytes_ + 4096, limit.rlim_max);
        ::setrlimit(RLIMIT_AS, &limit);
    }

    void fetch(std::int64_t first, std::int64_t count, std::byte* destination) override {
        gather_fortran(static_cast<std::byte const*>(mapping_) + data_at_, info_.extents,
                       static_cast<std::size_t>(element_bytes_), first, count, destination);
    }

    std::size_t mapped_bytes_;
    void* mapping_ = nullptr;
};

npy_header read_npy_header(probed_file const& file, std::int64_t& data_at) {
    std::vector<std::byte> head(static_cast<std::size_t>(std::min<std::int64_t>(file.bytes, npy_preamble_bytes)));
    read_exactly(file, 0, head.data(), static_cast<std::int64_t>(head.size()));
    auto const preamble = parse_npy_preamble(head);
    data_at = preamble.dictionary_at + preamble.dictionary_bytes;
    if (data_at > file.bytes) throw_short_file(file.name, data_at, file.bytes);
    std::string text(static_cast<std::size_t>(preamble.dictionary_bytes), '\0');
    read_exactly(file, preamble.dictionary_at, reinterpret_cast<std::byte*>(text.data()), preamble.dictionary_bytes);
    return parse_npy_dictionary(text);
}
} // namespace

std::unique_ptr<source> open_npy(probed_file&& file) {
    std::int64_t data_at = 0;
    npy_header header;
    dataset_info info;
    try {
        header = read_npy_header(file, data_at);
        info.elements = checked_product(header.extents);
    } catch (io_error const& failure) {
        std::string const text = failure.what();
        throw io_error(text.starts_with(file.name) ? text : file.name + ": " + text);
    }
    // with at most one extent above 1 both orders are the same
    bool const reorder =
        header.fortran_order && std::ranges::count_if(header.extents, [](auto extent) { return extent != 1; }) > 1;
    info.file = file.name;
    info.format = file_format::npy;
    info.type = header.type;
    info.stored_type = stored_type_text(header.type, header.big_endian);
    if (header.descr.ends_with("b1") || header.descr.ends_with("?")) info.stored_type = "bool";
    info.layout = header.fortran_order ? "contiguous, Fortran order" : "contiguous";
    info.extents = std::move(header.extents);
    if (reorder && info.elements > 0)
        return std::make_unique<fortran_source>(std::move(file), std::move(info), data_at, header.big_endian);
    return std::make_unique<flat_source>(std::move(file), std::move(info), data_at, header.big_endian);
}

std::unique_ptr<source> open_raw(probed_file&& file, read_options const& options) {
    if (!options.raw_type) throw io_error(file.name + ": " + file.looks_like);
    auto const type = *options.raw_type;
    auto const bytes = static_cast<std::int64_t>(size_bytes(type));
    if (options.raw_offset_bytes > static_cast<std::size_t>(file.bytes))
        throw io_error(file.name + ": the offset of " + std::to_string(options.raw_offset_bytes) +
                       " bytes is past its end at " + std::to_string(file.bytes));
    auto const offset = static_cast<std::int64_t>(options.raw_offset_bytes);
    auto const payload = file.bytes - offset;
    if (payload % bytes != 0)
        throw io_error(file.name + ": its " + std::to_string(payload) + " bytes" +
                       (offset == 0 ? "" : " after the offset") + " are not a multiple of the " +
                       std::to_string(bytes) + " bytes of a " + std::string(name(type)) +
                       "; check the type and the offset");
    dataset_info info;
    info.file = file.name;
    info.format = file_format::raw;
    info.type = type;
    info.stored_type = stored_type_text(type, options.raw_big_endian);
    info.layout = "contiguous";
    info.elements = payload / bytes;
    info.extents = {info.elements};
    return std::make_unique<flat_source>(std::move(file), std::move(info), offset, options.raw_big_endian);
}

} // namespace steadfold::inline v0::io_detail
