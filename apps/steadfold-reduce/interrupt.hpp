// SIGINT, SIGTERM and SIGUSR1 (Slurm's warning before the time limit) end the run in good order.
#pragma once

#include "steadfold/communicator.hpp"
#include "steadfold/error.hpp"

namespace steadfold::inline v0::app {

class interrupted : public error {
  public:
    using error::error;
};

/// Installs the handlers; a second SIGINT or SIGTERM kills as usual.
void catch_interrupts();

/// @throws interrupted if a signal has come
void throw_if_interrupted();

/// Has a signal come on any rank? Collective.
[[nodiscard]] bool interrupted_anywhere(communicator const& world);

} // namespace steadfold::inline v0::app
