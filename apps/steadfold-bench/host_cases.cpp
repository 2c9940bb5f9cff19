// Sums and other operations on the host.
#include "cases.hpp"
#include "data.hpp"
#include "host_peers.hpp"
#include "operations.hpp"
#include "reference.hpp"
#include "steadfold/reduce.hpp"

#include <memory>
#include <numeric>
#include <type_traits>
#include <vector>

namespace steadfold::inline v0::app {

namespace {

/// OpenMP's threads spin for some 10 ms after a loop, on the cores the next one in turn is to have.
sampling const host_sampling{"host-to-host", 0.01, 1, std::chrono::milliseconds{15}};

/// One array, or two for dot, and how they are summed on the host.
template <class T>
class bench {
  public:
    bench(data_kind kind, int threads, std::int64_t elements, bool pairs)
        : kind_{kind}, threads_{threads}, x_{generate<T>(kind, elements, 1, threads)},
          y_{generate<T>(kind, pairs ? elements : 0, 2, threads)}, expected_{reference_of(x_, y_, elements, threads)} {}

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
        implementation result;
        result.name = name;
        result.bytes = (pairs ? 2 : 1) * x_.bytes();
        result.threads = threads_;
        result.call = [work] { static_cast<void>(work()); };
        result.verify = [this, work, mode] {
            reduction_results const results = work();
            if (mode == reduction_mode::exact)
                require_equal(results, expected_);
            else
                must_be_close(detail::value_as<sum_type<T>>(results[operation::sum]));
        };
        return result;
    }

    /// @param sum_of  called with the array, the number of its elements and that of threads
    template <class Sum>
    [[nodiscard]] implementation peer(std::string const& name, Sum sum_of, int threads) const {
        auto const work = [this, sum_of, threads] { return sum_of(x_.data(), x_.size(), threads); };
        // A result that is stored is a result the compiler must compute.
        auto const kept = std::make_shared<sum_type<T> volatile>();
        implementation result;
        result.name = name;
        result.peer = true;
        result.bytes = x_.bytes();
        result.threads = threads;
        result.call = [work, kept] { *kept = work(); };
        result.verify = [this, work] { must_be_close(work()); };
        return result;
    }

    [[nodiscard]] int threads() const { return threads_; }

  private:
    /// Sums of random exponents are nonsense unless they are exact: they are timed, but not looked at.
    void must_be_close(sum_type<T> sum) const {
        if (kind_.shape != distribution::random_exponents) require_close<T>(sum, expected_);
    }

    data_kind kind_;
    int threads_;
    host_array<T> x_, y_;
    reference<T> expected_;
};

template <class T>
T std_reduce(T const* x, std::int64_t n, int) {
    return std::reduce(x, x + n, T{0});
}

template <class T>
std::vector<implementation> plain_sums(bench<T> const& data) {
    std::vector<implementation> all;
    if constexpr (std::is_floating_point_v<T>) {
        sum_loops<T> const loops = best_sum_loops<T>();
        if (loops.omp_for != nullptr) all.push_back(data.peer("omp-for", loops.omp_for, data.threads()));
        if (loops.omp_for_simd != nullptr) all.push_back(data.peer("omp-for-simd", loops.omp_for_simd, data.threads()));
        if (loops.neumaier != nullptr) all.push_back(data.peer("omp-neumaier", loops.neumaier, data.threads()));
        if (auto const parallel = std_reduce_par_unseq<T>(); parallel != nullptr)
            all.push_back(data.peer("std-reduce-par-unseq", parallel, data.threads()));
    }
    if constexpr (std::is_floating_point_v<T> || std::is_same_v<T, std::int64_t>)
        all.push_back(data.peer("std-reduce-1-thread", std_reduce<T>, 1));
    return all;
}

template <class T>
measured_group measure_sum(group_label label, data_kind kind, settings const& chosen) {
    bench<T> const data{kind, chosen.threads, label.elements, false};
    std::vector<implementation> all = plain_sums(data);
    all.push_back(data.ours("steadfold-exact", operation::sum));
    all.push_back(data.ours("steadfold-fast", operation::sum, reduction_mode::fast));
    label.operation = "sum";
    label.data = name(kind);
    return measure(label, all, host_sampling, chosen);
}

template <class T>
measured_group measure_operations(group_label label, data_kind kind, settings const& chosen) {
    bench<T> const data{kind, chosen.threads, label.elements, is_floating_element<T>};
    std::vector<implementation> all{data.ours("steadfold-exact:sum", operation::sum)};
    for (named_operations const& each : measured_operations())
        if (is_floating_element<T> || !each.operations.intersects(squares_or_norms()))
            all.push_back(data.ours("steadfold-exact:" + each.name, each.operations));
    if (is_floating_element<T>) all.push_back(data.ours("steadfold-exact:dot", operation::dot));
    label.operation = "operations";
    label.data = name(kind);
    return measure(label, all, host_sampling, chosen);
}

} // namespace

measured_group measure_host_sum(group_label const& label, data_kind kind, settings const& chosen) {
    return with_element_type(label.type, [&]<class T>(T) { return measure_sum<T>(label, kind, chosen); });
}

measured_group measure_host_operations(group_label const& label, data_kind kind, settings const& chosen) {
    return with_element_type(label.type, [&]<class T>(T) { return measure_operations<T>(label, kind, chosen); });
}

} // namespace steadfold::inline v0::app
