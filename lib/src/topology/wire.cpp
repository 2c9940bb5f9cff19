// Each type lists its fields once, for writing and reading alike. Numbers travel as 8 bytes in the machine's order.
#include "topology/wire.hpp"

#include "steadfold/error.hpp"

#include <cstring>
#include <type_traits>

namespace steadfold {
inline namespace v0 {
namespace detail {

namespace {

template <class T>
concept number = std::is_arithmetic_v<T> || std::is_enum_v<T>;

/// To be changed with any list of fields below.
constexpr std::int64_t format = 0x53544f504f303031;

class writer {
  public:
    template <number T>
    void take(T value) {
        auto const word = static_cast<std::int64_t>(value);
        append(&word, sizeof word);
    }
    void take(std::string& text) {
        take(text.size());
        append(text.data(), text.size());
    }
    template <class T>
    void take(std::optional<T>& value) {
        take(value.has_value());
        take(value.value_or(T{}));
    }
    template <class T>
    void take(std::vector<T>& items) {
        take(items.size());
        for (T& item : items) take(item);
    }
    template <class T>
    requires std::is_class_v<T>
    void take(T& value) { fields(*this, value); }
    template <class... Fields>
    void operator()(Fields&... values) {
        (take(values), ...);
    }

    std::vector<std::byte> bytes;

  private:
    void append(void const* data, std::size_t count) {
        auto const* const first = static_cast<std::byte const*>(data);
        bytes.insert(bytes.end(), first, first + count);
    }
};

class reader {
  public:
    explicit reader(std::span<std::byte const> bytes) : rest_(bytes) {}

    template <number T>
    void take(T& value) {
        std::int64_t word = 0;
        std::memcpy(&word, next(sizeof word).data(), sizeof word);
        value = static_cast<T>(word);
    }
    void take(std::string& text) {
        std::span<std::byte const> const characters = next(take_count());
        text.assign(reinterpret_cast<char const*>(characters.data()), characters.size());
    }
    template <class T>
    void take(std::optional<T>& value) {
        bool has_value = false;
        T inside{};
        (*this)(has_value, inside);
        value = has_value ? std::optional<T>(inside) : std::nullopt;
    }
    template <class T>
    void take(std::vector<T>& items) {
        items.resize(take_count()); // each item takes at least one byte, so this cannot outgrow the message
        for (T& item : items) take(item);
    }
    template <class T>
    requires std::is_class_v<T>
    void take(T& value) { fields(*this, value); }
    template <class... Fields>
    void operator()(Fields&... values) {
        (take(values), ...);
    }

    [[nodiscard]] bool at_end() const { return rest_.empty(); }

  private:
    std::size_t take_count() {
        std::int64_t count = 0;
        take(count);
        if (count < 0 || static_cast<std::size_t>(count) > rest_.size()) next(rest_.size() + 1);
        return static_cast<std::size_t>(count);
    }
    std::span<std::byte const> next(std::size_t count) {
        if (count > rest_.size()) throw mismatch_error("the topology report of a rank is cut short");
        std::span<std::byte const> const taken = rest_.first(count);
        rest_ = rest_.subspan(count);
        return taken;
    }

    std::span<std::byte const> rest_;
};

template <class Archive>
void fields(Archive& archive, numa_node& x) {
    archive(x.index, x.cpus, x.memory_bytes);
}
template <class Archive>
void fields(Archive& archive, host_facts& x) {
    archive(x.name, x.boot_id, x.cpu_model, x.numa_nodes, x.memory_bytes);
}
template <class Archive>
void fields(Archive& archive, pcie_link& x) {
    archive(x.generation, x.width, x.max_generation, x.max_width);
}
template <class Archive>
void fields(Archive& archive, gpu_facts& x) {
    archive(x.ordinal, x.name, x.uuid, x.pci_id, x.compute_major, x.compute_minor, x.sm_count, x.memory_bytes,
            x.l2_bytes, x.shared_memory_per_block_bytes, x.cluster_size_portable, x.cluster_size_max, x.integrated,
            x.pcie, x.nvlink_count, x.numa_node, x.compute_mode, x.mig, x.managed_memory, x.concurrent_managed_access,
            x.pageable_memory_access, x.pageable_uses_host_page_tables, x.host_native_atomics, x.cooperative_launch,
            x.driver_domain_count);
}
template <class Archive>
void fields(Archive& archive, peer_link& x) {
    archive(x.from, x.to, x.access, x.native_atomics, x.performance_rank, x.nvlink);
}
template <class Archive>
void fields(Archive& archive, cuda_facts& x) {
    archive(x.driver_version, x.runtime_version, x.kernel_driver, x.unavailable);
}
template <class Archive>
void fields(Archive& archive, locality_domain& x) {
    archive(x.device, x.index, x.sm_count, x.memory_bytes);
}
template <class Archive>
void fields(Archive& archive, process_facts& x) {
    archive(x.host, x.allowed_cpus, x.cuda, x.gpus, x.peers, x.domains);
}

} // namespace

std::vector<std::byte> encode(rank_report report) {
    writer out;
    out.take(format);
    out(report.policy, report.process);
    return std::move(out.bytes);
}

rank_report decode(std::span<std::byte const> bytes) {
    reader in(bytes);
    std::int64_t found = 0;
    in(found);
    if (found != format) throw mismatch_error("the topology report of a rank is of another version of steadfold");
    rank_report report;
    in(report.policy, report.process);
    if (!in.at_end()) throw mismatch_error("the topology report of a rank is too long");
    return report;
}

} // namespace detail
} // namespace v0
} // namespace steadfold
