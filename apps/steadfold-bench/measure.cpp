#include "measure.hpp"

#include "signals.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <thread>

namespace steadfold::inline v0::app {

namespace {

using clock = std::chrono::steady_clock;

constexpr int most_calls = 1 << 20; // a sample
constexpr std::size_t most_rounds = 2000;

void complete(implementation const& what) {
    if (what.complete) what.complete();
}

/// Seconds of one call, over `calls` of them. One more goes before, untimed: it wakes threads and warms caches.
double sample(implementation const& what, int calls, std::chrono::milliseconds settle) {
    if (settle.count() > 0) std::this_thread::sleep_for(settle);
    if (what.timed) return what.timed();
    what.call();
    complete(what);
    auto const begin = clock::now();
    for (int i = 0; i < calls; ++i) what.call();
    complete(what);
    return std::chrono::duration<double>(clock::now() - begin).count() / calls;
}

int calls_for(implementation const& what, sampling const& how) {
    if (what.timed) return what.timed_calls;
    double once = sample(what, how.min_calls, how.settle);
    // The least of a few, if they are short: one that was disturbed would make all samples too short.
    for (int i = 0; i < 4 && once * how.min_calls < 0.05; ++i)
        once = std::min(once, sample(what, how.min_calls, how.settle));
    double const wanted = std::ceil(how.sample_seconds / std::max(once, 1e-9));
    return std::clamp(static_cast<int>(std::min<double>(wanted, most_calls)), how.min_calls, most_calls);
}

void verify(group_label const& label, implementation const& what) {
    try {
        what.verify();
    } catch (wrong_result const& e) {
        throw wrong_result(label.case_name + ", " + what.name + ", " + std::string(name(label.type)) + ", " +
                           std::to_string(label.elements) + " elements: " + e.what());
    }
}

bool enough(measurement const& one, settings const& chosen) {
    if (one.samples_us.size() >= std::max(most_rounds, static_cast<std::size_t>(chosen.repetitions))) return true;
    double total_us = 0;
    for (double const time : one.samples_us) total_us += time;
    return one.samples_us.size() >= static_cast<std::size_t>(chosen.repetitions) &&
           total_us * one.calls_per_sample >= chosen.min_seconds * 1e6;
}

} // namespace

measurement const* find(measured_group const& group, std::string const& implementation) {
    auto const found = std::find_if(group.measurements.begin(), group.measurements.end(), [&](measurement const& each) {
        return each.implementation.starts_with(implementation);
    });
    return found == group.measurements.end() ? nullptr : &*found;
}

measured_group measure(group_label const& label, std::vector<implementation> const& implementations,
                       sampling const& how, settings const& chosen) {
    measured_group group{label, {}};
    for (implementation const& each : implementations) {
        verify(label, each);
        group.measurements.push_back({each.name,
                                      each.peer,
                                      each.bytes,
                                      each.threads,
                                      calls_for(each, how),
                                      {},
                                      each.timing.empty() ? how.timing : each.timing,
                                      each.budget});
    }
    auto const short_of_time = [&](measurement const& one) { return !enough(one, chosen); };
    auto const goes_on = [&] { return noted_signal() == 0 || group.measurements.front().samples_us.empty(); };
    while (std::any_of(group.measurements.begin(), group.measurements.end(), short_of_time) && goes_on())
        for (std::size_t i = 0; i < implementations.size(); ++i) {
            measurement& one = group.measurements[i];
            one.samples_us.push_back(1e6 * sample(implementations[i], one.calls_per_sample, how.settle));
        }
    for (implementation const& each : implementations) verify(label, each);
    return group;
}

} // namespace steadfold::inline v0::app
