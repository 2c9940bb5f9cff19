#include "sweep.hpp"

#include "questions.hpp"

#include <utility>

namespace steadfold::inline v0::app {

namespace {

std::vector<std::int64_t> powers_of_four(int most) {
    std::vector<std::int64_t> sizes;
    for (int exponent = 0; exponent <= most; exponent += 2) sizes.push_back(std::int64_t{1} << exponent);
    return sizes;
}

template <class T>
std::vector<T> given_or(std::vector<T> const& given, std::vector<T> otherwise) {
    return given.empty() ? std::move(otherwise) : given;
}

/// From the largest size down, so that the data is made once.
template <class Run>
void for_sizes_down(std::vector<std::int64_t> const& sizes, Run const& run) {
    for (auto size = sizes.rbegin(); size != sizes.rend(); ++size) run(*size);
}

void ask(device_question question, settings const& chosen, group_sink const& done) {
    question.case_name = "sweep:cuda";
    question.calls = chosen.calls;
    if (can_be_asked(question)) done(measure_on_device(question, chosen));
}

void sweep_sizes(settings const& chosen, group_sink const& done) {
    std::vector<std::int64_t> const sizes = given_or(chosen.elements, powers_of_four(28));
    for (dtype const type : given_or(chosen.types, {dtype::float64, dtype::float32, dtype::float16, dtype::bfloat16,
                                                    dtype::int8, dtype::int16, dtype::int32, dtype::int64}))
        for_sizes_down(sizes, [&](std::int64_t elements) {
            for (char const* const operation : {"dot", "sum", "l1", "l2", "one-pass"}) {
                bool const everywhere = std::string(operation) == "sum";
                if (!everywhere && type != dtype::float64 && type != dtype::float32) continue;
                ask({.type = type, .elements = elements, .kind = chosen.data, .operation = operation}, chosen, done);
            }
        });
}

/// How much an exact sum loses as exponents spread.
void sweep_ranges(settings const& chosen, group_sink const& done) {
    if (!(chosen.data == data_kind{})) return;
    std::int64_t const elements = chosen.elements.empty() ? std::int64_t{1} << 26 : chosen.elements.back();
    for (dtype const type : given_or(chosen.types, {dtype::float64, dtype::float32}))
        for (int const binades : {1, 8, 16, 32, 48, 64, 128, 256, 512, 1024, 0}) {
            if (type != dtype::float64 && binades > 128) continue;
            data_kind const kind{distribution::random_exponents, binades};
            ask({.type = type, .elements = elements, .kind = kind}, chosen, done);
        }
}

void sweep_cuda(settings const& chosen, group_sink const& done) {
    sweep_sizes(chosen, done);
    sweep_ranges(chosen, done);
}

void sweep_host(settings const& chosen, group_sink const& done) {
    for (dtype const type : given_or(chosen.types, {dtype::float64, dtype::float32}))
        for_sizes_down(given_or(chosen.elements, powers_of_four(26)), [&](std::int64_t elements) {
            done(measure_host_sum({"sweep:host", type, elements}, chosen.data, chosen));
        });
}

} // namespace

std::vector<bench_case> sweep_cases() {
    return {{"sweep:cuda", "sizes 1 to 2^28, eight types, five operations, ranges of exponents on a GPU", true, true,
             sweep_cuda},
            {"sweep:host", "sizes 1 to 2^26 on the host", false, true, sweep_host}};
}

} // namespace steadfold::inline v0::app
