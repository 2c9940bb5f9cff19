// Exact sums: significands are added up by exponent, and the sums by exponent put together at the end.
#include "support/number_formats.hpp"
#include "support/oracle.hpp"

#include <cmath>
#include <map>
#include <unordered_map>
#include <vector>

namespace oracle {

namespace {

mpz_class to_mpz(__int128 value) {
    bool const negative = value < 0;
    auto const size = negative ? -static_cast<unsigned __int128>(value) : static_cast<unsigned __int128>(value);
    mpz_class result = static_cast<unsigned long>(size >> 64);
    result = (result << 64) + static_cast<unsigned long>(size);
    if (negative) result = -result;
    return result;
}

/// Adds integers of less than 2^107 times powers of two.
class sum_by_exponent {
  public:
    explicit sum_by_exponent(int unit)
        : unit_{unit}, buckets_(static_cast<std::size_t>(unit == 0 ? 1 : 2 - 2 * unit)) {}

    void add(__int128 integer, int exponent) {
        buckets_[static_cast<std::size_t>(exponent - unit_)] += integer;
        if (++pending_ == 1 << 20) flush();
    }
    mpz_class total() {
        flush();
        return total_;
    }

  private:
    void flush() {
        for (std::size_t i = 0; i < buckets_.size(); ++i) {
            if (buckets_[i] == 0) continue;
            total_ += to_mpz(buckets_[i]) << i;
            buckets_[i] = 0;
        }
        pending_ = 0;
    }

