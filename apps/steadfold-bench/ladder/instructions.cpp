#include "ladder/instructions.hpp"

#include "base/cuda_check.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>
#include <filesystem>
#include <future>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

namespace steadfold::inline v0::app::ladder {

namespace {

/// Standard output of a shell command; empty if it failed.
std::string output_of(std::string const& command) {
    std::FILE* const pipe = popen(command.c_str(), "r");
    if (pipe == nullptr) return {};
    std::string text;
    std::array<char, 65536> part;
    for (std::size_t n = 0; (n = std::fread(part.data(), 1, part.size(), pipe)) > 0;) text.append(part.data(), n);
    return pclose(pipe) == 0 ? text : std::string();
}

std::string in_quotes(std::string const& text) {
    std::string all = "'";
    for (char const c : text) all.append(c == '\'' ? "'\\''" : std::string(1, c));
    return all + "'";
}

std::string_view trimmed(std::string_view text) {
    auto const first = text.find_first_not_of(" \t"), last = text.find_last_not_of(" \t\r");
    return first == std::string_view::npos ? std::string_view() : text.substr(first, last - first + 1);
}

/// Of "BRA 0x1a0": 0x1a0. -1: not a branch.
long branch_target(std::string_view instruction) {
    if (!instruction.starts_with("BRA 0x")) return -1;
    long target = -1;
    std::from_chars(instruction.data() + 6, instruction.data() + instruction.size(), target, 16);
    return target;
}

/// What a line like "/*01a0*/  @P0 BRA 0x1b0 ;  /* encoding */" says; empty if it is no such line, and "" for a branch
/// to itself, which follows the last instruction.
std::optional<std::string_view> instruction_in(std::string_view line) {
    line = trimmed(line);
    auto const end = line.find("*/"), semicolon = line.find(';');
    if (!line.starts_with("/*") || semicolon == std::string_view::npos || end > semicolon) return {};
    long address = -1;
    auto const [after, failure] = std::from_chars(line.data() + 2, line.data() + end, address, 16);
    if (failure != std::errc{} || after != line.data() + end) return {};
    std::string_view const instruction = trimmed(line.substr(end + 2, semicolon - end - 2));
    return branch_target(instruction) == address ? std::string_view() : instruction;
}

} // namespace

std::map<std::string, int> parse_disassembly(std::string const& text) {
    constexpr std::string_view heading = "Function : ";
    std::map<std::string, int> counts;
    int* count = nullptr;
    int idle = 0; // NOPs that count only if something follows
    for (std::size_t begin = 0; begin < text.size();) {
        std::size_t const end = std::min(text.find('\n', begin), text.size());
        std::string_view const line = trimmed(std::string_view(text).substr(begin, end - begin));
        begin = end + 1;
        if (line.starts_with(heading)) {
            count = &counts[std::string(line.substr(heading.size()))];
            idle = 0;
        } else if (auto const found = instruction_in(line); count != nullptr && found && !found->empty()) {
            ++idle;
            if (*found != "NOP") *count += std::exchange(idle, 0);
        }
    }
    return counts;
}

machine_code count_instructions(std::vector<void const*> const& kernels, int binary_version) {
    std::error_code failure;
    std::string const program = std::filesystem::read_symlink("/proc/self/exe", failure).string();
    std::string const before = "PATH=\"$PATH:${CUDA_HOME:-/usr/local/cuda}/bin\" cuobjdump -sass -arch sm_" +
                               std::to_string(binary_version) + " -fun ";
    struct counted {
        std::string name;
        std::future<std::string> text;
    };
    std::map<void const*, counted> all; // one process a kernel, side by side: each takes half a second
    for (void const* kernel : kernels) {
        char const* name = nullptr;
        detail::check(cudaFuncGetName(&name, kernel), "asking for a kernel's name");
        if (all.contains(kernel)) continue;
        std::string const command = before + in_quotes(name) + " " + in_quotes(program) + " 2>/dev/null";
        all[kernel] = {name, std::async(std::launch::async, output_of, command)};
    }
    machine_code result;
    for (auto& [kernel, one] : all) {
        std::map<std::string, int> const counts = parse_disassembly(one.text.get());
        if (auto const found = counts.find(one.name); found != counts.end())
            result.instructions[kernel] = found->second;
    }
    if (result.instructions.empty())
        result.why_not = "instructions are not counted: that needs the CUDA toolkit's cuobjdump and nvdisasm";
    return result;
}

} // namespace steadfold::inline v0::app::ladder
