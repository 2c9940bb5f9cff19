// SIGINT and SIGTERM, as a batch system's limit sends them, end a run behind the group that is being measured: what has
// been measured by then is written.
#pragma once

namespace steadfold::inline v0::app {

struct interrupted {};

/// Installs the handlers; a second signal kills as usual.
void catch_interrupts();

/// @throws interrupted if a signal has come
void throw_if_interrupted();

} // namespace steadfold::inline v0::app
