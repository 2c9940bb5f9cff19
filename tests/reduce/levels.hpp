// The host back end at every vector level of this processor.
#pragma once

#include "reduce/host/isa.hpp"

#include <cstdlib>
#include <string>

namespace oracle {

/// Calls f() with reductions created for one level after another; what f() throws or fails names no level, so label it.
template <class Function>
void at_every_level(Function&& f) {
    for (auto const* level : steadfold::host::available_levels()) {
        ::setenv("STEADFOLD_ISA", level->name, 1);
        f(std::string(level->name));
    }
    ::unsetenv("STEADFOLD_ISA");
}

} // namespace oracle
