#include "record/fixed_text.hpp"
#include "steadfold/record.hpp"
#include "steadfold/version.hpp"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <unistd.h>

namespace steadfold {
inline namespace v0 {
namespace {

// Only what is here is ever recorded: environments hold tokens and passwords.
constexpr char const* slurm_variables[] = {
    "SLURM_JOB_ID",         "SLURM_JOB_NAME",       "SLURM_JOB_NODELIST",     "SLURM_JOB_NUM_NODES",
    "SLURM_JOB_PARTITION",  "SLURM_CLUSTER_NAME",   "SLURM_NTASKS",           "SLURM_CPUS_PER_TASK",
    "SLURM_GPUS_ON_NODE",   "SLURM_RESTART_COUNT",  "SLURM_ARRAY_JOB_ID",     "SLURM_ARRAY_TASK_ID",
    "SLURM_ARRAY_TASK_MIN", "SLURM_ARRAY_TASK_MAX", "SLURM_ARRAY_TASK_COUNT", "SLURM_ARRAY_TASK_STEP",
};
constexpr char const* other_variables[] = {
    "OMP_NUM_THREADS",
    "OMP_PROC_BIND",
    "OMP_PLACES",
    "CUDA_VISIBLE_DEVICES",
    "CUDA_DEVICE_ORDER",
    "CUDA_LAUNCH_BLOCKING",
    "CUDA_MODULE_LOADING",
    "NCCL_DEBUG",
    "NCCL_ALGO",
    "NCCL_PROTO",
    "NCCL_NVLS_ENABLE",
    "NCCL_P2P_DISABLE",
    "NCCL_IB_DISABLE",
    "NCCL_SOCKET_IFNAME",
    "OMPI_COMM_WORLD_SIZE",
    "OMPI_MCA_pml",
    "OMPI_MCA_btl",
    "UCX_TLS",
    "HDF5_USE_FILE_LOCKING",
};
constexpr std::size_t longest_value = 4096;
constexpr std::size_t slurm_prefix = 6;

std::string slurm_key(std::string_view variable) {
    std::string key(variable.substr(slurm_prefix));
    std::transform(key.begin(), key.end(), key.begin(),
                   [](unsigned char letter) { return static_cast<char>(std::tolower(letter)); });
    return key;
}

bool is_plain(std::string_view argument) {
    return !argument.empty() && std::all_of(argument.begin(), argument.end(), [](unsigned char letter) {
        return std::isalnum(letter) || letter >= 0x80 ||
               std::string_view("-_./:,=+@%").find(static_cast<char>(letter)) != std::string_view::npos;
    });
}

std::string quoted(std::string_view argument) {
    if (is_plain(argument)) return std::string(argument);
    std::string text = "'";
    for (char const letter : argument) {
        if (letter == '\'')
            text += R"('\'')";
        else
            text += letter;
    }
    return text + "'";
}

std::string host_name() {
    char name[256] = {};
    return gethostname(name, sizeof name - 1) == 0 ? name : "unknown";
}

} // namespace

run_facts collect_run_facts(int argc, char const* const* argv) {
    run_facts facts;
    for (int i = 0; i < argc && argv[i]; ++i) facts.command_line += (i > 0 ? " " : "") + quoted(argv[i]);
    facts.library_version = version();
    facts.git_revision = git_revision();
    facts.build = build_description();
    facts.hosts = {host_name()};
    for (char const* variable : slurm_variables)
        if (char const* value = std::getenv(variable))
            facts.slurm[slurm_key(variable)] = detail::fit_text(value, longest_value);
    for (char const* variable : other_variables)
        if (char const* value = std::getenv(variable))
            facts.environment[variable] = detail::fit_text(value, longest_value);
    return facts;
}

} // namespace v0
} // namespace steadfold
