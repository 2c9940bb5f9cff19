#include "segmented/outputs.hpp"

#include "steadfold/reduce.hpp"
#include "support/number_formats.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <gtest/gtest.h>
#include <limits>

namespace oracle {

namespace {

constexpr std::size_t margin = 64;
constexpr std::byte untouched{0xa5};
constexpr auto untouched_status = static_cast<sf::status_flags>(0xa5);

} // namespace

outputs::outputs(std::int64_t count, sf::dtype type)
    : count_{count}, type_{type}, data_(2 * margin + static_cast<std::size_t>(count) * sf::size_bytes(type), untouched),
      status_(2 * margin + static_cast<std::size_t>(count), untouched_status) {}

sf::output_view outputs::view() {
    return {data(), count_, type_, status()};
}
std::byte* outputs::data() {
    return data_.data() + margin;
}
std::int64_t outputs::bytes() const {
    return static_cast<std::int64_t>(data_.size() - 2 * margin);
}
sf::status_flags* outputs::status() {
    return status_.data() + margin;
}

void outputs::expect(sf::dtype input, sf::operation op, sf::reduce_options const& options, elements_of const& elements,
                     std::string const& label) const {
    sf::reduce_options as_if = options; // elements marked as missing are left out under either policy
    if (options.missing) as_if.nans = sf::nan_policy::ignore;
    auto const part_bytes = sf::size_bytes(sf::component_type(type_));
    auto const parts = static_cast<std::size_t>(sf::component_count(type_));
    for (std::int64_t i = 0; i < count_; ++i) {
        std::vector<std::byte> const of_one = elements(i);
        auto const n = static_cast<std::int64_t>(of_one.size() / sf::size_bytes(input));
        sf::result_value const expected = evaluate(summarise(of_one.data(), n, input, options.missing), op, as_if);
        sf::result_value got{type_, {}, status_[margin + static_cast<std::size_t>(i)]};
        for (std::size_t c = 0; c < parts; ++c) {
            std::size_t const at = margin + (static_cast<std::size_t>(i) * parts + c) * part_bytes;
            got.bits[c] = read_bits(data_.data() + at, part_bytes);
            if (sf::is_signed_integer(type_)) {
                auto const spare = static_cast<int>(64 - 8 * part_bytes);
                got.bits[c] = static_cast<std::uint64_t>(static_cast<std::int64_t>(got.bits[c] << spare) >> spare);
            }
        }
        expect_same(got, expected, op,
                    label + " output " + std::to_string(i) + " of " + std::to_string(n) + " elements " +
                        describe(options));
    }
    auto const is_untouched = [](auto const& all, auto value) {
        return std::count(all.begin(), all.begin() + margin, value) == margin &&
               std::count(all.end() - margin, all.end(), value) == margin;
    };
    EXPECT_TRUE(is_untouched(data_, untouched)) << label << ": written outside of the output";
    EXPECT_TRUE(is_untouched(status_, untouched_status)) << label << ": written outside of the status output";
}

void outputs::expect_those_of_reduce(sf::dtype input, sf::operation op, sf::reduce_options const& options,
                                     elements_of const& elements, std::string const& label) const {
    std::size_t const size = sf::size_bytes(type_);
    for (std::int64_t i = 0; i < count_; ++i) {
        std::vector<std::byte> const bytes = elements(i);
        auto const n = static_cast<std::int64_t>(bytes.size() / sf::size_bytes(input));
        sf::result_value const one = sf::reduce({}, {bytes.data(), n, input}, op, options)[op];
        std::string const what = std::string(sf::name(op)) + " of " + label + ", output " + std::to_string(i);
        std::size_t const at = static_cast<std::size_t>(i);
        EXPECT_EQ(std::memcmp(data_.data() + margin + size * at, &one.bits[0], size), 0) << what;
        EXPECT_EQ(status_[margin + at], one.status) << what;
    }
}

elements_of segments_of(sample const& s, std::vector<std::int64_t> const& offsets) {
    return [&s, &offsets](std::int64_t i) {
        auto const at = static_cast<std::size_t>(i);
        return std::vector<std::byte>(s.at(offsets[at]), s.at(offsets[at + 1]));
    };
}

elements_of lines_of(sample const& s, std::vector<std::int64_t> const& extents, int axis) {
    std::int64_t inner = 1;
    for (std::size_t i = static_cast<std::size_t>(axis) + 1; i < extents.size(); ++i) inner *= extents[i];
    std::int64_t const length = extents[static_cast<std::size_t>(axis)];
    return [&s, inner, length](std::int64_t i) {
        std::vector<std::byte> line;
        for (std::int64_t a = 0; a < length; ++a) {
            std::int64_t const element = (i / inner * length + a) * inner + i % inner;
            line.insert(line.end(), s.at(element), s.at(element + 1));
        }
        return line;
    };
}

std::int64_t lines(std::vector<std::int64_t> const& extents, int axis) {
    std::int64_t count = 1;
    for (std::size_t i = 0; i < extents.size(); ++i)
        if (i != static_cast<std::size_t>(axis)) count *= extents[i];
    return count;
}

std::vector<std::int64_t> random_offsets(std::int64_t n, random_source& random,
                                         std::function<std::int64_t()> const& length) {
    std::vector<std::int64_t> offsets{random.coin() ? 0 : random.below(std::min<std::int64_t>(n, 5) + 1)};
    while (offsets.back() < n && offsets.size() < 5000) {
        std::int64_t const step = random.below(8) == 0 ? 0 : length();
        offsets.push_back(std::min(n, offsets.back() + step));
        if (random.below(200) == 0) break; // some elements at the end belong to no segment
    }
    return offsets;
}

std::vector<std::int64_t> equal_offsets(std::int64_t parts, std::int64_t length) {
    std::vector<std::int64_t> offsets;
    for (std::int64_t i = 0; i <= parts; ++i) offsets.push_back(i * length);
    return offsets;
}

std::vector<sf::operation> factor_operations_for(sf::dtype type) {
    std::vector<sf::operation> operations;
    if (!sf::is_complex(type)) operations.push_back(sf::operation::product);
    if (sf::is_integer(type))
        for (auto const op : {sf::operation::bit_and, sf::operation::bit_or, sf::operation::bit_xor})
            operations.push_back(op);
    return operations;
}

sample draw_factors(sf::dtype type, std::int64_t n, random_source& random) {
    auto const classes = classes_of(type);
    if (sf::is_integer(type))
        return generate(classes[static_cast<std::size_t>(random.below(std::ssize(classes)))], type, n, random.bits());
    constexpr double factors[] = {1, -1, 2, 0.5, -4, 3};
    constexpr double special[] = {0.0, -0.0, HUGE_VAL, -HUGE_VAL, std::numeric_limits<double>::quiet_NaN()};
    bool const has_special = random.coin();
    std::vector<double> values(static_cast<std::size_t>(n));
    for (double& value : values) {
        value = factors[random.below(300) == 0 ? 5 : random.below(5)];
        if (has_special && random.below(500) == 0) value = special[random.below(5)];
    }
    return sample_of(type, values, "few bits");
}

std::vector<sf::operation> operations_for(sf::dtype type) {
    std::vector<sf::operation> operations{sf::operation::any, sf::operation::every};
    for (int i = 0; i < sf::operation_count; ++i)
        if (operations_of(type).contains(static_cast<sf::operation>(i)))
            operations.push_back(static_cast<sf::operation>(i));
    return operations;
}

sf::reduce_options drawn_options(sf::dtype type, random_source& random) {
    sf::reduce_options options;
    options.nans = random.coin() ? sf::nan_policy::ignore : sf::nan_policy::propagate;
    options.ddof = random.coin() ? 1 : 0;
    constexpr sf::dtype types[] = {sf::dtype::float64,  sf::dtype::float32, sf::dtype::float16,
                                   sf::dtype::bfloat16, sf::dtype::int8,    sf::dtype::int32,
                                   sf::dtype::int64,    sf::dtype::uint16,  sf::dtype::uint64};
    if (random.below(3) == 0) options.result = types[random.below(sf::is_complex(type) ? 2 : 9)];
    if (sf::is_integer(type) && random.below(3) == 0) options.missing = random.between(-2, 2);
    return options;
}

} // namespace oracle
