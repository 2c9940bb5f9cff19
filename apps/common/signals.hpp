// Signals that end a program in good order: noted by a handler, asked for where the program can stop.
#pragma once

#include <initializer_list>

namespace steadfold::inline v0::app {

/// Installs the handlers; the second signal of a number does what it does without them.
void note_signals(std::initializer_list<int> numbers);

/// The last signal that came, or 0.
[[nodiscard]] int noted_signal();

} // namespace steadfold::inline v0::app
