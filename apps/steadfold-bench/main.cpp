// steadfold-bench: speed of steadfold's reductions beside what one would use instead.
#include "cases.hpp"
#include "host_peers.hpp"
#include "report.hpp"
#include "settings.hpp"
#include "steadfold/error.hpp"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <string>
#include <vector>

namespace sf = steadfold;
using namespace sf::app;

namespace {

void print(std::string const& text) {
    if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0)
        throw sf::io_error("cannot write to standard output");
}

void write(std::string const& path, std::string const& text) {
    if (path == "-") return print(text);
    std::FILE* const file = std::fopen(path.c_str(), "w");
    bool const written = file != nullptr && std::fwrite(text.data(), 1, text.size(), file) == text.size();
    bool const closed = file != nullptr && std::fclose(file) == 0;
    if (!written || !closed) throw sf::io_error("cannot write " + path + ": " + std::strerror(errno));
}

/// Better known before the minutes of measuring. Leaves what is in the file.
void require_writable(std::string const& path) {
    if (path.empty() || path == "-") return;
    std::FILE* const file = std::fopen(path.c_str(), "a");
    if (file == nullptr) throw sf::io_error("cannot write " + path + ": " + std::strerror(errno));
    std::fclose(file);
}

void note(settings const& chosen, std::string const& text) {
    if (!chosen.quiet) std::fprintf(stderr, "steadfold-bench: %s\n", text.c_str());
}

int list() {
    std::string text;
    for (bench_case const& each : all_cases()) {
        std::string const reason = unavailable(each);
        text += each.name + "   " + each.description + (reason.empty() ? "" : "; unavailable: " + reason) + "\n";
    }
    print(text);
    return exit_ok;
}

std::vector<bench_case> runnable(std::vector<bench_case> const& asked, settings const& chosen) {
    std::vector<bench_case> able;
    for (bench_case const& each : asked) {
        std::string const reason = unavailable(each);
        if (reason.empty())
            able.push_back(each);
        else
            note(chosen, each.name + " is left out: " + reason);
    }
    return able;
}

void write_files(settings const& chosen, std::vector<measured_group> const& groups, run_facts const& run) {
    if (!chosen.json.empty()) write(chosen.json, to_json(groups, run, chosen));
    if (!chosen.csv.empty()) write(chosen.csv, to_csv(groups));
}

int run(settings const& chosen) {
    std::vector<bench_case> const asked = asked_for(chosen), able = runnable(asked, chosen);
    if (able.empty()) {
        std::fprintf(stderr, "steadfold-bench: nothing to measure: %s\n", unavailable(asked.front()).c_str());
        return exit_no_gpu;
    }
    if (best_sum_loops<double>().omp_for == nullptr)
        note(chosen, "built without OpenMP: its loops are left out of host-sum");
    run_facts const facts{this_machine(), now_utc(), sum_loops_level()};
    if (facts.where.load_average > 0.5 * facts.where.allowed_cpus)
        note(chosen,
             "this machine is busy with other work (its load average is in the JSON): host figures, above all those "
             "of OpenMP's spinning threads, are not to be trusted");
    require_writable(chosen.json);
    require_writable(chosen.csv);
    std::vector<measured_group> groups;
    if (!chosen.quiet) print(table_head());
    for (bench_case const& each : able)
        each.run(chosen, [&](measured_group group) {
            if (!chosen.quiet) print(table_lines(group));
            groups.push_back(std::move(group));
        });
    write_files(chosen, groups, facts);
    return exit_ok;
}

} // namespace

int main(int argc, char** argv) {
    try {
        parsed const line = parse_command_line(argc, argv);
        if (line.leave) return line.exit_code;
        return line.chosen.list ? list() : run(line.chosen);
    } catch (sf::argument_error const& e) {
        std::fprintf(stderr, "steadfold-bench: %s\n", e.what());
        return exit_usage;
    } catch (std::exception const& e) {
        std::fprintf(stderr, "steadfold-bench: %s\n", e.what());
        return exit_failed;
    }
}
