// steadfold-reduce: exact statistics of arrays in files, over ranks, threads and GPUs.
#include "agreement.hpp"
#include "exit_codes.hpp"
#include "interrupt.hpp"
#include "job.hpp"
#include "job_record.hpp"
#include "launch.hpp"
#include "output.hpp"
#include "processors.hpp"
#include "report.hpp"
#include "requests.hpp"
#include "self_check.hpp"
#include "settings.hpp"
#include "steadfold/error.hpp"
#include "steadfold/topology.hpp"

#include <algorithm>
#include <chrono>
#include <exception>
#include <string>
#include <thread>
#include <vector>

namespace sf = steadfold;
using namespace sf::app;

namespace {

void say(sf::communicator const& world, std::string const& text) {
    if (world.rank() == 0) complain(text);
}

/// Timeouts are known to each rank alone. Rank 0 speaks first; once it has left, a launcher ends the others, so that
/// they speak only if it cannot.
void say_alone(sf::communicator const& world, std::string const& text) {
    std::this_thread::sleep_for(std::chrono::seconds{std::min(world.rank(), 3)});
    if (world.size() == 1) return say(world, text);
    complain("rank " + std::to_string(world.rank()) + ": " + text);
}

class program {
  public:
    program(app_environment const& environment, settings const& chosen, int argc, char** argv)
        : world_{environment.world()}, chosen_{chosen}, argc_{argc}, argv_{argv} {
        world_.set_deadline(chosen.deadline);
    }

    int run() {
        try {
            bool listing = false;
            together(world_, [&] { listing = wants_listing(chosen_); });
            return listing ? list() : reduce();
        } catch (shared_error const& e) { // before any job began
            fail(e.what());
            print_json();
            return interrupted_anywhere(world_) ? exit_interrupted : exit_failed;
        }
    }

  private:
    int list() {
        listing found;
        together(world_, [&] {
            if (world_.rank() == 0) found = list_inputs(chosen_);
        });
        for (std::string const& failure : found.failures) fail(failure);
        std::int64_t failed = failures_.empty() ? 0 : 1;
        if (world_.rank() == 0 && !print(chosen_.json ? json_listing(found.sets, failures_) : text_listing(found.sets)))
            failed = 1;
        world_.all_reduce_sum({&failed, 1});
        return failed != 0 ? exit_failed : exit_ok;
    }

    int reduce() {
        std::vector<request> const jobs = requested_jobs(world_, chosen_);
        sf::topology const here = sf::discover_topology(world_);
        std::vector<sf::execution> processors;
        together(world_, [&] { processors = choose_processors(chosen_, here); });
        sf::communicator combiner;
        together(world_, [&] { combiner = choose_combiner(chosen_, world_, processors); });
        job_record record{world_, chosen_, here, argc_, argv_};
        try {
            for (request const& job : jobs) run_one(job, processors, combiner, record);
        } catch (std::exception const& e) { // a rank that did not arrive: keep what there is and leave
            std::string text = e.what();
            if (world_.poisoned() || combiner.poisoned()) text += "; if the rank is only slow, raise --deadline";
            say_alone(world_, text);
            failures_.push_back(text);
            record.add_failure(text);
            record.close(sf::run_status::failed);
            print_json(record.path());
            app_environment::leave_now(exit_failed);
        }
        record.close(stop_               ? sf::run_status::interrupted
                     : failures_.empty() ? sf::run_status::complete
                                         : sf::run_status::failed);
        return finish(record);
    }

    void fail(std::string const& text) {
        say(world_, text);
        failures_.push_back(text);
    }

    void run_one(request const& job, std::vector<sf::execution> const& processors, sf::communicator const& combiner,
                 job_record& record) {
        if (stop_) return;
        try {
            if (!job.failure.empty()) throw shared_error(job.failure); // every rank has the same request
            conduct how = planned_conduct(chosen_, processors, static_cast<int>(job.inputs.size()));
            how.progress = how.progress && world_.rank() == 0;
            outcome const result = run_job(world_, combiner, chosen_, job.inputs, how);
            speed const fast = measure_speed(world_, result);
            record.add(result, fast);
            report(result, fast);
            if (chosen_.self_check) check(job.inputs, how, result);
        } catch (shared_error const& e) {
            fail(e.what());
            record.add_failure(e.what());
        }
        stop_ = interrupted_anywhere(world_);
    }

    void check(std::vector<std::string> const& inputs, conduct const& how, outcome const& expected) {
        int const ways = self_check(world_, chosen_, inputs, how, expected);
        if (world_.rank() != 0) return;
        if (chosen_.json)
            jobs_.back().self_check_ways = ways;
        else
            print("  self-check: the same bits in " + std::to_string(ways) + " other ways\n");
    }

    void report(outcome const& job, speed const& fast) {
        if (world_.rank() != 0) return;
        if (chosen_.json) {
            jobs_.push_back(job);
            speeds_.push_back(fast);
        } else {
            print(text_report(job, fast, world_.size()));
        }
    }

    void print_json(std::string const& record = {}) {
        if (world_.rank() == 0 && chosen_.json) print(json_report(jobs_, speeds_, failures_, world_.size(), record));
    }

    int finish(job_record const& record) {
        print_json(record.path());
        bool const printed = print(""); // false if anything before could not be printed
        std::int64_t failed = !printed || !failures_.empty() || (chosen_.record_required && !record.good());
        world_.all_reduce_sum({&failed, 1}); // only rank 0 writes; the exit code is the same everywhere
        if (stop_) return exit_interrupted;
        return failed != 0 ? exit_failed : exit_ok;
    }

    sf::communicator world_;
    settings const& chosen_;
    int argc_;
    char** argv_;
    bool stop_ = false;
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
            say_alone(environment.world(), e.what());
            if (environment.world().size() > 1) app_environment::leave_now(exit_failed);
        }
    } catch (std::exception const& e) {
        complain(e.what());
    }
    return exit_failed;
}
