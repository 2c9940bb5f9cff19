#include "io/protocol.hpp"

namespace steadfold::inline v0::io_detail {

namespace {
class writer {
  public:
    explicit writer(std::vector<std::byte>& out) : out_(out) {}

    template <class T>
    requires std::is_trivially_copyable_v<T>
    void operator()(T const& value) { append(&value, sizeof value); }
    void operator()(std::string const& text) {
        (*this)(std::uint64_t{text.size()});
        append(text.data(), text.size());
    }
    void operator()(std::vector<std::int64_t> const& values) {
        (*this)(std::uint64_t{values.size()});
        append(values.data(), values.size() * sizeof(std::int64_t));
    }

  private:
    void append(void const* data, std::size_t bytes) {
        auto const* first = static_cast<std::byte const*>(data);
        out_.insert(out_.end(), first, first + bytes);
    }
    std::vector<std::byte>& out_;
};

class reader {
  public:
    explicit reader(std::span<std::byte const> in) : in_(in) {}

    template <class T>
    requires std::is_trivially_copyable_v<T>
    void operator()(T& value) { take(&value, sizeof value); }
    void operator()(bool& value) { value = get<std::uint8_t>() != 0; }
    void operator()(std::string& text) {
        text.resize(length(1));
        take(text.data(), text.size());
    }
    void operator()(std::vector<std::int64_t>& values) {
        values.resize(length(sizeof(std::int64_t)));
        take(values.data(), values.size() * sizeof(std::int64_t));
    }
    [[nodiscard]] bool at_end() const noexcept { return in_.empty(); }
    [[noreturn]] static void fail() { throw io_error("the reader process sent a damaged reply"); }

  private:
    template <class T>
    T get() {
        T value;
        take(&value, sizeof value);
        return value;
    }
    std::size_t length(std::size_t element_bytes) {
        auto const count = get<std::uint64_t>();
        if (count > in_.size() / element_bytes) fail();
        return static_cast<std::size_t>(count);
    }
    void take(void* data, std::size_t bytes) {
        if (bytes > in_.size()) fail();
        if (bytes > 0) std::memcpy(data, in_.data(), bytes);
        in_ = in_.subspan(bytes);
    }
    std::span<std::byte const> in_;
};

/// One list of the members for both directions.
template <class Coder, class Info>
void visit(Coder& code, Info& info) {
    code(info.file);
    code(info.path);
    code(info.format);
    code(info.type);
    code(info.stored_type);
    code(info.unsupported);
    code(info.extents);
    code(info.elements);
    code(info.layout);
    code(info.units);
    code(info.declares_missing);
}
} // namespace

std::vector<std::byte> encode(std::span<dataset_info const> infos) {
    std::vector<std::byte> bytes;
    writer write(bytes);
    for (auto const& info : infos) {
        visit(write, info);
        write(info.missing.has_value());
        write(info.missing.value_or(0));
    }
    return bytes;
}

std::vector<dataset_info> decode_infos(std::span<std::byte const> bytes) {
    std::vector<dataset_info> infos;
    reader read(bytes);
    while (!read.at_end()) {
        dataset_info info;
        visit(read, info);
        bool has_missing = false;
        std::int64_t missing = 0;
        read(has_missing);
        read(missing);
        if (has_missing) info.missing = missing;
        if (static_cast<int>(info.type) >= dtype_count || info.format > file_format::raw || info.elements < 0)
            reader::fail();
        infos.push_back(std::move(info));
    }
    return infos;
}

} // namespace steadfold::inline v0::io_detail
