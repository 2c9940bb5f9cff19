// Times implementations side by side: one sample of each in turn, round after round.
#pragma once

#include "settings.hpp"
#include "steadfold/error.hpp"

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace steadfold::inline v0::app {

/// A result that is not what it must be. Nothing wrong is ever reported as fast.
class wrong_result : public error {
  public:
    using error::error;
};

struct implementation {
    std::string name;
    bool peer = false; // someone else's, or what one would write without steadfold
    std::int64_t bytes = 0;
    int threads = 0;                // host threads; 0 on a GPU
    std::function<void()> call;     // does the work once, or enqueues it
    std::function<void()> complete; // returns when all work enqueued has been done; may be empty
    std::function<void()> verify;   // runs once more. @throws wrong_result

    // Of an implementation that takes its time itself, in place of call and complete:
    std::function<double()> timed = {}; // one sample: seconds a call, over timed_calls of them
    int timed_calls = 1;
    std::string timing = {}; // if it differs from that of the group

    std::string budget = {}; // instructions an element, where they have been counted
};

/// How samples of a group are taken.
struct sampling {
    std::string timing;                  // "host-to-host" or "device", as the table says it
    double sample_seconds = 0;           // calls are repeated within a sample until it lasts so long; 0: one call
    int min_calls = 1;                   // calls a sample, at least
    std::chrono::milliseconds settle{0}; // idle before each sample
};

struct group_label {
    std::string case_name;
    dtype type = dtype::float64;
    std::int64_t elements = 0;
    std::string operation = {}, data = {};
};

struct measurement {
    std::string implementation;
    bool peer = false;
    std::int64_t bytes = 0;
    int threads = 0;
    int calls_per_sample = 1;
    std::vector<double> samples_us = {}; // time of one call, one entry a round
    std::string timing = {}, budget = {};
};

/// What was measured in the same rounds. The first one is what the table's ratios refer to.
struct measured_group {
    group_label label;
    std::vector<measurement> measurements;
};

/// The measurement of that name, or of the first name that begins so. Null if there is none.
[[nodiscard]] measurement const* find(measured_group const& group, std::string const& implementation);

/// @throws wrong_result naming case and implementation
[[nodiscard]] measured_group measure(group_label const& label, std::vector<implementation> const& implementations,
                                     sampling const& how, settings const& chosen);

} // namespace steadfold::inline v0::app
