// How calls are cut among the warps of a device: everything is covered, no digit sum can overflow, and reserve() asks
// for enough.
#include "segmented/arguments.hpp"
#include "segmented/cuda/work_plan.hpp"
#include "support/generators.hpp"

#include <bit>
#include <gtest/gtest.h>

namespace {

namespace sf = steadfold;
namespace seg = steadfold::segmented;
using oracle::random_source;

/// Never looked into.
void* address(std::uintptr_t value) {
    return reinterpret_cast<void*>(value);
}

struct request {
    sf::operation op;
    sf::dtype type;
    std::int64_t warps;
    bool has_quick;
};

request random_request(random_source& random) {
    constexpr sf::operation operations[] = {sf::operation::sum, sf::operation::l1, sf::operation::l2,
                                            sf::operation::max, sf::operation::variance};
    constexpr sf::dtype types[] = {sf::dtype::float64, sf::dtype::float32, sf::dtype::bfloat16, sf::dtype::int8,
                                   sf::dtype::uint64};
    return {operations[random.below(5)], types[random.below(5)], std::int64_t{1} << random.between(0, 14),
            random.coin()};
}

/// A length of any magnitude.
std::int64_t any_length(random_source& random, int bits) {
    return random.below(std::int64_t{1} << random.between(0, bits));
}

void expect_sound(seg::work_plan const& plan, request const& asked, std::int64_t outputs, std::int64_t elements) {
    seg::call const& c = plan.arguments;
    ASSERT_GE(c.chunks, 1);
    ASSERT_GE(c.chunk, 1);
    EXPECT_LE(plan.records, seg::most_records(elements, outputs, asked.has_quick, asked.warps));
    EXPECT_EQ(c.lanes, std::bit_ceil(static_cast<unsigned>(c.lanes)));
    EXPECT_LE(c.lanes, 32);
}

/// All of the work has a chunk, and no chunk is one too many: it would be launched, and given a record, for nothing.
void expect_exact_cover(seg::call const& c, std::int64_t work) {
    EXPECT_GE(c.chunks * c.chunk, work);
    EXPECT_LT((c.chunks - 1) * c.chunk, work);
}

/// So many fold values of 2^(spacing - 1), and errors of products beside them, must fit an int64.
void expect_room(seg::call const& c, std::int64_t elements) {
    __int128 const most = static_cast<__int128>(elements) * (c.shape.product_limbs > 0 ? 2 : 1)
                          << static_cast<unsigned>(c.spacing - 1);
    EXPECT_LE(most, static_cast<__int128>(1) << 63);
}

TEST(work_plan, of_rows_covers_every_row_once) {
    random_source random{1};
    for (int i = 0; i < 20000; ++i) {
        request const asked = random_request(random);
        std::int64_t const length = any_length(random, 24), rows = 1 + any_length(random, 22);
        auto const settings = seg::make_settings(asked.type, asked.op, {});
        std::vector<std::int64_t> const extents{rows, length};
        auto const problem = problem_of_axis(settings, {address(8), rows * length, asked.type}, extents, 1,
                                             {address(std::uintptr_t{1} << 60), rows, settings.result});
        auto const plan = plan_work(settings, problem, asked.has_quick, asked.warps);
        seg::call const& c = plan.arguments;
        expect_sound(plan, asked, rows, rows * length);
        if (c.cuts) {
            expect_exact_cover(c, rows * (length + seg::segment_cost));
            EXPECT_GE(c.longest, c.chunk); // a long one is the last to begin in a chunk
            EXPECT_EQ(plan.records, c.chunks);
        } else {
            expect_exact_cover(c, rows);
        }
        expect_room(c, c.cuts ? std::max(c.chunk, c.longest) : length);
    }
}

TEST(work_plan, of_segments_covers_all_that_offsets_can_reach) {
    random_source random{2};
    for (int i = 0; i < 20000; ++i) {
        request const asked = random_request(random);
        std::int64_t const elements = any_length(random, 40), segments = 1 + any_length(random, 24);
        auto const settings = seg::make_settings(asked.type, asked.op, {});
        sf::view<std::int64_t const> const offsets{static_cast<std::int64_t const*>(address(std::uintptr_t{1} << 59)),
                                                   segments + 1};
        auto const problem = problem_of_segments(settings, {address(8), elements, asked.type}, offsets,
                                                 {address(std::uintptr_t{1} << 60), segments, settings.result});
        auto const plan = plan_work(settings, problem, asked.has_quick, asked.warps);
        expect_sound(plan, asked, segments, elements);
        EXPECT_TRUE(plan.arguments.cuts);
        // By the average, rounded up: the lengths of segments in device memory are not known.
        std::int64_t const average = (elements + segments - 1) / segments;
        expect_exact_cover(plan.arguments, segments * (average + seg::segment_cost));
        EXPECT_EQ(plan.records, plan.arguments.chunks);
        expect_room(plan.arguments, std::max(plan.arguments.chunk, plan.arguments.longest));
    }
}

TEST(work_plan, of_columns_covers_every_element_once) {
    random_source random{3};
    for (int i = 0; i < 20000; ++i) {
        request const asked = random_request(random);
        std::int64_t const outer = 1 + any_length(random, 10), inner = 2 + any_length(random, 12);
        std::int64_t const length = any_length(random, 26);
        auto const settings = seg::make_settings(asked.type, asked.op, {});
        std::vector<std::int64_t> const extents{outer, length, inner};
        auto const problem = problem_of_axis(settings, {address(8), outer * length * inner, asked.type}, extents, 1,
                                             {address(std::uintptr_t{1} << 60), outer * inner, settings.result});
        auto const plan = plan_work(settings, problem, asked.has_quick, asked.warps);
        seg::call const& c = plan.arguments;
        expect_sound(plan, asked, outer * inner, outer * length * inner);
        EXPECT_GE(c.parts * c.chunk, length);
        EXPECT_LT((c.parts - 1) * c.chunk, std::max<std::int64_t>(length, 1));
        std::int64_t const groups = asked.has_quick ? (c.outputs + 31) / 32 : c.outputs;
        EXPECT_EQ(c.chunks, groups * c.parts);
        EXPECT_EQ(plan.records, c.parts > 1 ? c.outputs : 0);
        EXPECT_LE(c.chunk, seg::longest_piece);
        expect_room(c, c.chunk);
    }
}

TEST(work_plan, of_nothing_needs_no_warp) {
    auto const settings = seg::make_settings(sf::dtype::float64, sf::operation::sum, {});
    auto const plan = plan_work(settings,
                                problem_of_segments(settings, {nullptr, 0, sf::dtype::float64},
                                                    std::vector<std::int64_t>{0}, {nullptr, 0, sf::dtype::float64}),
                                true, 100);
    EXPECT_EQ(plan.arguments.chunks, 0);
    EXPECT_EQ(plan.records, 0);
}

} // namespace
