/// What the two ends of the socket say to each other. The child is not trusted: it may have parsed a corrupt file.
#pragma once

#include "steadfold/dataset.hpp"

#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

namespace steadfold::inline v0::io_detail {

struct read_request {
    std::int64_t first = 0, count = 0;
    std::int64_t buffer = 0;
};

enum class reply_kind : std::uint32_t { done, io_failure };

/// Precedes `bytes` of payload: the text of an error, or encoded data set descriptions.
struct reply_header {
    reply_kind kind = reply_kind::done;
    std::int32_t buffer = -1; ///< that was asked for; -1 for opening and listing
    double seconds = 0;
    std::uint64_t bytes = 0;
};

/// More is taken as a sign that the child's memory is damaged.
inline constexpr std::uint64_t max_payload_bytes = std::uint64_t{256} << 20;

[[nodiscard]] std::vector<std::byte> encode(std::span<dataset_info const> infos);

/// @throws io_error  for bytes that `encode` did not make
[[nodiscard]] std::vector<dataset_info> decode_infos(std::span<std::byte const> bytes);

} // namespace steadfold::inline v0::io_detail
