/// The parent's side of a child that reads one file.
#pragma once

#include "io/child_process.hpp"
#include "io/protocol.hpp"

#include <chrono>
#include <cstddef>
#include <exception>
#include <functional>
#include <string>
#include <vector>

namespace steadfold::inline v0::io_detail {

struct reply {
    reply_header header;
    std::vector<std::byte> payload;
};

class reader_process {
  public:
    /// `name` begins the message of every error about the process itself.
    reader_process(std::string name, read_options const& options, std::function<void(int)> const& body);

    /// The next reply, whatever it says.
    /// @throws timeout_error  when it has not come within the deadline; the child is killed
    /// @throws io_error       when the child died; and the same error again on every later call
    [[nodiscard]] reply receive();

    void send(read_request const& request);

    [[nodiscard]] int id() const noexcept { return static_cast<int>(child_.id()); }

  private:
    using clock = std::chrono::steady_clock;
    enum class outcome { ready, timed_out };

    [[nodiscard]] outcome wait_for(short events, clock::time_point end);
    void receive_bytes(void* data, std::size_t bytes, clock::time_point end);
    [[noreturn]] void fail(std::exception_ptr failure);
    [[noreturn]] void fail_by_timeout();
    [[noreturn]] void fail_by_death();

    std::string name_;
    std::chrono::nanoseconds deadline_;
    std::exception_ptr failure_;
    child_process child_;
};

/// The text of a reply of kind `io_failure`.
[[nodiscard]] std::string text_of(reply const& answer);

} // namespace steadfold::inline v0::io_detail
