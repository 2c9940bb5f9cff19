#include "io/serve.hpp"

#include "io/child_process.hpp"
#include "io/protocol.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <new>
#include <sys/socket.h>

namespace steadfold::inline v0::io_detail {

namespace {
/// Sends all bytes; false when the parent is gone.
bool send_all(int socket, void const* data, std::size_t bytes) {
    for (auto const* at = static_cast<std::byte const*>(data); bytes > 0;) {
        auto const sent = ::send(socket, at, bytes, MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR) continue;
        if (sent <= 0) return false;
        at += sent;
        bytes -= static_cast<std::size_t>(sent);
    }
    return true;
}

bool receive_all(int socket, void* data, std::size_t bytes) {
    for (auto* at = static_cast<std::byte*>(data); bytes > 0;) {
        auto const got = ::recv(socket, at, bytes, 0);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return false;
        at += got;
        bytes -= static_cast<std::size_t>(got);
    }
    return true;
}

bool send_reply(int socket, reply_header header, void const* payload, std::size_t bytes) {
    header.bytes = bytes;
    return send_all(socket, &header, sizeof header) && send_all(socket, payload, bytes);
}

std::string one_line(std::string text) {
    std::ranges::replace_if(
        text, [](char c) { return c == '\n' || c == '\r'; }, ' ');
    return text;
}

/// Runs `work` and returns the text of its failure, or nothing.
template <class Work>
std::string failure_of(std::string const& file, read_options const& options, Work const& work) {
    try {
        work();
        return {};
    } catch (std::bad_alloc const&) {
        return file + ": reading it takes more than the " + std::to_string(options.memory_limit_bytes >> 20) +
               " MiB that its reader process may use; raise that limit (--memory), unless the file is corrupt";
    } catch (std::exception const& failure) {
        return one_line(failure.what());
    }
}

/// The parent gives up first; the watchdog is for a parent that is gone or busy.
std::chrono::nanoseconds watchdog_patience(read_options const& options) {
    return options.deadline + std::chrono::seconds{1};
}
} // namespace

void serve_dataset(int socket, dataset_spec const& spec, read_options const& options,
                   std::array<std::byte*, 2> const& buffers) {
    std::unique_ptr<source> data;
    std::vector<std::byte> description;
    arm_watchdog(watchdog_patience(options));
    auto failure = failure_of(spec.file, options, [&] {
        data = open_source(spec, options);
        description = encode({&data->info(), 1});
    });
    if (!failure.empty()) {
        (void)send_reply(socket, {reply_kind::io_failure}, failure.data(), failure.size());
        return;
    }
    if (!send_reply(socket, {}, description.data(), description.size())) return;

    arm_watchdog(std::chrono::nanoseconds{0});
    for (read_request request; receive_all(socket, &request, sizeof request);) {
        arm_watchdog(watchdog_patience(options));
        auto const begin = std::chrono::steady_clock::now();
        failure = failure_of(spec.file, options, [&] {
            data->read(request.first, request.count, buffers[static_cast<std::size_t>(request.buffer)]);
        });
        std::chrono::duration<double> const spent = std::chrono::steady_clock::now() - begin;
        reply_header const header{failure.empty() ? reply_kind::done : reply_kind::io_failure,
                                  static_cast<std::int32_t>(request.buffer), spent.count()};
        if (!send_reply(socket, header, failure.data(), failure.size())) return;
        arm_watchdog(std::chrono::nanoseconds{0});
    }
}

void serve_list(int socket, std::string const& file, read_options const& options) {
    std::vector<std::byte> list;
    arm_watchdog(watchdog_patience(options));
    auto const failure = failure_of(file, options, [&] { list = encode(list_source(file, options)); });
    if (failure.empty())
        (void)send_reply(socket, {}, list.data(), list.size());
    else
        (void)send_reply(socket, {reply_kind::io_failure}, failure.data(), failure.size());
}

} // namespace steadfold::inline v0::io_detail
