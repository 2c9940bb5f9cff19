#include "settings.hpp"

#include "exit_codes.hpp"
#include "steadfold/error.hpp"
#include "steadfold/version.hpp"

#include <CLI/CLI.hpp>
#include <charconv>
#include <cstdio>
#include <map>

namespace steadfold::inline v0::app {

namespace {

constexpr char const* examples = R"(Examples:
  steadfold-reduce run.h5                                 list the data sets of a file
  steadfold-reduce run.h5:/pressure --ops sum,mean,var    statistics of one
  steadfold-reduce 'step_*.h5:/energy' --ops sum --json   many files, for programs
  mpirun -n 4 steadfold-reduce big.npy --record run.h5    four ranks, with a run record
  steadfold-reduce data.bin --dtype float32 --ops all     raw binary
  steadfold-reduce --dot r.npy z.npy                      sum of products of two arrays
  steadfold-reduce run.h5:/pressure --self-check          recompute in other ways, compare every bit

The results have the same bits for any number of ranks, threads, devices and chunks (--mode exact).

Exit codes: 0 done; 1 something failed (an input, the self-check, a record with --record-required);
2 wrong usage; 130 interrupted by a signal.
)";

struct texts { // options that are parsed after CLI11 has read them
    std::string operations = "sum,mean,min,max,l2,count", result, raw_type, memory = "1G", chunk, missing;
    double deadline_seconds = 300;
};

template <class Value>
CLI::CheckedTransformer one_of(std::map<std::string, Value> const& values) {
    return CLI::CheckedTransformer(values, CLI::ignore_case);
}

void add_input_options(CLI::App& program, settings& s, texts& t) {
    program.add_option("inputs", s.inputs, "FILE[:DATASET] (HDF5, netCDF-4, .npy, raw); quote globs to use ours");
    program.add_option("--dot", s.dot, "Sum of products of two inputs")->expected(2);
    program.add_flag("--list", s.list, "List the data sets of the inputs");
    program.add_option("--dtype", t.raw_type, "Element type of raw binary files, e.g. float64, i4");
    program.add_option("--offset", s.raw_offset_bytes, "Bytes before the first element of a raw file");
    program.add_flag("--big-endian", s.raw_big_endian, "Raw files are big-endian");
    program.add_flag("--unpack", s.unpack, "Apply scale_factor and add_offset (netCDF)");
    program.add_flag("--keep-missing", s.keep_missing, "Take _FillValue and missing_value as ordinary numbers");
}

void add_reduction_options(CLI::App& program, settings& s, texts& t) {
    program
        .add_option("--ops", t.operations,
                    "Operations: all, extrema, or some of sum, mean, sumsq, l1, l2, linf, var, std, min, max, argmin, "
                    "argmax, count, nan, inf, zero")
        ->capture_default_str();
    program.add_option("--mode", s.options.mode, "exact or fast")
        ->transform(one_of<reduction_mode>({{"exact", reduction_mode::exact}, {"fast", reduction_mode::fast}}));
    program.add_option("--nan", s.options.nans, "propagate or ignore; ignore where the file declares missing values")
        ->transform(one_of<nan_policy>({{"propagate", nan_policy::propagate}, {"ignore", nan_policy::ignore}}));
    program.add_option("--ddof", s.options.ddof, "Variance divides by n - ddof")->check(CLI::Range(0, 1));
    program.add_option("--result-type", t.result, "Type of sums, means, norms and extrema, e.g. float64");
}

void add_execution_options(CLI::App& program, settings& s, texts& t) {
    program.add_option("--device", s.device, "auto, host or cuda")
        ->transform(one_of<device_choice>(
            {{"auto", device_choice::automatic}, {"host", device_choice::host}, {"cuda", device_choice::cuda}}));
    program.add_option("--gpus", s.gpus, "GPUs each process uses; default: its share of the host's")
        ->check(CLI::PositiveNumber);
    program.add_option("--threads", s.threads, "Host threads of each process; default: all CPUs it may use")
        ->check(CLI::PositiveNumber);
    program.add_option("--combine", s.combine, "How ranks are combined: mpi or nccl")
        ->transform(one_of<combine_choice>({{"mpi", combine_choice::mpi}, {"nccl", combine_choice::nccl}}));
    program.add_option("--memory", t.memory, "Most memory each process uses for data, e.g. 512M")
        ->capture_default_str();
    program.add_option("--chunk", t.chunk, "Bytes read at a time; default: from --memory, at most 64M");
    program.add_option("--deadline", t.deadline_seconds, "Longest wait for a rank, a device or a file, in seconds")
        ->check(CLI::PositiveNumber)
        ->capture_default_str();
}

void add_output_options(CLI::App& program, settings& s) {
    program.add_option("--record", s.record, "Write a run record (HDF5)");
    program.add_option("--record-existing", s.existing, "If the record exists: unique name, refuse or overwrite")
        ->transform(one_of<existing_record>({{"unique", existing_record::unique},
                                             {"refuse", existing_record::refuse},
                                             {"overwrite", existing_record::overwrite}}));
    program.add_flag("--record-required", s.record_required, "Fail (exit 1) if the record cannot be written");
    program.add_flag("--self-check", s.self_check,
                     "Recompute under other partitions, threads and chunks; compare bits");
    program.add_flag("--json", s.json, "Print JSON");
    program.add_flag("-q,--quiet", s.quiet, "No progress bar and no notes");
}

void interpret(CLI::App const& program, settings& s, texts const& t) {
    s.operations = parse_operations(t.operations);
    s.operations_given = program.count("--ops") > 0;
    s.nan_policy_given = program.count("--nan") > 0;
    if (s.operations.contains(operation::dot)) throw argument_error("--ops dot: use --dot A B");
    if (!t.result.empty()) s.options.result = parse_dtype(t.result);
    if (!t.raw_type.empty()) s.raw_type = parse_dtype(t.raw_type);
    s.memory_bytes = parse_bytes(t.memory);
    constexpr std::size_t least = std::size_t{1} << 20;
    if (s.memory_bytes < least) throw argument_error("--memory " + t.memory + " is too little; give at least 1M");
    if (!t.chunk.empty()) s.chunk_bytes = parse_bytes(t.chunk);
    s.deadline = std::chrono::nanoseconds{static_cast<std::int64_t>(t.deadline_seconds * 1e9)};
    if (s.inputs.empty() && s.dot.empty()) throw argument_error("no input; give FILE[:DATASET], see --help");
    if (s.record_required && s.record.empty()) throw argument_error("--record-required needs --record FILE");
    if (s.self_check && s.options.mode == reduction_mode::fast)
        throw argument_error("--self-check compares bits, which only --mode exact keeps");
}

} // namespace

