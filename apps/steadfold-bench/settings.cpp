#include "settings.hpp"

#include "steadfold/error.hpp"
#include "steadfold/version.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <cstdio>
#include <filesystem>
#include <limits>
#include <map>
#include <sched.h>

namespace steadfold::inline v0::app {

namespace {

constexpr char const* notes = R"(Examples:
  steadfold-bench --list
  steadfold-bench --case cuda-sum host-sum --json out.json
  steadfold-bench --case host-sum --elements 2^20 2^27 --threads 8 --csv out.csv
  steadfold-bench --case required                        all that steadfold promises of its speed, with a verdict each
  steadfold-bench --case required:sum-large              one of them
  steadfold-bench --sweep --json sweep.json              then scripts/plot_bench.py sweep.json
  steadfold-bench demo                                   sums that wander, and sums that are wrong, beside exact ones
  steadfold-bench ladder                                 from the textbook's first block reduction to an exact sum

Implementations that are compared take turns, sample by sample, so that a drifting clock meets all of them. Every
result is checked before and after it is timed. Times are medians with the 5th and 95th percentile; GB are 10^9 bytes.
Device time is that of 200 calls in one CUDA graph, divided by 200. Of the columns, of_read is the rate over that of a
plain read of the same array; issue and fp64 are the instructions of a thread, and those on doubles among them, that the
GPU could have started for each element in that time. The ratio is that of bytes per second, ours over the peer's; above
1 is faster. Its 95 % interval is a bootstrap over the rounds of samples.

Exit codes: 0 done; 1 a result was wrong, a requirement was missed or something failed; 2 wrong usage; 77 every case asked for needs a GPU, and
there is none; 130 interrupted by SIGINT or SIGTERM: what had been measured is in the files.
)";

struct texts { // options that are parsed after CLI11 has read them
    std::vector<std::string> elements, types;
    std::string data = "gaussian";
};

void add_options(CLI::App& program, settings& s, texts& t) {
    program.add_flag("-l,--list", s.list, "List the cases and whether they can run here");
    program.add_option("-c,--case", s.cases, "Cases to run; default: all that can run here");
    program.add_flag("--sweep", s.sweep,
                     "Many sizes, types and ranges of exponents: the cases sweep:cuda and sweep:host");
    program.add_flag("--self-test", s.self_test, "Everything once on small arrays, to see that results are right");
    program.add_option("-n,--elements", t.elements, "Elements, e.g. 1000000 or 2^28; default: the case's own");
    program.add_option("--dtype", t.types,
                       "float64, float32, float16, bfloat16, int8, int16, int32, int64; default: the case's own");
    program
        .add_option("--data", t.data,
                    "gaussian, lognormal, uniform, random-exponents or random-exponents:W (W binades)")
        ->capture_default_str();
    program.add_option("--calls", s.calls, "Calls in one CUDA graph, for device time; 0: what takes 10 ms, 20 to 200")
        ->check(CLI::Range(0, 100000))
        ->capture_default_str();
    program.add_option("--repetitions", s.repetitions, "Samples of each implementation, at least")
        ->check(CLI::Range(1, 100000))
        ->capture_default_str();
    program.add_option("--min-time", s.min_seconds, "Measured seconds of each implementation, at least")
        ->check(CLI::NonNegativeNumber)
        ->capture_default_str();
    program.add_option("--device", s.device, "Cases of which device: auto, host or cuda")
        ->transform(CLI::CheckedTransformer(std::map<std::string, device_choice>{{"auto", device_choice::automatic},
                                                                                 {"host", device_choice::host},
                                                                                 {"cuda", device_choice::cuda}},
                                            CLI::ignore_case));
    program.add_option("--threads", s.threads, "Host threads; default: all CPUs this process may use")
        ->check(CLI::Range(1, 1024));
    program.add_option("--json", s.json, "Write JSON to this file; - is standard output, with --quiet");
    program.add_option("--csv", s.csv, "Write CSV to this file; - is standard output, with --quiet");
    program.add_flag("-q,--quiet", s.quiet, "No table and no notes");
}

/// Their options are those of the program, and may stand behind them.
void add_subcommands(CLI::App& program, settings& s) {
    program.add_subcommand("demo", "Show what atomic and gpu_to_gpu sums give beside exact ones")
        ->fallthrough()
        ->callback([&s] { s.what = command::demo; });
    program.add_subcommand("ladder", "Climb from the textbook's first block reduction to an exact sum, rung by rung")
        ->fallthrough()
        ->callback([&s] { s.what = command::ladder; });
    program.require_subcommand(0, 1);
}

/// What a sweep of hundreds of groups has time for.
void use_less_time(CLI::App const& program, settings& s) {
    if (program.count("--repetitions") == 0) s.repetitions = 7;
    if (program.count("--min-time") == 0) s.min_seconds = 0.02;
    if (program.count("--calls") == 0) s.calls = 0;
}

/// An option that is read and then ignored would mislead.
void require_effect(CLI::App const& program, settings const& s) {
    auto const refuse = [&program](std::initializer_list<char const*> options, std::string const& what) {
        for (char const* option : options)
            if (program.count(option) > 0) throw argument_error(std::string(option) + " has no effect on " + what);
    };
    if (s.what == command::demo)
        refuse({"--case", "--sweep", "--self-test", "--list", "--dtype", "--calls", "--repetitions", "--min-time",
                "--device", "--csv"},
               "the demo");
    if (s.what == command::ladder)
        refuse({"--case", "--sweep", "--self-test", "--list", "--dtype", "--data", "--device", "--csv"}, "the ladder");
    if (s.self_test)
        refuse({"--case", "--sweep", "--data", "--repetitions", "--min-time", "--json", "--csv"}, "the self-test");
    if (s.list) refuse({"--elements", "--dtype", "--data", "--json", "--csv"}, "the list");
    for (std::string const& name : s.cases)
        if (name.starts_with("required"))
            refuse({"--elements", "--dtype", "--data"},
                   "required cases, which have their own; measure others, such as cuda-sum, with it");
}

int allowed_cpus() {
    cpu_set_t set;
    CPU_ZERO(&set);
    return sched_getaffinity(0, sizeof set, &set) == 0 ? std::max(1, CPU_COUNT(&set)) : 1;
}

void interpret(settings& s, texts const& t) {
    for (std::string const& text : t.elements) s.elements.push_back(parse_elements(text));
    for (std::string const& text : t.types) {
        dtype const type = parse_dtype(text);
        if (!is_real_floating(type) && !is_signed_integer(type))
            throw argument_error("--dtype " + text + ": what is measured are float64, float32, float16, bfloat16, " +
                                 "int8, int16, int32 and int64");
        s.types.push_back(type);
    }
    s.data = parse_data_kind(t.data);
    if (s.sweep) s.cases.push_back("sweep");
    if (s.threads == 0) s.threads = allowed_cpus();
    if (!s.quiet && (s.json == "-" || s.csv == "-"))
        throw argument_error("--json - and --csv - share standard output with the table: add --quiet");
    if (s.json == "-" && s.csv == "-") throw argument_error("only one of --json and --csv can be standard output");
}

} // namespace

