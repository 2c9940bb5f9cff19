/// Communicators over NCCL: one GPU a rank. Target `steadfold::nccl`.
///
///     sf::communicator world = sf::mpi::duplicate(MPI_COMM_WORLD);
///     int const device = local_rank;                                  // each rank its own GPU
///     sf::communicator gpus = sf::nccl::available(world, device) ? sf::nccl::create(world, device) : world;
///
/// Several GPUs in one process need no NCCL between them: the reduction merges them on the host. NCCL refuses two
/// ranks on one GPU; `available` finds that out before NCCL is asked. NCCL's own environment variables are obeyed.
///
/// Sums over ranks can also be put on the caller's streams, and into graphs: see workspace.hpp. NCCL wants the
/// collective calls of one communicator in the same order on every rank, and treats them as one sequence. The calls of
/// a communicator that wait (reduce(), barrier(), ...) go through a stream of its own, so have none of them under way
/// together with enqueued ones: wait for the stream before, or make a second communicator for them.
#pragma once

#include "steadfold/communicator.hpp"

namespace steadfold {
inline namespace v0 {
namespace nccl {

/// Does every rank have a GPU of its own? The same answer on every rank. Collective over `bootstrap`; asks for host
/// and PCI id and leaves the GPUs alone.
///
/// @param device  this rank's CUDA device number; any number may be asked about
[[nodiscard]] bool available(communicator const& bootstrap, int device);

/// A communicator over the same ranks, whose collectives run on the GPUs, on a stream of its own.
///
/// Collective over `bootstrap`, which carries NCCL's id and is not needed afterwards; its deadline bounds the set-up
/// and becomes the result's. Allocates 4 MiB, half of it on the device, once; calls allocate nothing, restore the
/// current device and wait for their own stream only. After a timeout NCCL's communicator is aborted. A first sum, of
/// the length that enqueued reductions have, makes the connections, so that those can be captured at once.
///
/// @throws argument_error  on every rank, if a rank has no such device or two ranks share one
/// @throws library_error   on every rank, if the set-up fails on one
/// @throws timeout_error   if NCCL is not ready by the deadline
[[nodiscard]] communicator create(communicator const& bootstrap, int device);

} // namespace nccl
} // namespace v0
} // namespace steadfold
