// In place of the ladder in builds without CUDA.
#include "ladder/ladder.hpp"

#include <cstdio>

namespace steadfold::inline v0::app {

int run_ladder(settings const&) {
    std::fputs("steadfold-bench: the ladder needs a GPU, and this steadfold was built without CUDA\n", stderr);
    return exit_no_gpu;
}

} // namespace steadfold::inline v0::app
