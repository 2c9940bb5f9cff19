#include "interrupt.hpp"

#include <csignal>
#include <initializer_list>

namespace steadfold::inline v0::app {

namespace {
std::sig_atomic_t volatile received = 0; // sig_atomic_t with volatile is what a handler may write (C++20, 17.13.5)

extern "C" void note_signal(int) {
    received = 1;
}
} // namespace

void catch_interrupts() {
    struct sigaction action = {};
    action.sa_handler = note_signal;
    sigemptyset(&action.sa_mask);
    action.sa_flags = static_cast<int>(SA_RESETHAND);
    for (int const number : {SIGINT, SIGTERM}) sigaction(number, &action, nullptr);
}

void throw_if_interrupted() {
    if (received != 0) throw interrupted{};
}

} // namespace steadfold::inline v0::app
