// What the command line asks for.
#pragma once

#include "steadfold/dtype.hpp"
#include "steadfold/operations.hpp"
#include "steadfold/options.hpp"
#include "steadfold/record.hpp"

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace steadfold::inline v0::app {

enum class device_choice { automatic, host, cuda };
enum class combine_choice { mpi, nccl };

struct settings {
    std::vector<std::string> inputs; // FILE[:DATASET], globs allowed
    std::vector<std::string> dot;    // two inputs, or none
    operation_set operations;
    bool reduction_wanted = false; // an option was given that only a reduction can honour
    reduce_options options;
    bool nan_policy_given = false;

    device_choice device = device_choice::automatic;
    int gpus = 0;    // per process; 0: all this rank should use
    int threads = 0; // host; 0: all allowed CPUs
    combine_choice combine = combine_choice::mpi;
    std::size_t memory_bytes = std::size_t{1} << 30;
    std::size_t chunk_bytes = 0; // 0: from memory_bytes
    std::chrono::nanoseconds deadline = std::chrono::minutes{5};

    std::optional<dtype> raw_type;
    std::size_t raw_offset_bytes = 0;
    bool raw_big_endian = false;
    bool unpack = false;
    bool keep_missing = false;

    std::string record;
    existing_record existing = existing_record::unique;
    bool record_required = false;
    bool self_check = false;
    bool list = false;
    bool json = false;
    bool quiet = false;
};

enum class command { run, leave };

struct parsed {
    command next = command::leave;
    int exit_code = 0;
    settings chosen;
};

/// Reads the command line. Help, version and usage errors are said by rank 0 alone; the exit code is the same on all.
[[nodiscard]] parsed parse_command_line(int argc, char** argv, int rank);

} // namespace steadfold::inline v0::app
