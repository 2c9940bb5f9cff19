#include "interrupt.hpp"

#include <csignal>
#include <cstdint>
#include <initializer_list>
#include <string>

namespace steadfold::inline v0::app {

namespace {
std::sig_atomic_t volatile received = 0; // sig_atomic_t with volatile is what a handler may write (C++20, 17.13.5)

extern "C" void note_signal(int number) {
    received = number;
}
} // namespace

void catch_interrupts() {
    struct sigaction action = {};
    action.sa_handler = note_signal;
    sigemptyset(&action.sa_mask);
    action.sa_flags = static_cast<int>(SA_RESETHAND);
    for (int const number : {SIGINT, SIGTERM, SIGUSR1}) sigaction(number, &action, nullptr);
    signal(SIGPIPE, SIG_IGN); // `| head` must not keep the record from being finished: the failed write is noticed
}

bool interrupted_anywhere(communicator const& world) {
    std::int64_t count = received != 0 ? 1 : 0;
    world.all_reduce_sum({&count, 1});
    return count > 0;
}

void throw_if_interrupted() {
    if (received != 0) throw interrupted("interrupted by signal " + std::to_string(received));
}

} // namespace steadfold::inline v0::app
