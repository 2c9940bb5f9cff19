#include "array/host_memory.hpp"

#include "base/thread_pool.hpp"
#include "steadfold/error.hpp"

#include <cstdlib>
#include <memory>
#include <string>
#include <sys/mman.h>
#include <unistd.h>

namespace steadfold {
inline namespace v0 {
namespace detail {

namespace {

constexpr std::size_t host_alignment = 64; // a cache line, and the widest vector register
constexpr std::size_t huge_page = std::size_t{2} << 20;
constexpr std::size_t worth_threads = 4 * huge_page; // starting them takes as long as some megabytes

void touch(std::byte* first, std::byte* last) {
    auto const page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    for (; first < last; first += page - reinterpret_cast<std::uintptr_t>(first) % page)
        *static_cast<std::byte volatile*>(first) = std::byte{};
}

std::unique_ptr<base::thread_pool> start(int threads) {
    try {
        return std::make_unique<base::thread_pool>(threads);
    } catch (library_error const&) { // a low limit of threads is no reason to have no array
        return nullptr;
    }
}

} // namespace

void* allocate_on_host(std::int64_t count, std::size_t element_bytes) {
    std::size_t const bytes = static_cast<std::size_t>(count) * element_bytes;
    bool const large = bytes >= worth_threads;
    std::size_t const alignment = large ? huge_page : host_alignment;
    void* const pointer = std::aligned_alloc(alignment, (bytes + alignment - 1) & ~(alignment - 1));
    if (pointer == nullptr) throw library_error("cannot allocate " + std::to_string(bytes) + " bytes of host memory");
    if (!large) return pointer;
#if defined(MADV_HUGEPAGE)
    static_cast<void>(madvise(pointer, bytes & ~(huge_page - 1), MADV_HUGEPAGE)); // a wish
#endif
    auto* const start = static_cast<std::byte*>(pointer);
    on_reducing_threads(count, element_bytes, [=](index_range range) {
        std::byte* const first = start + static_cast<std::size_t>(range.first) * element_bytes;
        touch(first, first + static_cast<std::size_t>(range.count) * element_bytes);
    });
    return pointer;
}

void free_on_host(void* pointer) noexcept {
    std::free(pointer);
}

void on_reducing_threads(std::int64_t count, std::size_t element_bytes, std::function<void(index_range)> const& work) {
    int const threads = base::useful_threads(count, base::allowed_cpu_count());
    if (threads > 1 && static_cast<std::size_t>(count) * element_bytes >= worth_threads) {
        if (auto const pool = start(threads)) {
            pool->run([&](int thread) { work(block_range(count, threads, thread)); });
            return;
        }
    }
    work({0, count});
}

} // namespace detail
} // namespace v0
} // namespace steadfold
