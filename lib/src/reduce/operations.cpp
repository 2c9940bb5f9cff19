#include "steadfold/operations.hpp"

#include "steadfold/error.hpp"

#include <array>
#include <utility>

namespace steadfold {
inline namespace v0 {

namespace {
constexpr std::array<std::string_view, operation_count> names = {
    "sum", "mean", "sumsq", "l1",  "l2",   "linf",  "var", "std",   "min",    "max",   "argmin", "argmax", "count",
    "nan", "inf",  "zero",  "dot", "dotc", "wmean", "any", "every", "bitand", "bitor", "bitxor", "prod"};

constexpr operation_set everything = sum | mean | sum_of_squares | l1 | l2 | linf | variance | stddev | extrema |
                                     count | nan_count | inf_count | zero_count;

constexpr std::array<std::pair<std::string_view, operation_set>, 13> groups = {{
    {"all", everything},
    {"extrema", extrema},
    {"minmax", min | max},
    {"variance", variance},
    {"stddev", stddev},
    // The names of the library.
    {"sum_of_squares", sum_of_squares},
    {"nan_count", nan_count},
    {"inf_count", inf_count},
    {"zero_count", zero_count},
    {"bit_and", bit_and},
    {"bit_or", bit_or},
    {"bit_xor", bit_xor},
    {"product", product},
}};

std::string_view without_blanks(std::string_view word) {
    while (word.starts_with(' ')) word.remove_prefix(1);
    while (word.ends_with(' ')) word.remove_suffix(1);
    return word;
}

operation_set parse_word(std::string_view word) {
    for (int i = 0; i < operation_count; ++i)
        if (word == names[static_cast<std::size_t>(i)]) return static_cast<operation>(i);
    for (auto const& [group, set] : groups)
        if (word == group) return set;
    std::string known;
    for (int i = 0; i < operation_count; ++i)
        if (!of_pairs.contains(static_cast<operation>(i)))
            known.append(known.empty() ? "" : ", ").append(names[static_cast<std::size_t>(i)]);
    throw argument_error("unknown operation \"" + std::string(word) + "\"; use all, extrema, or some of " + known);
}
} // namespace

std::string_view name(operation op) noexcept {
    return names[static_cast<std::size_t>(op)];
}

std::string to_string(operation_set set) {
    std::string text;
    for (int i = 0; i < operation_count; ++i)
        if (set.contains(static_cast<operation>(i)))
            text.append(text.empty() ? "" : ",").append(names[static_cast<std::size_t>(i)]);
    return text;
}

operation_set parse_operations(std::string_view text) {
    operation_set set;
    while (!text.empty()) {
        std::size_t const comma = text.find(',');
        set = set | parse_word(without_blanks(text.substr(0, comma)));
        text = comma == std::string_view::npos ? std::string_view{} : text.substr(comma + 1);
    }
    if (set.empty()) throw argument_error("no operation given; use all, or names separated by commas, e.g. sum,mean");
    return set;
}

} // namespace v0
} // namespace steadfold
