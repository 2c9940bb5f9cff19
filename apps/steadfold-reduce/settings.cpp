#include "settings.hpp"

#include "exit_codes.hpp"
#include "option_values.hpp"
#include "output.hpp"
#include "steadfold/error.hpp"
#include "steadfold/version.hpp"

#include <CLI/CLI.hpp>
#include <cstdint>
#include <sstream>

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
    std::string operations = "sum,mean,min,max,l2,count", result, mode = "exact", nans = "propagate", ddof = "0";
    std::string device = "auto", gpus, threads, combine = "mpi", memory = "1G", chunk, deadline = "300";
    std::string raw_type, offset = "0", existing = "unique";
};

void add_input_options(CLI::App& program, settings& s, texts& t) {
    program.add_option("inputs", s.inputs, "FILE[:DATASET] (HDF5, netCDF-4, .npy, raw); quote globs to use ours");
    program.add_option("--dot", s.dot, "Sum of products of two inputs")->expected(2);
    program.add_flag("--list", s.list, "List the data sets of the inputs");
    program.add_option("--dtype", t.raw_type, "Element type of raw binary files, e.g. float64, i4");
    program.add_option("--offset", t.offset, "Bytes before the first element of a raw file");
    program.add_flag("--big-endian", s.raw_big_endian, "Raw files are big-endian");
    program.add_flag("--unpack", s.unpack, "Apply scale_factor and add_offset (netCDF)");
    program.add_flag("--keep-missing", s.keep_missing, "Take _FillValue and missing_value as ordinary numbers");
}

void add_reduction_options(CLI::App& program, texts& t) {
    program
        .add_option("--ops", t.operations,
                    "Operations: all, extrema, or some of sum, mean, sumsq, l1, l2, linf, var, std, min, max, argmin, "
                    "argmax, count, nan, inf, zero, any, every, bitand, bitor, bitxor, prod")
        ->capture_default_str();
    program.add_option("--mode", t.mode, "exact or fast")->capture_default_str();
    program.add_option("--nan", t.nans, "propagate or ignore; default: ignore where the file declares missing values");
    program.add_option("--ddof", t.ddof, "Variance divides by n - ddof: 0 or 1")->capture_default_str();
    program.add_option("--result-type", t.result, "Type of sums, means, norms and extrema, e.g. float64");
}

void add_execution_options(CLI::App& program, texts& t) {
    program.add_option("--device", t.device, "auto, host or cuda")->capture_default_str();
    program.add_option("--gpus", t.gpus, "GPUs each process uses; default: its share of the host's");
    program.add_option("--threads", t.threads, "Host threads of each process; default: all CPUs it may use");
    program.add_option("--combine", t.combine, "How ranks are combined: mpi or nccl")->capture_default_str();
    program.add_option("--memory", t.memory, "Most memory each process uses for data, e.g. 512M")
        ->capture_default_str();
    program.add_option("--chunk", t.chunk, "Bytes read at a time; default: from --memory, at most 64M");
    program.add_option("--deadline", t.deadline, "Longest wait for a rank, a device or a file, in seconds")
        ->capture_default_str();
}

void add_output_options(CLI::App& program, settings& s, texts& t) {
    program.add_option("--record", s.record, "Write a run record (HDF5)");
    program.add_option("--record-existing", t.existing, "If the record exists: unique (name), refuse or overwrite")
        ->capture_default_str();
    program.add_flag("--record-required", s.record_required, "Fail (exit 1) if the record cannot be written");
    program.add_flag("--self-check", s.self_check,
                     "Recompute under other partitions, threads and chunks; compare bits");
    program.add_flag("--json", s.json, "Print JSON");
    program.add_flag("-q,--quiet", s.quiet, "No progress bar and no notes");
}

void interpret_reduction(CLI::App const& program, settings& s, texts const& t) {
    s.operations = parse_operations(t.operations);
    if (s.operations.intersects(of_pairs)) throw argument_error("--ops dot: use --dot A B");
    s.options.mode =
        one_of<reduction_mode>("--mode", t.mode, {{"exact", reduction_mode::exact}, {"fast", reduction_mode::fast}});
    s.options.nans =
        one_of<nan_policy>("--nan", t.nans, {{"propagate", nan_policy::propagate}, {"ignore", nan_policy::ignore}});
    s.nan_policy_given = program.count("--nan") > 0;
    s.options.ddof = static_cast<int>(whole_number("--ddof", t.ddof, 0, 1));
    if (!t.result.empty()) s.options.result = parse_dtype(t.result);
    for (char const* name : {"--ops", "--mode", "--nan", "--ddof", "--result-type", "--record", "--self-check"})
        s.reduction_wanted = s.reduction_wanted || program.count(name) > 0;
}

