#include "processors.hpp"

#include "steadfold/error.hpp"

#include <string>
#if STEADFOLD_HAS_NCCL
#include "steadfold/nccl.hpp"
#endif

namespace steadfold::inline v0::app {

namespace {

execution host_execution(settings const& chosen, topology const& here) {
    execution where;
    where.kind = processor_kind::host;
    where.threads = chosen.threads;
    where.deadline = chosen.deadline;
    // Ranks that may all run on the same CPUs (mpirun without binding) share them.
    rank_facts const& self = here.here();
    auto const cpus = static_cast<int>(self.process.allowed_cpus.size());
    if (where.threads == 0 && cpus > 0) {
        int sharing = 0;
        for (rank_facts const& other : here.ranks)
            sharing += other.host == self.host && other.process.allowed_cpus == self.process.allowed_cpus;
        where.threads = cpus > sharing ? cpus / sharing : 1;
    }
    return where;
}

} // namespace

std::vector<execution> choose_processors(settings const& chosen, topology const& here) {
    std::vector<execution> processors;
    if (chosen.device != device_choice::host) {
        for (int const device : here.here().devices) {
            if (device == host_device) continue;
            if (chosen.gpus != 0 && static_cast<int>(processors.size()) == chosen.gpus) break;
            execution where;
            where.kind = processor_kind::cuda;
            where.device = device;
            where.deadline = chosen.deadline;
            processors.push_back(where);
        }
        if (chosen.device == device_choice::cuda && processors.empty())
            throw argument_error("--device cuda: there is no GPU for this rank (" +
                                 here.here().process.cuda.unavailable + "); use --device host");
        if (chosen.gpus > static_cast<int>(processors.size()))
            throw argument_error("--gpus " + std::to_string(chosen.gpus) + ": this rank has " +
                                 std::to_string(processors.size()) + " GPU(s); give fewer, or leave --gpus away");
    }
    if (processors.empty()) processors.push_back(host_execution(chosen, here));
    return processors;
}

communicator choose_combiner(settings const& chosen, communicator const& world,
                             std::vector<execution> const& processors) {
    if (chosen.combine == combine_choice::mpi) return world;
#if STEADFOLD_HAS_NCCL
    bool const on_gpu = processors.front().kind == processor_kind::cuda;
    if (!nccl::available(world, on_gpu ? processors.front().device : -1))
        throw argument_error("--combine nccl: every rank needs a GPU of its own; use --combine mpi");
    return world.size() == 1 ? world : nccl::create(world, processors.front().device);
#else
    static_cast<void>(processors);
    throw argument_error("--combine nccl: this steadfold was built without NCCL; use --combine mpi");
#endif
}

} // namespace steadfold::inline v0::app
