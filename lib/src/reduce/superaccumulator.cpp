#include "base/floating_environment.hpp"
#include "exact/state.hpp"
#include "reduce/finish.hpp"
#include "reduce/host/host_pass.hpp"
#include "reduce/host/isa.hpp"
#include "reduce/plan.hpp"
#include "steadfold/error.hpp"
#include "steadfold/exact.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <string>
#include <utility>

namespace steadfold::inline v0::detail {

using exact::component_state;
using exact::reduction_state;

struct any_superaccumulator::state {
    dtype type;
    reduction_state sums; // always normalised
};

namespace {

reduce_detail::plan sum_plan(dtype type) {
    return reduce_detail::make_plan(type, sum, {});
}

constexpr char magic[4] = {'S', 'F', 'S', 'A'};
constexpr std::uint32_t format_version = 1;

/// Integers in little-endian order, whatever the machine.
class writer {
  public:
    void put(std::uint64_t value, int bytes = 8) {
        for (int i = 0; i < bytes; ++i) bytes_.push_back(static_cast<std::byte>(value >> (8 * i)));
    }
    std::vector<std::byte> take() { return std::move(bytes_); }

  private:
    std::vector<std::byte> bytes_;
};

class reader {
  public:
    explicit reader(std::span<std::byte const> bytes) : bytes_{bytes} {}
    std::uint64_t get(int bytes = 8) {
        if (bytes_.size() < static_cast<std::size_t>(bytes))
            throw argument_error("superaccumulator: the bytes end too early");
        std::uint64_t value = 0;
        for (int i = 0; i < bytes; ++i)
            value |= static_cast<std::uint64_t>(bytes_[static_cast<std::size_t>(i)]) << (8 * i);
        bytes_ = bytes_.subspan(static_cast<std::size_t>(bytes));
        return value;
    }
    [[nodiscard]] bool empty() const { return bytes_.empty(); }

