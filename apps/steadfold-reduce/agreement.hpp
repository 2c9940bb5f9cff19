// Ranks agree on failures: what one rank cannot do, no rank goes on with, and nobody waits for it in vain.
#pragma once

#include "steadfold/communicator.hpp"
#include "steadfold/error.hpp"

#include <string>

namespace steadfold::inline v0::app {

/// An error that all ranks know of, with the text of the lowest rank that had it.
class shared_error : public error {
  public:
    using error::error;
};

/// Collective. @param failure  this rank's error, empty if it has none
/// @throws shared_error on every rank if any rank had one
/// @throws timeout_error if a rank does not arrive; it tells this rank's own failure too
void agree(communicator const& world, std::string const& failure);

/// Runs `work`, which uses `used` to talk to other ranks, on every rank, then agrees. Timeouts between ranks are not
/// agreed on: a communicator they poisoned cannot.
template <class Work>
void together(communicator const& world, communicator const& used, Work const& work) {
    std::string failure;
    try {
        work();
    } catch (std::exception const& e) {
        if (world.poisoned() || used.poisoned()) throw;
        failure = e.what();
        if (failure.empty()) failure = "unknown error";
    }
    agree(world, failure);
}

template <class Work>
void together(communicator const& world, Work const& work) {
    together(world, world, work);
}

} // namespace steadfold::inline v0::app
