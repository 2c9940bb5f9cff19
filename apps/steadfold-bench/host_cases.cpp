// host-sum and host-ops.
#include "cases.hpp"
#include "data.hpp"
#include "host_peers.hpp"
#include "operations.hpp"
#include "reference.hpp"
#include "steadfold/reduce.hpp"

#include <memory>
#include <numeric>

namespace steadfold::inline v0::app {

namespace {

constexpr std::int64_t default_elements = std::int64_t{1} << 27; // 1 GiB of doubles

/// OpenMP's threads spin for some 10 ms after a loop, on the cores the next one in turn is to have.
sampling const host_sampling{"host-to-host", 0.01, 1, std::chrono::milliseconds{15}};

/// One array, or two for dot, and how they are summed on the host.
template <class T>
class bench {
  public:
    bench(settings const& chosen, std::int64_t elements, bool pairs)
        : threads_{chosen.threads}, x_{gaussian<T>(elements, 1, threads_)},
          y_{gaussian<T>(pairs ? elements : 0, 2, threads_)}, expected_{reference_of(x_, y_, threads_)} {}

    [[nodiscard]] implementation ours(std::string const& name, operation_set operations,
                                      reduction_mode mode = reduction_mode::exact) const {
        bool const pairs = operations.contains(operation::dot);
        auto const with = std::make_shared<reduction>(dtype_of<T>, operations, reduce_options{.mode = mode},
                                                      execution{.kind = processor_kind::host, .threads = threads_});
        auto const work = [this, with, pairs] {
            if (pairs)
                with->add_products(x_, y_);
            else
                with->add(x_);
            return with->finish();
        };
        auto const verify = [this, work, mode] {
            reduction_results const results = work();
            if (mode == reduction_mode::exact)
                require_equal(results, expected_);
            else
                require_close(detail::value_as<T>(results[operation::sum]), expected_);
        };
        return {name, false, (pairs ? 2 : 1) * x_.bytes(), threads_, [work] { static_cast<void>(work()); }, {}, verify};
    }

    [[nodiscard]] implementation peer(std::string const& name, T (*sum_of)(T const*, std::int64_t, int),
                                      int threads) const {
        auto const work = [this, sum_of, threads] { return sum_of(x_.data(), x_.size(), threads); };
        // A result that is stored is a result the compiler must compute.
        auto const kept = std::make_shared<T volatile>();
        return {name,
                true,
                x_.bytes(),
                threads,
                [work, kept] { *kept = work(); },
                {},
                [this, work] { require_close(work(), expected_); }};
    }

    [[nodiscard]] int threads() const { return threads_; }

  private:
    int threads_;
    host_array<T> x_, y_;
    reference<T> expected_;
};

template <class T>
T std_reduce(T const* x, std::int64_t n, int) {
    return std::reduce(x, x + n, T{0});
}

template <class T>
void measure_sum(settings const& chosen, std::int64_t elements, group_sink const& done) {
    bench<T> const data{chosen, elements, false};
    sum_loops<T> const loops = best_sum_loops<T>();
    std::vector<implementation> all;
    if (loops.omp_for != nullptr) all.push_back(data.peer("omp-for", loops.omp_for, data.threads()));
    if (loops.omp_for_simd != nullptr) all.push_back(data.peer("omp-for-simd", loops.omp_for_simd, data.threads()));
    if (loops.neumaier != nullptr) all.push_back(data.peer("omp-neumaier", loops.neumaier, data.threads()));
    all.push_back(data.peer("std-reduce-1-thread", std_reduce<T>, 1));
    all.push_back(data.ours("steadfold-exact", operation::sum));
    all.push_back(data.ours("steadfold-fast", operation::sum, reduction_mode::fast));
    done(measure({"host-sum", dtype_of<T>, elements}, all, host_sampling, chosen));
}

template <class T>
void measure_operations(settings const& chosen, std::int64_t elements, group_sink const& done) {
    bench<T> const data{chosen, elements, true};
    std::vector<implementation> all{data.ours("steadfold-exact:sum", operation::sum)};
    for (named_operations const& each : measured_operations())
        all.push_back(data.ours("steadfold-exact:" + each.name, each.operations));
    all.push_back(data.ours("steadfold-exact:dot", operation::dot));
    done(measure({"host-ops", dtype_of<T>, elements}, all, host_sampling, chosen));
}

} // namespace

void run_host_sum(settings const& chosen, group_sink const& done) {
    for_sizes(chosen, {dtype::float64}, default_elements, [&](dtype type, std::int64_t elements) {
        (type == dtype::float64 ? measure_sum<double> : measure_sum<float>)(chosen, elements, done);
    });
}

void run_host_ops(settings const& chosen, group_sink const& done) {
    for_sizes(chosen, {dtype::float64}, default_elements, [&](dtype type, std::int64_t elements) {
        (type == dtype::float64 ? measure_operations<double> : measure_operations<float>)(chosen, elements, done);
    });
}

} // namespace steadfold::inline v0::app