  private:
    std::span<std::byte const> bytes_;
};

std::int64_t get_count(reader& in) {
    auto const value = static_cast<std::int64_t>(in.get());
    if (value < 0) throw argument_error("superaccumulator: a count is negative");
    return value;
}

void require_room(std::int64_t count, std::int64_t more) {
    if (more > std::numeric_limits<std::int64_t>::max() - count)
        throw argument_error("superaccumulator: it holds " + std::to_string(count) + " values and takes 2^63 - 1; " +
                             std::to_string(more) + " more are too many");
}

/// What no accumulator of so many values can hold: digits that would overflow later, or values out of nothing.
void require_plausible(component_state const& part, int limbs, std::int64_t elements) {
    if (part.counts.nan > elements || part.counts.infinite > elements - part.counts.nan ||
        part.counts.positive_infinity > elements || part.counts.negative_infinity > elements)
        throw argument_error("superaccumulator: more special values than values");
    auto const top = static_cast<std::int64_t>(part.sum[limbs - 1]);
    constexpr std::int64_t largest = std::int64_t{1} << 31; // 2^63 values of any type stay below it
    if (top > largest || top < -largest)
        throw argument_error("superaccumulator: the sum is larger than any of so many values");
    bool const zero = std::all_of(part.sum, part.sum + limbs, [](std::uint64_t limb) { return limb == 0; });
    if (elements == 0 && (!zero || part.counts.not_negative_zero != 0))
        throw argument_error("superaccumulator: a sum of no values is not 0");
}

} // namespace

any_superaccumulator::any_superaccumulator(dtype type) : state_{std::make_unique<state>(state{type, {}})} {}
any_superaccumulator::any_superaccumulator(any_superaccumulator const& other)
    : state_{std::make_unique<state>(*other.state_)} {}
any_superaccumulator& any_superaccumulator::operator=(any_superaccumulator const& other) {
    return *this = any_superaccumulator{other};
}
any_superaccumulator::any_superaccumulator(any_superaccumulator&&) noexcept = default;
any_superaccumulator& any_superaccumulator::operator=(any_superaccumulator&&) noexcept = default;
any_superaccumulator::~any_superaccumulator() = default;

void any_superaccumulator::add(void const* values, std::int64_t count) {
    if (count == 0) return;
    require_room(state_->sums.elements, count);
    base::default_floating_environment const environment;
    host::host_pass pass{sum_plan(state_->type), host::choose_level()};
    pass.add(values, count, 0);
    exact::merge(state_->sums, pass.state(), state_->type);
}

void any_superaccumulator::merge(any_superaccumulator const& other) {
    reduction_state theirs = other.state_->sums;
    require_room(state_->sums.elements, theirs.elements);
    exact::merge(state_->sums, theirs, state_->type);
}

std::int64_t any_superaccumulator::count() const noexcept {
    return state_->sums.elements;
}

result_value any_superaccumulator::round(dtype component_result) const {
    reduce_options options;
    options.result = component_result;
    return reduce_detail::finish(state_->sums, sum_plan(state_->type), options)[operation::sum];
}

std::vector<std::byte> any_superaccumulator::serialise() const {
    writer out;
    for (char const c : magic) out.put(static_cast<unsigned char>(c), 1);
    out.put(format_version, 4);
    out.put(static_cast<std::uint64_t>(state_->type), 1);
    out.put(static_cast<std::uint64_t>(state_->sums.elements));
    dtype const real = component_type(state_->type);
    for (int c = 0; c < component_count(state_->type); ++c) {
        component_state const& part = state_->sums.component[c];
        for (std::int64_t const n :
             {part.counts.nan, part.counts.infinite, part.counts.positive_infinity, part.counts.negative_infinity})
            out.put(static_cast<std::uint64_t>(n));
        out.put(part.counts.not_negative_zero != 0 ? 1 : 0, 1); // a flag kept as a count of parts that set it
        int const limbs = exact::sum_layout(real).limbs;
        for (int i = 0; i < limbs; ++i) out.put(part.sum[i], i + 1 < limbs ? 4 : 8);
    }
    return out.take();
}

any_superaccumulator any_superaccumulator::deserialise(std::span<std::byte const> bytes, dtype expected) {
    reader in{bytes};
    for (char const c : magic)
        if (in.get(1) != static_cast<unsigned char>(c)) throw argument_error("these bytes are no superaccumulator");
    if (std::uint64_t const version = in.get(4); version != format_version)
        throw argument_error("superaccumulator of format " + std::to_string(version) + "; this library reads format " +
                             std::to_string(format_version));
    std::uint64_t const type = in.get(1);
    if (type != static_cast<std::uint64_t>(expected))
        throw argument_error("superaccumulator of " +
                             (type < dtype_count ? std::string(name(static_cast<dtype>(type))) : "an unknown type") +
                             ", not of " + std::string(name(expected)));
    any_superaccumulator result{expected};
    result.state_->sums.elements = get_count(in);
    int const limbs = exact::sum_layout(component_type(expected)).limbs;
    for (int c = 0; c < component_count(expected); ++c) {
        component_state& part = result.state_->sums.component[c];
        part.counts.nan = get_count(in);
        part.counts.infinite = get_count(in);
        part.counts.positive_infinity = get_count(in);
        part.counts.negative_infinity = get_count(in);
        part.counts.not_negative_zero = static_cast<std::int64_t>(in.get(1));
        if (part.counts.not_negative_zero > 1) throw argument_error("superaccumulator: a flag is neither 0 nor 1");
        for (int i = 0; i < limbs; ++i) part.sum[i] = in.get(i + 1 < limbs ? 4 : 8);
        require_plausible(part, limbs, result.state_->sums.elements);
    }
    if (!in.empty()) throw argument_error("superaccumulator: there are bytes after its end");
    return result;
}

} // namespace steadfold::inline v0::detail