    int unit_;
    std::vector<__int128> buckets_;
    mpz_class total_;
    int pending_ = 0;
};

/// A finite value as integer * 2^exponent.
struct scaled {
    __int128 integer;
    int exponent;
};

scaled scale(double value) {
    int exponent = 0;
    double const fraction = std::frexp(value, &exponent);
    if (exponent - 53 >= -1074) return {static_cast<std::int64_t>(std::ldexp(fraction, 53)), exponent - 53};
    return {static_cast<std::int64_t>(std::ldexp(value, 1074)), -1074}; // subnormal
}

struct accumulators {
    explicit accumulators(int unit) : sum{unit}, magnitudes{unit}, products{2 * unit} {}
    sum_by_exponent sum, magnitudes, products;
};

void finish(accumulators& from, component_summary& to) {
    to.sum = from.sum.total();
    to.magnitudes = from.magnitudes.total();
    to.products = from.products.total();
}

bool less(ordered_value const& a, ordered_value const& b) {
    if (a.integer != b.integer) return a.integer < b.integer;
    return a.real < b.real || (a.real == b.real && std::signbit(a.real) && !std::signbit(b.real));
}

void offer(summary& s, ordered_value const& value, std::int64_t index) {
    if (!s.smallest || less(value, *s.smallest)) {
        s.smallest = value;
        s.smallest_at = index;
    }
    if (!s.largest || less(*s.largest, value)) {
        s.largest = value;
        s.largest_at = index;
    }
}

void note_nan(summary& s, std::int64_t index) {
    ++s.nans;
    if (index < s.first_nan) s.first_nan = index;
}

void add_integers(summary& s, std::byte const* data, std::int64_t n, std::optional<std::int64_t> missing,
                  std::int64_t first_index) {
    auto const bytes = static_cast<std::int64_t>(sf::size_bytes(s.type));
    accumulators total{0};
    mpz_class wide_products; // squares of 64-bit values are too wide for the buckets
    s.component[0].only_negative_zeros = false;
    for (std::int64_t i = 0; i < n; ++i) {
        __int128 const value = read_integer(data + i * bytes, s.type);
        if (missing &&
            value == (s.type == sf::dtype::uint64 ? static_cast<__int128>(static_cast<std::uint64_t>(*missing))
                                                  : *missing)) {
            note_nan(s, first_index + i);
            continue;
        }
        __int128 const size = value < 0 ? -value : value;
        total.sum.add(value, 0);
        total.magnitudes.add(size, 0);
        if (bytes < 8)
            total.products.add(value * value, 0);
        else
            wide_products += to_mpz(size) * to_mpz(size);
        s.zeros += value == 0;
        offer(s, {0, value}, first_index + i);
    }
    finish(total, s.component[0]);
    s.component[0].products += wide_products;
}

void add_floats(summary& s, std::byte const* data, std::int64_t n, std::int64_t first_index) {
    sf::dtype const real = sf::component_type(s.type);
    std::size_t const bytes = sf::size_bytes(real);
    int const parts = sf::component_count(s.type);
    std::vector<accumulators> totals(static_cast<std::size_t>(parts), accumulators{s.unit});
    for (std::int64_t i = 0; i < n; ++i) {
        double value[2] = {};
        for (int c = 0; c < parts; ++c)
            value[c] = decode(read_bits(data + static_cast<std::size_t>(i * parts + c) * bytes, bytes), real);
        if (std::isnan(value[0]) || std::isnan(value[1])) {
            note_nan(s, first_index + i);
            continue;
        }
        s.infinities += std::isinf(value[0]) || std::isinf(value[1]);
        s.zeros += value[0] == 0 && value[1] == 0;
        if (parts == 1) offer(s, {value[0], 0}, first_index + i);
        for (int c = 0; c < parts; ++c) {
            component_summary& part = s.component[static_cast<std::size_t>(c)];
            if (value[c] != 0 || !std::signbit(value[c])) part.only_negative_zeros = false;
            if (std::isinf(value[c])) {
                ++(value[c] < 0 ? part.negative_infinities : part.positive_infinities);
                continue;
            }
            scaled const x = scale(value[c]);
            accumulators& total = totals[static_cast<std::size_t>(c)];
            total.sum.add(x.integer, x.exponent);
            total.magnitudes.add(x.integer < 0 ? -x.integer : x.integer, x.exponent);
            total.products.add(x.integer * x.integer, 2 * x.exponent);
        }
    }
    for (std::size_t c = 0; c < totals.size(); ++c) finish(totals[c], s.component[c]);
}

void add_float_pair(summary& s, double a, double b, sum_by_exponent& products) {
    component_summary& part = s.component[0];
    if (std::isnan(a) || std::isnan(b)) {
        ++s.nans;
        return;
    }
    bool const negative = std::signbit(a) != std::signbit(b), any_zero = a == 0 || b == 0;
    if (!(any_zero && negative)) part.only_negative_zeros = false;
    if (std::isinf(a) || std::isinf(b)) {
        if (any_zero)
            ++s.invalid_products;
        else
            ++(negative ? part.negative_infinities : part.positive_infinities);
        return;
    }
    scaled const x = scale(a), y = scale(b);
    products.add(x.integer * y.integer, x.exponent + y.exponent);
}

int unit_of(sf::dtype type) {
    return sf::is_integer(type) ? 0 : -1074;
}

} // namespace

summary summarise(std::byte const* data, std::int64_t n, sf::dtype type, std::optional<std::int64_t> missing,
                  std::int64_t first_index) {
    summary s;
    s.type = type;
    s.unit = unit_of(type);
    s.elements = n;
    if (sf::is_integer(type))
        add_integers(s, data, n, missing, first_index);
    else
        add_floats(s, data, n, first_index);
    return s;
}

summary summarise_pairs(std::byte const* x, std::byte const* y, std::int64_t n, sf::dtype type) {
    summary s;
    s.type = type;
    s.unit = unit_of(type);
    s.elements = n;
    s.pairs = true;
    std::size_t const bytes = sf::size_bytes(type);
    sum_by_exponent products{2 * s.unit};
    for (std::int64_t i = 0; i < n; ++i) {
        std::byte const *a = x + static_cast<std::size_t>(i) * bytes, *b = y + static_cast<std::size_t>(i) * bytes;
        if (sf::is_integer(type)) {
            s.component[0].products += to_mpz(read_integer(a, type)) * to_mpz(read_integer(b, type));
            s.component[0].only_negative_zeros = false;
        } else {
            add_float_pair(s, decode(read_bits(a, bytes), type), decode(read_bits(b, bytes), type), products);
        }
    }
    s.component[0].products += products.total();
    return s;
}

summary repeated(summary one, std::int64_t times) {
    for (std::int64_t* count : {&one.elements, &one.nans, &one.infinities, &one.zeros, &one.invalid_products})
        *count *= times;
    for (component_summary& part : one.component) {
        for (mpz_class* sum : {&part.sum, &part.magnitudes, &part.products}) *sum *= static_cast<long>(times);
        part.positive_infinities *= times;
        part.negative_infinities *= times;
    }
    return one;
}

summary joined(summary earlier, summary const& later) {
    earlier.elements += later.elements;
    earlier.nans += later.nans;
    earlier.infinities += later.infinities;
    earlier.zeros += later.zeros;
    earlier.invalid_products += later.invalid_products;
    if (later.first_nan < earlier.first_nan) earlier.first_nan = later.first_nan;
    for (std::size_t c = 0; c < 2; ++c) {
        component_summary& mine = earlier.component[c];
        component_summary const& theirs = later.component[c];
        mine.sum += theirs.sum;
        mine.magnitudes += theirs.magnitudes;
        mine.products += theirs.products;
        mine.positive_infinities += theirs.positive_infinities;
        mine.negative_infinities += theirs.negative_infinities;
        mine.only_negative_zeros = mine.only_negative_zeros && theirs.only_negative_zeros;
    }
    if (later.smallest) offer(earlier, *later.smallest, later.smallest_at);
    std::int64_t const largest_at = later.largest_at;
    if (later.largest) offer(earlier, *later.largest, largest_at);
    return earlier;
}

} // namespace oracle
