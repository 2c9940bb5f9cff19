// steadfold-reduce: exact statistics of arrays in files, over ranks, threads and GPUs.
#include "agreement.hpp"
#include "exit_codes.hpp"
#include "interrupt.hpp"
#include "job.hpp"
#include "job_record.hpp"
#include "launch.hpp"
#include "processors.hpp"
#include "report.hpp"
#include "self_check.hpp"
#include "settings.hpp"
#include "steadfold/error.hpp"
#include "steadfold/topology.hpp"

#include <cstdio>
#include <exception>
#include <string>
#include <vector>

namespace sf = steadfold;
using namespace sf::app;

namespace {

void say(sf::communicator const& world, char const* text) {
    if (world.rank() == 0) std::fprintf(stderr, "steadfold-reduce: %s\n", text);
}

bool print(std::string const& text) {
    bool const written = std::fwrite(text.data(), 1, text.size(), stdout) == text.size();
    return std::fflush(stdout) == 0 && written;
}

sf::read_options listing_options(settings const& chosen) {
    sf::read_options options;
    options.deadline = chosen.deadline;
    options.raw_type = chosen.raw_type;
    options.raw_offset_bytes = chosen.raw_offset_bytes;
    return options;
}

/// A file without a data set's name and without --ops: what does it hold?
bool wants_listing(settings const& chosen) {
    if (chosen.list) return true;
    if (chosen.inputs.size() != 1 || chosen.operations_given || chosen.raw_type || !chosen.dot.empty()) return false;
    std::vector<std::string> const files = sf::expand_inputs(chosen.inputs.front());
    return files.size() == 1 && sf::parse_dataset_spec(files.front()).path.empty() &&
           sf::list_datasets(files.front(), listing_options(chosen)).front().format == sf::file_format::hdf5;
}

int list(sf::communicator const& world, settings const& chosen) {
    if (world.rank() != 0) return exit_ok;
    std::vector<sf::dataset_info> all;
    for (std::string const& pattern : chosen.inputs)
        for (std::string const& input : sf::expand_inputs(pattern))
            for (sf::dataset_info& info :
                 sf::list_datasets(sf::parse_dataset_spec(input).file, listing_options(chosen)))
                all.push_back(std::move(info));
    return print(chosen.json ? json_listing(all) : text_listing(all)) ? exit_ok : exit_failed;
}

/// Every job: one or two inputs each.
std::vector<std::vector<std::string>> jobs_of(settings const& chosen) {
    std::vector<std::vector<std::string>> jobs;
    if (!chosen.dot.empty()) jobs.push_back(chosen.dot);
    for (std::string const& pattern : chosen.inputs)
        for (std::string const& input : sf::expand_inputs(pattern)) jobs.push_back({input});
    return jobs;
}

class program {
  public:
    program(app_environment& environment, settings const& chosen, int argc, char** argv)
        : environment_{environment}, world_{environment.world()}, chosen_{chosen}, argc_{argc}, argv_{argv} {
        world_.set_deadline(chosen.deadline);
    }

    int run() {
        std::vector<std::vector<std::string>> jobs;
        bool listing = false;
        together(world_, [&] {
            listing = wants_listing(chosen_);
            if (!listing) jobs = jobs_of(chosen_);
        });
        if (listing) return list(world_, chosen_);

        sf::topology const here = sf::discover_topology(world_);
        std::vector<sf::execution> processors;
        together(world_, [&] { processors = choose_processors(chosen_, here); });
        sf::communicator const combiner = choose_combiner(chosen_, world_, processors);
        job_record record{world_, chosen_, here, argc_, argv_};
        try {
            for (auto const& inputs : jobs) run_one(inputs, processors, combiner, record);
        } catch (std::exception const& e) { // a rank that did not arrive: keep what there is and leave
            say(world_, e.what());
            record.add_failure(e.what());
            record.close(sf::run_status::failed);
            print_json();
            if (world_.poisoned() || combiner.poisoned()) app_environment::leave_now(exit_failed);
            throw;
        }
        record.close(stop_               ? sf::run_status::interrupted
                     : failures_.empty() ? sf::run_status::complete
                                         : sf::run_status::failed);
        return finish(record);
    }

  private:
    void run_one(std::vector<std::string> const& inputs, std::vector<sf::execution> const& processors,
                 sf::communicator const& combiner, job_record& record) {
        if (stop_) return;
        try {
            conduct const how = planned_conduct(chosen_, processors, static_cast<int>(inputs.size()));
            conduct quiet = how;
            quiet.progress = how.progress && world_.rank() == 0;
            outcome const job = run_job(world_, combiner, chosen_, inputs, quiet);
            speed const fast = measure_speed(world_, job);
            record.add(job, fast);
            report(job, fast);
            if (chosen_.self_check) {
                int const ways = self_check(world_, chosen_, inputs, quiet, job);
                if (world_.rank() == 0 && !chosen_.json)
                    print("  self-check: the same bits in " + std::to_string(ways) + " other ways\n");
            }
        } catch (shared_error const& e) {
            say(world_, e.what());
            failures_.push_back(e.what());
            record.add_failure(e.what());
        }
        stop_ = interrupted_anywhere(world_);
    }

    void report(outcome const& job, speed const& fast) {
        if (world_.rank() != 0) return;
        if (chosen_.json) {
            jobs_.push_back(job);
            speeds_.push_back(fast);
        } else if (!print(text_report(job, fast, world_.size()))) {
            output_failed_ = true;
        }
    }

    void print_json() {
        if (world_.rank() == 0 && chosen_.json && !print(json_report(jobs_, speeds_, failures_, world_.size())))
            output_failed_ = true;
    }

    int finish(job_record const& record) {
        print_json();
        if (output_failed_) std::fprintf(stderr, "steadfold-reduce: cannot write to standard output\n");
        std::int64_t failed = output_failed_ || !failures_.empty() || (chosen_.record_required && !record.good());
        world_.all_reduce_sum({&failed, 1}); // only rank 0 writes; the exit code is the same everywhere
        if (stop_) return exit_interrupted;
        return failed != 0 ? exit_failed : exit_ok;
    }

    app_environment& environment_;
    sf::communicator world_;
    settings const& chosen_;
    int argc_;
    char** argv_;
    bool stop_ = false, output_failed_ = false;
    std::vector<outcome> jobs_;
    std::vector<speed> speeds_;
    std::vector<std::string> failures_;
};

int start(app_environment& environment, int argc, char** argv) {
    parsed const line = parse_command_line(argc, argv, environment.world().rank());
    if (line.next == command::leave) return line.exit_code;
    catch_interrupts();
    return program{environment, line.chosen, argc, argv}.run();
}

} // namespace

int main(int argc, char** argv) {
    try {
        app_environment environment(argc, argv);
        try {
            return start(environment, argc, argv);
        } catch (shared_error const& e) { // known to every rank: all leave in good order
            say(environment.world(), e.what());
            return exit_failed;
        } catch (std::exception const& e) {
            std::fprintf(stderr, "steadfold-reduce: rank %d: %s\n", environment.world().rank(), e.what());
            if (environment.world().size() > 1) app_environment::leave_now(exit_failed);
        }
    } catch (std::exception const& e) {
        std::fprintf(stderr, "steadfold-reduce: %s\n", e.what());
    }
    return exit_failed;
}
