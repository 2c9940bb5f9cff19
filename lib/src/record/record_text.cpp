// The small texts a record holds: times, bits, status.
#include "steadfold/error.hpp"
#include "steadfold/record.hpp"

#include <chrono>
#include <cstdio>
#include <ctime>

namespace steadfold {
inline namespace v0 {

std::string utc_now() {
    using namespace std::chrono;
    auto const now = system_clock::now();
    std::time_t const seconds_now = system_clock::to_time_t(floor<seconds>(now));
    auto const millis = duration_cast<milliseconds>(now - floor<seconds>(now)).count();
    std::tm parts{};
    gmtime_r(&seconds_now, &parts);
    char text[64];
    std::size_t const length = std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S", &parts);
    std::snprintf(text + length, sizeof text - length, ".%03dZ", static_cast<int>(millis));
    return text;
}

std::string hex_digits(std::uint64_t bits, int bytes) {
    if (bytes < 1 || bytes > 8) throw argument_error("hex_digits: bytes must be 1 to 8");
    std::string text = "0x";
    for (int shift = 8 * bytes - 4; shift >= 0; shift -= 4) text += "0123456789abcdef"[(bits >> shift) & 15U];
    return text;
}

std::string_view name(run_status status) noexcept {
    switch (status) {
    case run_status::complete:
        return "complete";
    case run_status::failed:
        return "failed";
    case run_status::interrupted:
        return "interrupted";
    case run_status::running:
        break;
    }
    return "running";
}

} // namespace v0
} // namespace steadfold
