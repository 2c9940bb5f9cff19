/// Communicators over MPI. Target `steadfold::mpi`; the only public header that includes <mpi.h>.
///
///     MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);   // steadfold never calls MPI_Init
///     {
///         sf::communicator world = sf::mpi::duplicate(MPI_COMM_WORLD);
///         world.set_deadline(30s);
///         world.barrier();
///     }                                                                // before MPI_Finalize, or after: both work
///     if (!sf::mpi::any_poisoned()) MPI_Finalize();
///
/// Every collective is a non-blocking one that is polled to the deadline on the calling thread. Counts are not
/// limited by `int`. Survivors of a rank that died get their `timeout_error` only where the launcher lets them live:
/// `mpirun --enable-recovery`, `srun --kill-on-bad-exit=0`; otherwise the launcher ends the whole job.
#pragma once

#include "steadfold/communicator.hpp"

#include <mpi.h>

namespace steadfold {
inline namespace v0 {
namespace mpi {

/// A communicator over the ranks of `comm`, on a private duplicate of it.
///
/// Collective over `comm`. `comm` stays the caller's. The duplicate is freed with the last copy of the result, unless
/// MPI has been finalised by then or a communicator of this process is poisoned (then it is leaked on purpose).
/// Calls come from the thread that initialised MPI (MPI_THREAD_FUNNELED), or from one thread at a time
/// (MPI_THREAD_SERIALIZED and above).
///
/// @throws argument_error  if MPI is not initialised, already finalised or initialised with MPI_THREAD_SINGLE; if
///                         `comm` is MPI_COMM_NULL or an inter-communicator
/// @throws timeout_error   if not every rank has called it within 5 minutes
[[nodiscard]] communicator duplicate(MPI_Comm comm);

/// True once a communicator of this process timed out or failed. Do not call MPI_Finalize then: it would wait for
/// the ranks that did not arrive. Save your work and leave with `_exit`.
[[nodiscard]] bool any_poisoned() noexcept;

} // namespace mpi
} // namespace v0
} // namespace steadfold
