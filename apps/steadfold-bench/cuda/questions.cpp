#include "questions.hpp"

#include "operations.hpp"
#include "our_segments.hpp"
#include "ours.hpp"
#include "peers.hpp"
#include "steadfold/error.hpp"

#include <cmath>
#include <memory>
#include <optional>
#include <utility>

namespace steadfold::inline v0::app {

namespace {

constexpr std::int64_t least_bytes_for_bandwidth = std::int64_t{16} << 20;

template <class T>
constexpr bool has_blas = std::is_same_v<T, double> || std::is_same_v<T, float>;

/// Who answers one question.
template <class T>
class answers {
  public:
    answers(device_question const& asked, settings const& chosen)
        : asked_{asked}, threads_{chosen.threads}, data_{data_on_device<T>(asked.kind, asked.elements,
                                                                           needs_pairs(asked.operation),
                                                                           chosen.threads)} {
        if (asked.operation == "operations") {
            add_operations();
            return;
        }
        if (asked.operation == "segments") {
            add_segments();
        } else {
            add_peers();
            add_ours();
        }
        if (asked.bandwidth && bytes() >= least_bytes_for_bandwidth)
            calls_.push_back(
                plain_read(data_->x(), bytes(), exclusive_or_of_words(data_->host().data(), bytes(), threads_)));
    }

    [[nodiscard]] std::vector<device_call> const& calls() const { return calls_; }

  private:
    static bool needs_pairs(std::string const& operation) { return operation == "dot" || operation == "operations"; }
    [[nodiscard]] std::int64_t count() const { return asked_.elements; }
    [[nodiscard]] std::int64_t bytes() const { return count() * static_cast<std::int64_t>(sizeof(T)); }
    /// Who wants results on the host lets them be written there.
    [[nodiscard]] result_place place() const { return asked_.latency ? result_place::pinned : result_place::device; }
    [[nodiscard]] T const* x() const { return data_->x(); }

    void add(std::optional<device_call> call) {
        if (call) calls_.push_back(*std::move(call));
    }

    void add_peers() {
        if (asked_.operation == "sum" || asked_.operation == "one-pass") add_sums();
        if constexpr (has_blas<T>) {
            if (asked_.operation == "dot") add(cublas_dot<T>(x(), data_->y(), count(), close_to_dot()));
            if (asked_.operation == "l1") add(cublas_asum<T>(x(), count(), close_to_l1()));
            if (asked_.operation == "l2") add(cublas_nrm2<T>(x(), count(), close_to_l2()));
        }
    }

    void add_sums() {
        add(cub_sum<T>(x(), count(), close_to_sum(), place()));
        if (asked_.operation == "one-pass") return;
        if constexpr (has_blas<T>) add(cub_gpu_to_gpu_sum<T>(x(), count(), close_to_sum(), place()));
        if constexpr (has_blas<T> || std::is_same_v<T, std::int64_t>)
            if (asked_.latency) add(thrust_sum<T>(x(), count(), close_to_sum()));
    }

    void add_ours() {
        operation_set const operations =
            asked_.operation == "one-pass" ? one_pass_operations() : parse_operations_or_dot(asked_.operation);
        std::string const suffix = asked_.operation == "sum" ? "" : ":" + asked_.operation;
        add(ours<T>("steadfold-exact" + suffix, operations, reduction_mode::exact, data_, count(), place()));
        if (asked_.fast_mode && asked_.operation == "sum")
            add(ours<T>("steadfold-fast", operations, reduction_mode::fast, data_, count(), place()));
    }

    void add_operations() {
        add(ours<T>("steadfold-exact:sum", operation::sum, reduction_mode::exact, data_, count()));
        for (named_operations const& each : measured_operations()) {
            if (!is_floating_element<T> && each.operations.intersects(squares_or_norms())) continue;
            add(ours<T>("steadfold-exact:" + each.name, each.operations, reduction_mode::exact, data_, count()));
        }
        if (is_floating_element<T>)
            add(ours<T>("steadfold-exact:dot", operation::dot, reduction_mode::exact, data_, count()));
    }

    void add_segments() {
        if constexpr (has_blas<T>) {
            std::int64_t const segments = count() / asked_.segment_size;
            auto const expected = std::make_shared<segment_reference<T> const>(
                segment_reference_of(data_->host(), segments, asked_.segment_size, threads_));
            auto const close = [expected](std::vector<T> const& sums) { require_segments(sums, *expected, false); };
            add(cub_fixed_size_segmented_sum<T>(x(), segments, asked_.segment_size, close));
            add(cub_segmented_sum<T>(x(), segments, asked_.segment_size, close));
            auto const exact = [expected](std::vector<T> const& sums) { require_segments(sums, *expected, true); };
            add(our_axis<T>(x(), segments, asked_.segment_size, exact));
            add(our_segments<T>(x(), segments, asked_.segment_size, exact));
        }
    }

    /// Sums of random exponents are nonsense unless they are exact: they are timed, but not looked at.
    [[nodiscard]] bool peers_must_be_close() const { return asked_.kind.shape != distribution::random_exponents; }

    result_check<sum_type<T>> close_to_sum() {
        if (!peers_must_be_close()) return [](sum_type<T>) {};
        return [data = data_, n = count()](sum_type<T> sum) { require_close<T>(sum, data->expected(n)); };
    }
    result_check<T> close_to_dot() {
        if (!peers_must_be_close()) return [](T) {};
        return [data = data_, n = count()](T dot) {
            reference<T> const& expected = data->expected(n);
            require_within(dot, expected.dot, sum_tolerance(expected, expected.l2 * 10 + std::fabs(expected.dot)),
                           "dot");
        };
    }
    result_check<T> close_to_l1() {
        if (!peers_must_be_close()) return [](T) {};
        return [data = data_, n = count()](T l1) {
            reference<T> const& expected = data->expected(n);
            require_within(l1, expected.l1, sum_tolerance(expected, expected.l1), "l1");
        };
    }
    result_check<T> close_to_l2() {
        if (!peers_must_be_close()) return [](T) {};
        return [data = data_, n = count()](T l2) {
            reference<T> const& expected = data->expected(n);
            require_within(l2, expected.l2, sum_tolerance(expected, expected.l2), "l2");
        };
    }

    device_question asked_;
    int threads_;
    std::shared_ptr<device_data<T> const> data_;
    std::vector<device_call> calls_;
};

template <class T>
measured_group measure_as(device_question const& asked, settings const& chosen) {
    detail::owned_stream const stream = detail::make_stream();
    answers<T> const all{asked, chosen};
    std::vector<implementation> timed;
    for (device_call const& call : all.calls())
        timed.push_back(asked.latency ? host_to_host(call, stream.get())
                                      : device_time(call, asked.calls, stream.get()));
    std::string const operation =
        asked.operation + (asked.segment_size > 0 ? ":" + std::to_string(asked.segment_size) : "");
    group_label const label{asked.case_name, asked.type, asked.elements, operation, name(asked.kind)};
    return measure(label, timed, {asked.latency ? "host-to-host" : "device"}, chosen);
}

} // namespace

measured_group measure_on_device(device_question const& asked, settings const& chosen) {
    return with_element_type(asked.type, [&]<class T>(T) { return measure_as<T>(asked, chosen); });
}

} // namespace steadfold::inline v0::app
