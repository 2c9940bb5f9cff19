// steadfold-topo: shows the hosts, ranks, CPUs, GPUs and locality domains a job would use.
#include "kernel_limits.hpp"
#include "launch.hpp"
#include "peer_table.hpp"
#include "steadfold/error.hpp"
#include "steadfold/self_test.hpp"
#include "steadfold/topology.hpp"
#include "steadfold/version.hpp"
#include "topology_json.hpp"
#include "topology_tree.hpp"

#include <CLI/CLI.hpp>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>
#include <vector>

namespace sf = steadfold;

namespace {

constexpr int exit_ok = 0, exit_failed = 1, exit_usage = 2;

constexpr char const* examples = R"(Examples:
  steadfold-topo                           this machine, as one process sees it
  steadfold-topo --json > here.json        the same for programs
  mpirun -n 4 steadfold-topo               which GPUs each of 4 ranks would use
  mpirun -n 4 steadfold-topo --self-test   does this build compute right on every rank's processors?
  srun --ntasks-per-node=4 --gpus-per-node=4 steadfold-topo
  steadfold-topo --kernel-limits 256 64 20K                        blocks of 256 threads of 64 registers, 20 KiB each
  steadfold-topo --kernel-limits 256 64 20K 8 --sm h100 --blocks 600
  steadfold-topo --kernel-limits 128 32 20K --sm smem=48K,regs=32K,threads=1536,blocks=16,sms=28

Exit codes: 0 done, 1 something failed or the kernel of --kernel-limits cannot be launched, 2 wrong usage. No GPU is not
a failure.
)";

struct settings {
    bool json = false;
    bool no_probe = false;
    bool self_test = false;
    std::vector<std::string> kernel;    // words of --kernel-limits
    std::string chip;                   // of --sm; empty: device 0
    std::optional<std::int64_t> blocks; // of a grid
};

void describe(CLI::App& program, settings& chosen) {
    program.footer(examples);
    program.set_version_flag("--version", "steadfold-topo " + std::string(sf::version()) + " (" +
                                              std::string(sf::git_revision()) + ")\n" +
                                              std::string(sf::build_description()));
    program.add_flag("--json", chosen.json, "Print JSON instead of a tree");
    program.add_flag("--no-probe", chosen.no_probe,
                     "Make no CUDA context on any GPU; the largest non-portable cluster size stays unknown");
    program.add_flag("--self-test", chosen.self_test,
                     "Reduce torture vectors on the host and on every GPU of every rank; compare every bit");
    auto* const limits =
        program
            .add_option("--kernel-limits", chosen.kernel,
                        "How many blocks of a kernel run at a time: its threads a block, registers a thread, bytes of "
                        "shared memory a block and perhaps blocks a cluster")
            ->expected(3, 4)
            ->type_name("THREADS REGISTERS SHARED [CLUSTER]");
    program
        .add_option("--sm", chosen.chip,
                    "For which chip: a name such as a100, or smem=48K,regs=64K,threads=2048,blocks=32,sms=108,cc=8.0 "
                    "and such; default: device 0")
        ->needs(limits);
    program.add_option("--blocks", chosen.blocks, "Of a grid whose waves are to be told")
        ->check(CLI::PositiveNumber)
        ->needs(limits);
}

bool print(std::string const& text) {
    bool const written = std::fwrite(text.data(), 1, text.size(), stdout) == text.size();
    return std::fflush(stdout) == 0 && written;
}

std::string as_text(sf::topology const& all) {
    std::string text = sf::app::to_text(sf::app::topology_tree(all));
    for (sf::host_ranks const& host : all.hosts) {
        std::string const table = sf::app::peer_table(all.ranks[static_cast<std::size_t>(host.ranks.front())].process);
        if (!table.empty()) text += "\nhost " + host.name + ": " + table;
    }
    return text;
}

/// Every rank tests its own processors; any failure fails all.
int run_self_test(sf::communicator const& world) {
    std::int64_t failed = 0;
    for (sf::self_test_result const& result : sf::self_test_everywhere()) {
        std::string const rank = world.size() > 1 ? "rank " + std::to_string(world.rank()) + ", " : "";
        if (!print(rank + result.summary() + "\n") || !result.passed()) failed = 1;
    }
    world.all_reduce_sum({&failed, 1});
    return failed == 0 ? exit_ok : exit_failed;
}

sf::chip_limits chip_of(settings const& chosen) {
    if (!chosen.chip.empty()) return sf::chip_by_name(chosen.chip);
    try {
        return sf::chip_of_device(0);
    } catch (sf::argument_error const& e) {
        throw sf::argument_error(std::string(e.what()) + "; name a chip, e.g. --sm a100");
    }
}

/// 1 if such a kernel cannot be launched.
int explain_kernel(settings const& chosen) {
    sf::kernel_needs const kernel = sf::app::parse_kernel(chosen.kernel);
    sf::chip_limits const chip = chip_of(chosen);
    bool const possible = sf::occupancy(kernel, chip).impossible.empty();
    bool const printed = print(chosen.json ? sf::app::kernel_limits_json(kernel, chip, chosen.blocks)
                                           : sf::app::kernel_limits_text(kernel, chip, chosen.blocks));
    return printed && possible ? exit_ok : exit_failed;
}

int explain_kernel_once(int rank, settings const& chosen) {
    if (rank != 0) return exit_ok;
    try {
        return explain_kernel(chosen);
    } catch (sf::argument_error const& e) {
        std::fprintf(stderr, "steadfold-topo: %s\n", e.what());
        return exit_usage;
    }
}

int run(sf::app::app_environment& environment, settings const& chosen) {
    if (!chosen.kernel.empty()) return explain_kernel_once(environment.world().rank(), chosen);
    if (chosen.self_test) return run_self_test(environment.world());
    sf::discovery_options options;
    options.probe_clusters = !chosen.no_probe && environment.local_rank() == 0; // one context a GPU is enough
    sf::topology const all = sf::discover_topology(environment.world(), options);
    if (environment.world().rank() != 0) return exit_ok;
    if (print(chosen.json ? sf::app::to_json(all) + "\n" : as_text(all))) return exit_ok;
    std::fprintf(stderr, "steadfold-topo: cannot write to standard output\n");
    return exit_failed;
}

/// Help and usage errors are the same on every rank: one says them.
int explain(CLI::App const& program, CLI::ParseError const& reason, int rank) {
    int const code = rank == 0 ? program.exit(reason) : reason.get_exit_code();
    return code == 0 ? exit_ok : exit_usage;
}

int start(sf::app::app_environment& environment, int argc, char** argv) {
    settings chosen;
    CLI::App program("Shows the hosts, ranks, CPUs, NUMA nodes, GPUs and locality domains of this job.",
                     "steadfold-topo");
    describe(program, chosen);
    try {
        program.parse(argc, argv);
    } catch (CLI::ParseError const& reason) {
        return explain(program, reason, environment.world().rank());
    }
    return run(environment, chosen);
}

} // namespace

int main(int argc, char** argv) {
    try {
        sf::app::app_environment environment(argc, argv);
        try {
            return start(environment, argc, argv);
        } catch (std::exception const& e) {
            // The other ranks wait for this one: leave without MPI_Finalize, which would wait for them.
            std::fprintf(stderr, "steadfold-topo: rank %d: %s\n", environment.world().rank(), e.what());
            if (environment.world().size() > 1) environment.leave_now(exit_failed);
        }
    } catch (std::exception const& e) {
        std::fprintf(stderr, "steadfold-topo: %s\n", e.what());
    }
    return exit_failed;
}