void interpret_execution(settings& s, texts const& t) {
    s.device = one_of<device_choice>(
        "--device", t.device,
        {{"auto", device_choice::automatic}, {"host", device_choice::host}, {"cuda", device_choice::cuda}});
    if (!t.gpus.empty()) s.gpus = static_cast<int>(whole_number("--gpus", t.gpus, 1, 1024));
    if (!t.threads.empty()) s.threads = static_cast<int>(whole_number("--threads", t.threads, 1, 1024));
    s.combine =
        one_of<combine_choice>("--combine", t.combine, {{"mpi", combine_choice::mpi}, {"nccl", combine_choice::nccl}});
    if (s.gpus > 0 && s.device == device_choice::host) throw argument_error("--gpus needs --device auto or cuda");
    s.memory_bytes = parse_bytes("--memory", t.memory);
    if (s.memory_bytes < std::size_t{1} << 20)
        throw argument_error("--memory " + t.memory + " is too little; give at least 1M");
    if (!t.chunk.empty()) s.chunk_bytes = parse_bytes("--chunk", t.chunk);
    std::size_t const buffers = s.dot.empty() ? 2 : 4;
    if (!t.chunk.empty() && (s.chunk_bytes < 16 || s.chunk_bytes > s.memory_bytes / buffers))
        throw argument_error("--chunk " + t.chunk + ": give at least 16 bytes, and at most --memory / " +
                             std::to_string(buffers) + ": each input has two buffers");
    s.deadline = seconds("--deadline", t.deadline);
}

void interpret(CLI::App const& program, settings& s, texts const& t) {
    interpret_reduction(program, s, t);
    interpret_execution(s, t);
    if (!t.raw_type.empty()) s.raw_type = parse_dtype(t.raw_type);
    s.raw_offset_bytes = static_cast<std::size_t>(whole_number("--offset", t.offset, 0, std::int64_t{1} << 62));
    s.existing = one_of<existing_record>("--record-existing", t.existing,
                                         {{"unique", existing_record::unique},
                                          {"refuse", existing_record::refuse},
                                          {"overwrite", existing_record::overwrite}});
    if (s.inputs.empty() && s.dot.empty()) throw argument_error("no input; give FILE[:DATASET], see --help");
    if (s.list && !s.dot.empty()) throw argument_error("--list and --dot exclude each other; name the files to list");
    if (s.record_required && s.record.empty()) throw argument_error("--record-required needs --record FILE");
    if (program.count("--record") > 0 && s.record.empty()) throw argument_error("--record needs a file name");
    if (s.self_check && s.options.mode == reduction_mode::fast)
        throw argument_error("--self-check compares bits, which only --mode exact keeps");
}

/// Help and version to standard output, or one line about the mistake.
int leave_code(CLI::App const& program, CLI::ParseError const& reason, int rank) {
    std::ostringstream text, line;
    bool const mistake = program.exit(reason, text, line) != 0;
    if (rank != 0) return mistake ? exit_usage : exit_ok;
    if (mistake) {
        complain(std::string(reason.what()) + "; see --help");
        return exit_usage;
    }
    return print(text.str()) ? exit_ok : exit_failed;
}

} // namespace

parsed parse_command_line(int argc, char** argv, int rank) {
    parsed result;
    texts t;
    CLI::App program("Exact statistics of arrays in files: the same bits on any number of ranks, threads and GPUs.",
                     "steadfold-reduce");
    program.footer(examples);
    program.set_version_flag("--version", "steadfold-reduce " + std::string(version()) + " (" +
                                              std::string(git_revision()) + ")\n" + std::string(build_description()));
    add_input_options(program, result.chosen, t);
    add_reduction_options(program, t);
    add_execution_options(program, t);
    add_output_options(program, result.chosen, t);
    try {
        program.parse(argc, argv);
        interpret(program, result.chosen, t);
        result.next = command::run;
    } catch (CLI::ParseError const& reason) {
        result.exit_code = leave_code(program, reason, rank);
    } catch (argument_error const& reason) {
        if (rank == 0) complain(reason.what());
        result.exit_code = exit_usage;
    }
    return result;
}

} // namespace steadfold::inline v0::app
