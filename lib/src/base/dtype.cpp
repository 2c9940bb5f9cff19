#include "steadfold/dtype.hpp"

#include <array>
#include <string>
#include <utility>

#include "steadfold/error.hpp"

namespace steadfold {
inline namespace v0 {

namespace {
constexpr std::array<std::string_view, dtype_count> names = {
    "float64", "float32", "float16", "bfloat16", "int8",   "int16",     "int32",
    "int64",   "uint8",   "uint16",  "uint32",   "uint64", "complex64", "complex128",
};

constexpr std::array<std::pair<std::string_view, dtype>, 20> aliases = {{
    {"double", dtype::float64}, {"float", dtype::float32}, {"half", dtype::float16},   {"bf16", dtype::bfloat16},
    {"f8", dtype::float64},     {"f4", dtype::float32},    {"f2", dtype::float16},     {"bf2", dtype::bfloat16},
    {"i1", dtype::int8},        {"i2", dtype::int16},      {"i4", dtype::int32},       {"i8", dtype::int64},
    {"u1", dtype::uint8},       {"u2", dtype::uint16},     {"u4", dtype::uint32},      {"u8", dtype::uint64},
    {"c8", dtype::complex64},   {"c16", dtype::complex128}, {"int", dtype::int32},     {"long", dtype::int64},
}};
} // namespace

std::string_view name(dtype type) noexcept { return names[static_cast<std::size_t>(type)]; }

dtype parse_dtype(std::string_view text) {
    for (std::size_t i = 0; i < names.size(); ++i)
        if (text == names[i]) return static_cast<dtype>(i);
    for (auto const& [alias, type] : aliases)
        if (text == alias) return type;
    std::string known;
    for (auto const& known_name : names) known.append(known.empty() ? "" : ", ").append(known_name);
    throw argument_error("unknown element type \"" + std::string(text) + "\"; use one of " + known);
}

} // namespace v0
} // namespace steadfold
