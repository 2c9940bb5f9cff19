#include "ladder/climb.hpp"

#include "ladder/check.hpp"
#include "ladder/inputs.hpp"
#include "statistics.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>

namespace steadfold::inline v0::app::ladder {

namespace {

constexpr double sample_us = 2000; // events are good to half a microsecond
constexpr int most_calls = 100;
constexpr std::size_t most_rounds = 2000;

detail::owned_event timing_event() {
    cudaEvent_t event = nullptr;
    detail::check(cudaEventCreate(&event), "creating an event");
    return detail::owned_event{event};
}

class stopwatch {
  public:
    explicit stopwatch(cudaStream_t stream) : stream_{stream} {}

    /// Microseconds of one call, over `calls` of them, on the device. One more goes before, untimed: the device is at
    /// work when the first event comes, and the later calls are enqueued meanwhile.
    template <class Call>
    [[nodiscard]] double sample(int calls, Call const& call) const {
        call();
        detail::check(cudaEventRecord(begin_.get(), stream_), "recording an event");
        for (int i = 0; i < calls; ++i) call();
        detail::check(cudaEventRecord(end_.get(), stream_), "recording an event");
        detail::check(cudaEventSynchronize(end_.get()), "waiting for a rung");
        float milliseconds = 0;
        detail::check(cudaEventElapsedTime(&milliseconds, begin_.get(), end_.get()), "taking the time");
        return 1e3 * milliseconds / calls;
    }

  private:
    cudaStream_t stream_;
    detail::owned_event begin_ = timing_event(), end_ = timing_event();
};

bool enough(timed_rung const& one, settings const& chosen) {
    std::size_t const least = static_cast<std::size_t>(std::max(1, chosen.repetitions)), rounds = one.samples_us.size();
    if (rounds >= std::max(most_rounds, least)) return true;
    double const total_us = std::accumulate(one.samples_us.begin(), one.samples_us.end(), 0.0);
    return rounds >= least && total_us * one.calls_per_sample >= chosen.min_seconds * 1e6;
}

void require_sums(std::vector<launcher> const& rungs, inputs const& data, scratch const& memory) {
    for (launcher const& rung : rungs) {
        input const in = data.of(rung.what());
        if (rung.what().merge != merging::none) require_sum(rung, in.x, in.count, in.sum, memory);
    }
}

} // namespace

double timed_rung::median_us() const {
    return quantile(samples_us, 0.5);
}

double timed_rung::rate_gb_per_s() const {
    return static_cast<double>(bytes) / median_us() / 1e3;
}

std::vector<timed_rung> climb(std::vector<launcher> const& rungs, std::int64_t elements, settings const& chosen,
                              cudaStream_t stream) {
    inputs const data{elements, chosen.threads};
    scratch const memory{elements};
    stopwatch const watch{stream};
    require_sums(rungs, data, memory);
    std::vector<timed_rung> all;
    auto const sample = [&](launcher const& rung, int calls) {
        input const in = data.of(rung.what());
        return watch.sample(calls, [&] { rung.enqueue(in.x, in.count, memory); });
    };
    for (launcher const& rung : rungs) {
        input const in = data.of(rung.what());
        std::int64_t const bytes = in.count * (rung.what().type == dtype::float64 ? 8 : 4);
        double const calls = std::ceil(sample_us / std::max(0.1, sample(rung, 1)));
        all.push_back({rung.what(), rung.facts(), in.count, bytes, rung.enqueue(in.x, in.count, memory),
                       static_cast<int>(std::clamp<double>(calls, 1, most_calls))});
    }
    auto const short_of_time = [&](timed_rung const& one) { return !enough(one, chosen); };
    while (std::any_of(all.begin(), all.end(), short_of_time))
        for (std::size_t i = 0; i < rungs.size(); ++i)
            all[i].samples_us.push_back(sample(rungs[i], all[i].calls_per_sample));
    require_sums(rungs, data, memory);
    return all;
}

} // namespace steadfold::inline v0::app::ladder