std::size_t parse_bytes(std::string const& text) {
    std::size_t value = 0;
    char const* const last = text.data() + text.size();
    auto const [end, failure] = std::from_chars(text.data(), last, value);
    std::string const unit(end, last);
    static std::map<std::string, int> const shifts = {{"", 0},     {"B", 0},  {"K", 10},   {"KiB", 10}, {"M", 20},
                                                      {"MiB", 20}, {"G", 30}, {"GiB", 30}, {"T", 40},   {"TiB", 40}};
    auto const shift = shifts.find(unit);
    if (failure != std::errc{} || shift == shifts.end() || value == 0 ||
        (value << shift->second) >> shift->second != value)
        throw argument_error("\"" + text + "\" is no size; give bytes, or a number with K, M, G or T, e.g. 512M");
    return value << shift->second;
}

parsed parse_command_line(int argc, char** argv, int rank) {
    parsed result;
    texts t;
    CLI::App program("Exact statistics of arrays in files: the same bits on any number of ranks, threads and GPUs.",
                     "steadfold-reduce");
    program.footer(examples);
    program.set_version_flag("--version", "steadfold-reduce " + std::string(version()) + " (" +
                                              std::string(git_revision()) + ")\n" + std::string(build_description()));
    add_input_options(program, result.chosen, t);
    add_reduction_options(program, result.chosen, t);
    add_execution_options(program, result.chosen, t);
    add_output_options(program, result.chosen);
    try {
        program.parse(argc, argv);
        interpret(program, result.chosen, t);
        result.next = command::run;
    } catch (CLI::ParseError const& reason) {
        int const code = rank == 0 ? program.exit(reason) : reason.get_exit_code();
        result.exit_code = code == 0 ? exit_ok : exit_usage;
    } catch (argument_error const& reason) {
        if (rank == 0) std::fprintf(stderr, "steadfold-reduce: %s\n", reason.what());
        result.exit_code = exit_usage;
    }
    return result;
}

} // namespace steadfold::inline v0::app
