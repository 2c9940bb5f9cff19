// The shares of all warps together: every segment whole in one of them, or cut into pieces that cover it once and that
// all say how many they are. Counted one by one, from the definition of the way through elements and segments.
#include "segmented/cuda/row_pieces.hpp"
#include "support/generators.hpp"

#include <gtest/gtest.h>
#include <map>
#include <vector>

namespace {

namespace seg = steadfold::segmented;
using oracle::random_source;

/// What the shares say about one segment.
struct seen {
    int whole = 0;
    std::vector<seg::segment_piece> pieces;
    std::vector<std::int64_t> chunks; // of the pieces
};

struct rows {
    std::vector<std::int64_t> offsets;
    std::int64_t chunk = 1, longest = 1;

    [[nodiscard]] std::int64_t segments() const { return static_cast<std::int64_t>(offsets.size()) - 1; }
    [[nodiscard]] std::int64_t length(std::int64_t s) const {
        return offsets[static_cast<std::size_t>(s) + 1] - offsets[static_cast<std::size_t>(s)];
    }
    /// Every element is a step, and every segment one more.
    [[nodiscard]] std::int64_t steps() const { return offsets.back() - offsets.front() + segments(); }

    [[nodiscard]] seg::call as_call() const {
        seg::call c;
        c.offsets = offsets.data();
        c.elements = offsets.back() + 3;
        c.outputs = segments();
        c.cuts = true;
        c.chunk = chunk;
        c.longest = longest;
        c.chunks = (steps() + chunk - 1) / chunk;
        return c;
    }
};

std::vector<seen> walk(rows const& r) {
    seg::call const c = r.as_call();
    std::vector<seen> all(static_cast<std::size_t>(r.segments()));
    std::int64_t first = 0, reached = 0; // the step at which segment `first` begins
    for (std::int64_t chunk = 0; chunk < c.chunks; ++chunk) {
        std::int64_t last = first;
        for (; last < r.segments() && reached < (chunk + 1) * r.chunk; ++last) reached += r.length(last) + 1;
        seg::row_work const work = seg::work_between(c, chunk, first, last, r.offsets.front());
        for (std::int64_t s = work.first; s < work.last; ++s) ++all[static_cast<std::size_t>(s)].whole;
        for (seg::segment_piece const& piece : {work.head, work.tail}) {
            if (piece.segment < 0) continue;
            seen& of = all[static_cast<std::size_t>(piece.segment)];
            of.pieces.push_back(piece);
            of.chunks.push_back(chunk);
        }
        first = last;
    }
    return all;
}

void expect_once(rows const& r) {
    std::vector<seen> const all = walk(r);
    std::map<std::int64_t, std::int64_t> records;
    for (std::int64_t s = 0; s < r.segments(); ++s) {
        seen const& of = all[static_cast<std::size_t>(s)];
        if (r.length(s) <= r.longest) {
            ASSERT_EQ(of.whole, 1) << "segment " << s;
            ASSERT_TRUE(of.pieces.empty()) << "segment " << s;
            continue;
        }
        ASSERT_EQ(of.whole, 0) << "segment " << s;
        std::int64_t at = r.offsets[static_cast<std::size_t>(s)];
        for (std::size_t i = 0; i < of.pieces.size(); ++i) {
            seg::segment_piece const& piece = of.pieces[i];
            ASSERT_EQ(piece.begin, at) << "segment " << s << " piece " << i;
            ASSERT_GT(piece.end, piece.begin) << "segment " << s << " piece " << i;
            ASSERT_LE(piece.end - piece.begin, r.chunk);
            ASSERT_EQ(piece.pieces, static_cast<std::int64_t>(of.pieces.size())) << "segment " << s << " piece " << i;
            ASSERT_EQ(piece.opened_by, of.chunks.front()) << "segment " << s << " piece " << i;
            at = piece.end;
        }
        ASSERT_EQ(at, r.offsets[static_cast<std::size_t>(s) + 1]) << "segment " << s;
        ASSERT_TRUE(records.emplace(of.chunks.front(), s).second) << "segments share a record: " << s;
    }
}

TEST(row_pieces, of_random_segments_cover_each_of_them_once) {
    random_source random{1};
    for (int i = 0; i < 3000; ++i) {
        rows r;
        r.chunk = random.between(1, 40);
        r.longest = r.chunk + random.between(0, 2) * random.between(0, 30);
        r.offsets = {random.between(0, 5)};
        std::int64_t const segments = random.between(1, 60), most = std::int64_t{1} << random.between(0, 9);
        for (std::int64_t s = 0; s < segments; ++s)
            r.offsets.push_back(r.offsets.back() + (random.coin() ? random.below(most) : random.below(3)));
        ASSERT_NO_FATAL_FAILURE(expect_once(r)) << "chunk " << r.chunk << " longest " << r.longest << " round " << i;
    }
}

// Ends of segments at, before and behind ends of chunks.
TEST(row_pieces, of_segments_that_end_with_a_chunk_are_not_one_too_many) {
    for (std::int64_t chunk = 1; chunk <= 12; ++chunk)
        for (std::int64_t before = 0; before <= 2 * chunk; ++before)
            for (std::int64_t length = chunk + 1; length <= 5 * chunk + 1; ++length) {
                rows const r{{0, before, before + length, before + length + 1}, chunk, chunk};
                ASSERT_NO_FATAL_FAILURE(expect_once(r)) << chunk << ' ' << before << ' ' << length;
            }
}

// Offsets in device memory are looked at while they are used: wherever they lead, not outside of x and of the records.
TEST(row_pieces, of_offsets_out_of_order_stay_inside) {
    random_source random{2};
    for (int i = 0; i < 2000; ++i) {
        rows r;
        for (int s = 0; s < 6; ++s) r.offsets.push_back(random.between(-20, 120));
        r.chunk = r.longest = random.between(1, 20);
        seg::call c = r.as_call();
        c.elements = 100;
        std::int64_t const origin = r.offsets.front();
        for (std::int64_t chunk = 0; chunk < 20; ++chunk)
            for (std::int64_t first = 0; first <= 5; ++first)
                for (std::int64_t last = first; last <= 5; ++last) {
                    seg::row_work const work = seg::work_between(c, chunk, first, last, origin);
                    for (seg::segment_piece const& piece : {work.head, work.tail}) {
                        if (piece.segment < 0) continue;
                        ASSERT_LE(0, piece.begin);
                        ASSERT_LT(piece.begin, piece.end);
                        ASSERT_LE(piece.end, c.elements);
                        ASSERT_LE(0, piece.opened_by);
                        ASSERT_LE(piece.opened_by, chunk);
                    }
                }
    }
}

} // namespace
