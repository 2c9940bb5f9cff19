#include "self_check.hpp"

#include "agreement.hpp"

#include <algorithm>
#include <string>

namespace steadfold::inline v0::app {

namespace {

struct variation {
    std::string text;
    conduct how;
};

std::vector<variation> variations(communicator const& world, conduct const& how) {
    std::vector<variation> all;
    auto const add = [&](std::string text, auto const& change) {
        variation v{std::move(text), how};
        v.how.progress = false;
        change(v.how);
        all.push_back(std::move(v));
    };
    bool const cuda = how.processors.front().kind == processor_kind::cuda;
    execution const host{};
    for (int threads : {1, 2, 3})
        add("host, " + std::to_string(threads) + " thread(s)", [&](conduct& c) {
            c.processors.assign(1, host);
            c.processors.front().threads = threads;
        });
    for (std::size_t const divisor : {3u, 17u})
        add("chunks of 1/" + std::to_string(divisor), [&](conduct& c) {
            // A multiple of every element size, but of no tile or vector.
            c.chunk_bytes = std::max<std::size_t>(c.chunk_bytes / divisor / 16, 1) * 16;
        });
    add("the rank's range in 3 shares", [&](conduct& c) { c.processors.assign(3, c.processors.front()); });
    if (world.size() > 1) add("ranges of the next rank", [](conduct& c) { c.rotation = 1; });
    if (cuda)
        for (auto const& [blocks, threads] : {std::pair{1, 32}, {7, 96}, {64, 256}})
            add(std::to_string(blocks) + " blocks of " + std::to_string(threads) + " threads", [&](conduct& c) {
                for (execution& where : c.processors) {
                    where.blocks = blocks;
                    where.threads_per_block = threads;
                }
            });
    return all;
}

std::string first_difference(outcome const& expected, outcome const& got) {
    for (int i = 0; i < operation_count; ++i) {
        auto const op = static_cast<operation>(i);
        if (!expected.operations.contains(op) || expected.results[op] == got.results[op]) continue;
        return std::string(name(op)) + " is " + got.results[op].bit_pattern() + ", not " +
               expected.results[op].bit_pattern();
    }
    return {};
}

} // namespace

int self_check(communicator const& world, settings const& chosen, std::vector<std::string> const& inputs,
               conduct const& how, outcome const& expected) {
    std::vector<variation> const all = variations(world, how);
    for (variation const& v : all) {
        outcome const got = run_job(world, world, chosen, inputs, v.how);
        std::string const difference = first_difference(expected, got);
        agree(world,
              difference.empty() ? "" : "self-check failed for " + expected.input + " (" + v.text + "): " + difference);
    }
    return static_cast<int>(all.size());
}

} // namespace steadfold::inline v0::app