std::int64_t parse_elements(std::string const& text) {
    bool const power = text.starts_with("2^");
    char const *const first = text.data() + (power ? 2 : 0), *const last = text.data() + text.size();
    std::int64_t value = 0;
    auto const [end, failure] = std::from_chars(first, last, value);
    constexpr std::int64_t largest = std::int64_t{1} << 40;
    bool const good = failure == std::errc{} && end == last && value >= 0 && (!power || value <= 40);
    std::int64_t const elements = good && power ? std::int64_t{1} << value : value;
    if (!good || elements < 1 || elements > largest)
        throw argument_error("--elements " + text + ": give a number from 1 to 2^40, such as 1000000 or 2^28");
    return elements;
}

parsed parse_command_line(int argc, char** argv) {
    parsed result;
    texts t;
    CLI::App program("Speed of steadfold's reductions beside what one would use instead.", "steadfold-bench");
    program.footer(notes);
    program.set_version_flag("--version", "steadfold-bench " + std::string(version()) + " (" +
                                              std::string(git_revision()) + ")\n" + std::string(build_description()));
    add_options(program, result.chosen, t);
    add_subcommands(program, result.chosen);
    result.chosen.command_line.push_back(std::filesystem::path(argv[0]).filename().string());
    result.chosen.command_line.insert(result.chosen.command_line.end(), argv + 1, argv + argc);
    try {
        program.parse(argc, argv);
        interpret(result.chosen, t);
        require_effect(program, result.chosen);
        if (result.chosen.sweep) use_less_time(program, result.chosen);
        result.leave = false;
    } catch (CLI::ParseError const& reason) {
        result.exit_code = program.exit(reason) == 0 ? exit_ok : exit_usage;
    } catch (argument_error const& reason) {
        std::fprintf(stderr, "steadfold-bench: %s\n", reason.what());
        result.exit_code = exit_usage;
    }
    return result;
}

} // namespace steadfold::inline v0::app
