// What the command line asks for.
#pragma once

#include "data.hpp"
#include "steadfold/dtype.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace steadfold::inline v0::app {

inline constexpr int exit_ok = 0, exit_failed = 1, exit_usage = 2, exit_no_gpu = 77, exit_interrupted = 130;

/// What the program is to do: measure cases, or a subcommand.
enum class command { measure, demo, ladder };

enum class device_choice { automatic, host, cuda };

struct settings {
    std::vector<std::string> cases;     // empty: all that can run
    std::vector<std::int64_t> elements; // empty: the case's own
    std::vector<dtype> types;           // empty: the case's own
    data_kind data;                     // what is reduced
    int calls = 200;                    // in one graph, for device time
    int repetitions = 20;               // least number of samples
    double min_seconds = 0.1;           // least measured time of each implementation
    device_choice device = device_choice::automatic;
    int threads = 0; // host threads, steadfold's and OpenMP's alike; resolved to the CPUs this process may use
    std::string json, csv;
    command what = command::measure;
    bool sweep = false, self_test = false;
    bool list = false;
    bool quiet = false;
    std::vector<std::string> command_line; // without the directory of the program
};

struct parsed {
    bool leave = true; // help, version or an error: nothing to run
    int exit_code = exit_ok;
    settings chosen;
};

[[nodiscard]] parsed parse_command_line(int argc, char** argv);

/// "1000000" or "2^28". @throws argument_error
[[nodiscard]] std::int64_t parse_elements(std::string const& text);

} // namespace steadfold::inline v0::app
