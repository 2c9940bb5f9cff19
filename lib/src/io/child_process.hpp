/// A forked child that shares nothing with its parent but a socket and mappings made before.
#pragma once

#include "io/unique_fd.hpp"

#include <chrono>
#include <cstddef>
#include <functional>
#include <string>
#include <sys/types.h>

namespace steadfold::inline v0::io_detail {

class child_process {
  public:
    /// Forks; `body` runs in the child with the child's end of the socket, and the child exits when it returns. The
    /// child has no open file but the socket, no signal handlers (those that end a whole job are ignored: the parent
    /// decides), `memory_limit_bytes` of address space on top of
    /// what the parent uses, and does not outlive the parent.
    /// @throws io_error  if the system has no room for a process
    child_process(std::size_t memory_limit_bytes, std::function<void(int)> const& body);
    ~child_process() { (void)end(std::chrono::milliseconds{0}); }
    child_process(child_process const&) = delete;
    child_process& operator=(child_process const&) = delete;

    /// The parent's end of the socket.
    [[nodiscard]] int socket() const noexcept { return socket_.get(); }
    [[nodiscard]] pid_t id() const noexcept { return id_; }

    /// Reaps the child; kills it if it does not exit within `patience`. Returns how it ended, as from waitpid; -1 if
    /// somebody else reaped it or it does not die (stuck in the kernel).
    int end(std::chrono::milliseconds patience) noexcept;

  private:
    [[nodiscard]] bool wait_for_exit(std::chrono::milliseconds patience) noexcept;

    unique_fd socket_, handle_; ///< handle_: a pidfd, where the kernel has them
    pid_t id_ = -1;
    int status_ = -1;
};

/// Ends this process with SIGALRM after `patience`; zero disarms.
void arm_watchdog(std::chrono::nanoseconds patience) noexcept;

} // namespace steadfold::inline v0::io_detail
