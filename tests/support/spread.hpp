// The elements of a sample apart from each other in memory, with something else between them.
#pragma once

#include "support/generators.hpp"

namespace oracle {

struct spread_sample {
    std::vector<std::byte> memory;
    std::size_t first = 0; // byte in memory of element 0
    std::int64_t stride = 1;
    sample together; // the elements one after another; with a stride of 0 all are the sample's first one

    /// Where `memory` has been copied to.
    [[nodiscard]] sf::array_view at(std::byte const* copy) const {
        return {copy + first, together.n, together.type, stride};
    }
    [[nodiscard]] sf::array_view view() const { return at(memory.data()); }
};

/// Also a few components off every alignment; `seed` draws how many, and what lies between the elements.
[[nodiscard]] spread_sample spread(sample const& s, std::int64_t stride, std::uint64_t seed);

} // namespace oracle
