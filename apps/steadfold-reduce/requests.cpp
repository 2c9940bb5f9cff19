#include "requests.hpp"

#include "agreement.hpp"
#include "interrupt.hpp"

#include <cstddef>
#include <filesystem>
#include <span>
#include <string_view>
#include <system_error>

namespace steadfold::inline v0::app {

namespace {

read_options listing_options(settings const& chosen) {
    read_options options;
    options.deadline = chosen.deadline;
    options.raw_type = chosen.raw_type;
    options.raw_offset_bytes = chosen.raw_offset_bytes;
    options.raw_big_endian = chosen.raw_big_endian;
    return options;
}

void refuse_to_replace_input(settings const& chosen, std::string const& input) {
    if (chosen.record.empty() || chosen.existing != existing_record::overwrite) return;
    std::error_code none; // a file that is not there is nothing to replace
    if (std::filesystem::equivalent(chosen.record, parse_dataset_spec(input).file, none))
        throw argument_error("--record " + chosen.record + " would replace the input; give another name");
}

std::vector<request> expanded(settings const& chosen) {
    std::vector<request> jobs;
    if (!chosen.dot.empty()) jobs.push_back({chosen.dot, {}});
    for (std::string const& pattern : chosen.inputs) {
        try {
            for (std::string const& input : expand_inputs(pattern)) jobs.push_back({{input}, {}});
        } catch (error const& e) {
            jobs.push_back({{pattern}, e.what()});
        }
    }
    for (request const& job : jobs)
        for (std::string const& input : job.inputs)
            if (!input.empty()) refuse_to_replace_input(chosen, input);
    return jobs;
}

// A request travels as its failure and inputs, each ended by NUL, which neither can hold, and a NUL more.
std::string packed(std::vector<request> const& jobs) {
    std::string text;
    for (request const& job : jobs) {
        text += job.failure + '\0';
        for (std::string const& input : job.inputs) text += "=" + input + '\0';
        text += '\0';
    }
    return text;
}

std::vector<request> unpacked(std::string_view text) {
    std::vector<request> jobs;
    auto const next = [&text] {
        std::string const item(text.substr(0, text.find('\0')));
        text.remove_prefix(item.size() + 1);
        return item;
    };
    while (!text.empty()) {
        request job;
        job.failure = next();
        for (std::string item = next(); !item.empty(); item = next()) job.inputs.push_back(item.substr(1));
        jobs.push_back(std::move(job));
    }
    return jobs;
}

} // namespace

std::vector<request> requested_jobs(communicator const& world, settings const& chosen) {
    std::string text;
    together(world, [&] {
        if (world.rank() == 0) text = packed(expanded(chosen));
    });
    std::vector<std::size_t> lengths;
    std::vector<std::byte> const all = world.all_gather_varying(std::as_bytes(std::span{text}), lengths);
    return unpacked({reinterpret_cast<char const*>(all.data()), all.size()});
}

bool wants_listing(settings const& chosen) {
    if (chosen.list) return true;
    if (chosen.inputs.size() != 1 || chosen.reduction_wanted || chosen.raw_type || !chosen.dot.empty()) return false;
    std::vector<std::string> const files = expand_inputs(chosen.inputs.front());
    if (files.size() != 1) return false;
    dataset_spec const spec = parse_dataset_spec(files.front());
    if (!spec.path.empty()) return false;
    std::vector<dataset_info> const sets = list_datasets(spec.file, listing_options(chosen));
    return sets.empty() || sets.front().format == file_format::hdf5;
}

listing list_inputs(settings const& chosen) {
    listing found;
    auto const attempt = [&found](auto const& work) {
        try {
            work();
        } catch (error const& e) {
            found.failures.emplace_back(e.what());
        }
    };
    for (std::string const& pattern : chosen.inputs) {
        throw_if_interrupted();
        std::vector<std::string> inputs;
        attempt([&] { inputs = expand_inputs(pattern); });
        for (std::string const& input : inputs) {
            throw_if_interrupted();
            attempt([&] {
                std::string const file = parse_dataset_spec(input).file;
                std::vector<dataset_info> const sets = list_datasets(file, listing_options(chosen));
                if (sets.empty()) throw io_error(file + ": holds no data set");
                found.sets.insert(found.sets.end(), sets.begin(), sets.end());
            });
        }
    }
    return found;
}

} // namespace steadfold::inline v0::app
