#include "interrupt.hpp"

#include "signals.hpp"

#include <csignal>
#include <cstdint>
#include <string>

namespace steadfold::inline v0::app {

void catch_interrupts() {
    note_signals({SIGINT, SIGTERM, SIGUSR1});
    signal(SIGPIPE, SIG_IGN); // `| head` must not keep the record from being finished: the failed write is noticed
}

bool interrupted_anywhere(communicator const& world) {
    std::int64_t count = noted_signal() != 0 ? 1 : 0;
    world.all_reduce_sum({&count, 1});
    return count > 0;
}

void throw_if_interrupted() {
    if (int const number = noted_signal(); number != 0)
        throw interrupted("interrupted by signal " + std::to_string(number));
}

} // namespace steadfold::inline v0::app
