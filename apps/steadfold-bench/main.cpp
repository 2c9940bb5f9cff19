// steadfold-bench: speed of steadfold's reductions beside what one would use instead.
#include "cases.hpp"
#include "demo.hpp"
#include "host_peers.hpp"
#include "ladder/ladder.hpp"
#include "output.hpp"
#include "questions.hpp"
#include "report.hpp"
#include "required.hpp"
#include "self_test.hpp"
#include "settings.hpp"
#include "signals.hpp"
#include "steadfold/error.hpp"

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <exception>
#include <string>
#include <vector>

namespace sf = steadfold;
using namespace sf::app;

namespace {

void note(settings const& chosen, std::string const& text) {
    if (!chosen.quiet) std::fprintf(stderr, "steadfold-bench: %s\n", text.c_str());
}

int list() {
    std::string text, why;
    for (bench_case const& each : all_cases()) {
        std::string const reason = unavailable(each);
        text += each.name + "   " + each.description + (reason.empty() ? "" : " (unavailable)") + "\n";
        if (!reason.empty()) why = "unavailable: " + reason + "\n";
    }
    print(text + why);
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
    if (!chosen.json.empty()) write(chosen.json, to_json(groups, verdicts(groups), run, chosen));
    if (!chosen.csv.empty()) write(chosen.csv, to_csv(groups, run.gpu));
}

struct interrupted {};

/// False if SIGINT or SIGTERM, as a batch system's limit sends it, ended it behind the group that was being measured.
bool measure(std::vector<bench_case> const& cases, settings const& chosen, group_sink const& done) {
    note_signals({SIGINT, SIGTERM});
    try {
        for (bench_case const& each : cases)
            each.run(chosen, [&](measured_group group) {
                done(std::move(group));
                if (noted_signal() != 0) throw interrupted{};
            });
    } catch (interrupted const&) {
        return false;
    }
    return true;
}

int run(settings const& chosen) {
    std::vector<bench_case> const asked = asked_for(chosen), able = runnable(asked, chosen);
    if (able.empty()) {
        std::fprintf(stderr, "steadfold-bench: nothing to measure: %s\n", unavailable(asked.front()).c_str());
        return exit_no_gpu;
    }
    if (best_sum_loops<double>().omp_for == nullptr)
        note(chosen, "built without OpenMP: its loops are left out of host-sum");
    run_facts const facts{this_machine(), now_utc(), sum_loops_level(), gpu_instruction_rates()};
    if (facts.where.load_average > 0.5 * facts.where.allowed_cpus)
        note(chosen,
             "this machine is busy with other work (its load average is in the JSON): host figures, above all those "
             "of OpenMP's spinning threads, are not to be trusted");
    require_writable(chosen.json);
    require_writable(chosen.csv);
    std::vector<measured_group> groups;
    if (!chosen.quiet) print(table_head());
    bool const complete = measure(able, chosen, [&](measured_group group) {
        if (!chosen.quiet) print(table_lines(group, facts.gpu));
        groups.push_back(std::move(group));
    });
    write_files(chosen, groups, facts);
    if (!complete) {
        std::fprintf(stderr, "steadfold-bench: interrupted; what was measured before is reported\n");
        return exit_interrupted;
    }
    std::vector<verdict> const judged = verdicts(groups);
    if (!chosen.quiet) print(verdict_table(judged));
    bool const missed = std::any_of(judged.begin(), judged.end(), [](verdict const& each) { return each.missed(); });
    return missed ? exit_failed : exit_ok;
}

int start(settings const& chosen) {
    if (chosen.list) return list();
    if (chosen.what == command::demo) return run_demo(chosen);
    if (chosen.what == command::ladder) return run_ladder(chosen);
    return chosen.self_test ? run_self_test(chosen) : run(chosen);
}

} // namespace

int main(int argc, char** argv) {
    try {
        parsed const line = parse_command_line(argc, argv);
        if (line.leave) return line.exit_code;
        return start(line.chosen);
    } catch (sf::argument_error const& e) {
        std::fprintf(stderr, "steadfold-bench: %s\n", e.what());
        return exit_usage;
    } catch (std::exception const& e) {
        std::fprintf(stderr, "steadfold-bench: %s\n", e.what());
        return exit_failed;
    }
}
