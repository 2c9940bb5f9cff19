#include "steadfold/results.hpp"

#include "base/floating_environment.hpp"
#include "exact/round.hpp"
#include "steadfold/error.hpp"

#include <array>
#include <bit>
#include <charconv>
#include <cstdio>

namespace steadfold {
inline namespace v0 {

namespace {

template <class T>
std::string shortest(T value) {
    std::array<char, 64> text;
    auto const [end, error] = std::to_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc{} ? std::string(text.data(), end) : std::string{};
}

std::string decimal(result_value const& value, int component) {
    dtype const type = component_type(value.type);
    std::uint64_t const bits = value.bits[static_cast<std::size_t>(component)];
    if (is_integer(type)) return is_signed_integer(type) ? shortest(static_cast<std::int64_t>(bits)) : shortest(bits);
    if (type == dtype::float64) return shortest(value.as_double(component));
    return shortest(static_cast<float>(value.as_double(component))); // exact: float holds every narrower format
}

std::string hexadecimal(result_value const& value, int component) {
    std::array<char, 64> text;
    if (is_integer(value.type))
        std::snprintf(text.data(), text.size(), "0x%llx", static_cast<unsigned long long>(value.bits[0]));
    else
        std::snprintf(text.data(), text.size(), "%a", value.as_double(component));
    return text.data();
}

std::string pattern(result_value const& value, int component) {
    auto const width = static_cast<int>(2 * size_bytes(component_type(value.type)));
    std::uint64_t const mask = width == 16 ? ~std::uint64_t{0} : (std::uint64_t{1} << (4 * width)) - 1;
    std::array<char, 24> text;
    std::snprintf(text.data(), text.size(), "0x%0*llx", width,
                  static_cast<unsigned long long>(value.bits[static_cast<std::size_t>(component)] & mask));
    return text.data();
}

template <class Text>
std::string of_components(result_value const& value, Text&& text) {
    base::default_floating_environment const environment; // subnormals print as 0 where they are taken for 0
    if (!is_complex(value.type)) return text(value, 0);
    return "(" + text(value, 0) + "," + text(value, 1) + ")";
}

} // namespace

double result_value::as_double(int component) const noexcept {
    std::uint64_t const word = bits[static_cast<std::size_t>(component)];
    dtype const part = component_type(type);
    if (part == dtype::float64) return std::bit_cast<double>(word);
    if (is_integer(part))
        return is_signed_integer(part) ? static_cast<double>(static_cast<std::int64_t>(word))
                                       : static_cast<double>(word);
    exact::decomposed const parts = exact::decompose(word, exact::format_of(part));
    if (parts.kind == exact::float_class::nan) return std::bit_cast<double>(0x7ff8000000000000u);
    exact::rounded const wide = parts.kind == exact::float_class::infinite
                                    ? exact::make_infinity(parts.negative, dtype::float64)
                                    : round_to(exact::leading_of_element(word, part), dtype::float64);
    return std::bit_cast<double>(wide.bits);
}

std::string result_value::to_decimal() const {
    return of_components(*this, decimal);
}
std::string result_value::to_hex() const {
    return of_components(*this, hexadecimal);
}
std::string result_value::bit_pattern() const {
    return of_components(*this, pattern);
}

result_value const& reduction_results::operator[](operation op) const {
    if (!operations_.contains(op))
        throw argument_error("the result of \"" + std::string(name(op)) +
                             "\" was not asked for; this reduction computed " + to_string(operations_));
    return values_[static_cast<std::size_t>(op)];
}

void reduction_results::set(operation op, result_value value) noexcept {
    operations_ = operations_ | op;
    values_[static_cast<std::size_t>(op)] = value;
}

} // namespace v0
} // namespace steadfold
