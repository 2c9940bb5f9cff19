#include "support/spread.hpp"

#include <algorithm>
#include <cstdlib>

namespace oracle {

spread_sample spread(sample const& s, std::int64_t stride, std::uint64_t seed) {
    random_source random{seed};
    auto const bytes = static_cast<std::int64_t>(sf::size_bytes(s.type));
    std::int64_t const reach = s.n == 0 ? 0 : (s.n - 1) * std::abs(stride) * bytes, margin = 3 * bytes;
    std::int64_t const shift = random.below(4) * static_cast<std::int64_t>(sf::size_bytes(sf::component_type(s.type)));
    spread_sample out{{}, 0, stride, {s.type, s.n, {}, s.label + ", stride " + std::to_string(stride)}};
    out.memory.resize(static_cast<std::size_t>(shift + reach + bytes + 2 * margin));
    for (std::byte& b : out.memory) b = static_cast<std::byte>(random.bits());
    out.first = static_cast<std::size_t>(shift + margin + (stride < 0 ? reach : 0));
    for (std::int64_t i = 0; i < s.n; ++i) {
        std::byte const* const element = s.at(stride == 0 ? 0 : i);
        std::copy_n(element, bytes, out.memory.data() + static_cast<std::int64_t>(out.first) + i * stride * bytes);
        out.together.bytes.insert(out.together.bytes.end(), element, element + bytes);
    }
    return out;
}

} // namespace oracle
