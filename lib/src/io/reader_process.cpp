#include "io/reader_process.hpp"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <poll.h>
#include <sys/socket.h>
#include <sys/wait.h>

namespace steadfold::inline v0::io_detail {

namespace {
std::string seconds_text(std::chrono::nanoseconds duration) {
    char text[32];
    std::snprintf(text, sizeof text, "%.3g s", std::chrono::duration<double>(duration).count());
    return text;
}

std::string death_text(int status) {
    if (status == -1) return "the reader process is gone; read the file again";
    if (!WIFSIGNALED(status))
        return "the reader process ended early; the file is probably corrupt, check it with h5ls or h5dump";
    int const signal = WTERMSIG(status);
    if (signal == SIGBUS) return "the file became shorter while it was read; wait until its writer has finished";
    if (signal == SIGKILL || signal == SIGTERM)
        return "the reader process was killed, perhaps for want of memory; read the file again with smaller buffers";
    return "the reader process crashed (signal " + std::to_string(signal) + ", " + ::strsignal(signal) +
           "): the file is corrupt or meets a defect of the HDF5 library; check it with h5ls or h5dump";
}
} // namespace

std::string text_of(reply const& answer) {
    return {reinterpret_cast<char const*>(answer.payload.data()), answer.payload.size()};
}

reader_process::reader_process(std::string name, read_options const& options, std::function<void(int)> const& body)
    : name_(std::move(name)), deadline_(options.deadline), child_(options.memory_limit_bytes, body) {}

void reader_process::fail(std::exception_ptr failure) {
    failure_ = std::move(failure);
    (void)child_.end(std::chrono::milliseconds{0});
    std::rethrow_exception(failure_);
}

void reader_process::fail_by_timeout() {
    fail(std::make_exception_ptr(timeout_error(name_ + ": no answer from its reader process within " +
                                               seconds_text(deadline_) +
                                               "; is the file system slow? Raise the deadline (--deadline)")));
}

void reader_process::fail_by_death() {
    // its socket closes a moment before it can be reaped
    int const status = child_.end(std::chrono::milliseconds{500});
    if (status != -1 && WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM) fail_by_timeout();
    fail(std::make_exception_ptr(io_error(name_ + ": " + death_text(status))));
}

reader_process::outcome reader_process::wait_for(short events, clock::time_point end) {
    for (;;) {
        auto const left = std::chrono::ceil<std::chrono::milliseconds>(end - clock::now()).count();
        pollfd socket{child_.socket(), events, 0};
        int const ready = ::poll(&socket, 1, static_cast<int>(std::clamp<decltype(left)>(left, 0, 1'000'000)));
        if (ready > 0) return outcome::ready;
        if (ready < 0 && errno != EINTR) fail_by_death();
        if (clock::now() >= end) return outcome::timed_out;
    }
}

void reader_process::receive_bytes(void* data, std::size_t bytes, clock::time_point end) {
    auto* at = static_cast<std::byte*>(data);
    while (bytes > 0) {
        if (wait_for(POLLIN, end) == outcome::timed_out) fail_by_timeout();
        auto const got = ::recv(child_.socket(), at, bytes, MSG_DONTWAIT);
        if (got < 0 && (errno == EINTR || errno == EAGAIN)) continue;
        if (got <= 0) fail_by_death();
        at += got;
        bytes -= static_cast<std::size_t>(got);
    }
}

reply reader_process::receive() {
    if (failure_) std::rethrow_exception(failure_);
    auto const end = clock::now() + deadline_;
    reply answer;
    receive_bytes(&answer.header, sizeof answer.header, end);
    if (answer.header.bytes > max_payload_bytes || answer.header.kind > reply_kind::io_failure)
        fail(std::make_exception_ptr(
            io_error(name_ + ": its reader process sent a damaged reply; is the file corrupt?")));
    answer.payload.resize(static_cast<std::size_t>(answer.header.bytes));
    receive_bytes(answer.payload.data(), answer.payload.size(), end);
    return answer;
}

void reader_process::send(read_request const& request) {
    if (failure_) std::rethrow_exception(failure_);
    auto const end = clock::now() + deadline_;
    auto const* at = reinterpret_cast<std::byte const*>(&request);
    for (std::size_t left = sizeof request; left > 0;) {
        auto const sent = ::send(child_.socket(), at, left, MSG_DONTWAIT | MSG_NOSIGNAL);
        if (sent < 0 && errno == EAGAIN) {
            if (wait_for(POLLOUT, end) == outcome::timed_out) fail_by_timeout();
            continue;
        }
        if (sent < 0 && errno != EINTR) fail_by_death();
        if (sent > 0) {
            at += sent;
            left -= static_cast<std::size_t>(sent);
        }
    }
}

} // namespace steadfold::inline v0::io_detail
