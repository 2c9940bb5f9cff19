#include "signals.hpp"

#include <csignal>

namespace steadfold::inline v0::app {

namespace {
std::sig_atomic_t volatile received = 0; // sig_atomic_t with volatile is what a handler may write (C++20, 17.13.5)

extern "C" void note_signal(int number) {
    received = number;
}
} // namespace

void note_signals(std::initializer_list<int> numbers) {
    struct sigaction action = {};
    action.sa_handler = note_signal;
    sigemptyset(&action.sa_mask);
    action.sa_flags = static_cast<int>(SA_RESETHAND);
    for (int const number : numbers) sigaction(number, &action, nullptr);
}

int noted_signal() {
    return received;
}

} // namespace steadfold::inline v0::app
