#include "io/protocol.hpp"
#include "io/reader_process.hpp"
#include "io/serve.hpp"
#include "io/shared_buffers.hpp"
#include "steadfold/dataset.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

namespace steadfold::inline v0 {

namespace {
using namespace io_detail;

read_options checked(read_options options) {
    using namespace std::chrono;
    if (options.deadline <= nanoseconds{0}) throw argument_error("the deadline for reading must be above zero");
    if (options.buffer_bytes < 16 || options.buffer_bytes > std::size_t{1} << 46)
        throw argument_error("buffer_bytes must be from 16 to 2^46, not " + std::to_string(options.buffer_bytes));
    options.deadline = std::min<nanoseconds>(options.deadline, hours{24 * 365});
    return options;
}

std::string label(dataset_spec const& spec) {
    return spec.path.empty() ? spec.file : spec.file + ":" + spec.path;
}

std::vector<dataset_info> received_infos(reader_process& process) {
    auto const answer = process.receive();
    if (answer.header.kind == reply_kind::io_failure) throw io_error(text_of(answer));
    return decode_infos(answer.payload);
}
} // namespace

std::vector<dataset_info> list_datasets(std::string const& file, read_options const& given) {
    auto const options = checked(given);
    reader_process process(file, options, [&](int socket) { serve_list(socket, file, options); });
    return received_infos(process);
}

struct dataset_reader::state {
    state(dataset_spec const& spec, read_options const& options)
        : buffers(options.buffer_bytes), process(label(spec), options, [&](int socket) {
              serve_dataset(socket, spec, options, {buffers.buffer(0), buffers.buffer(1)});
          }) {
        auto infos = received_infos(process);
        if (infos.size() != 1) throw io_error(label(spec) + ": its reader process sent a damaged reply");
        info = std::move(infos.front());
        chunk = static_cast<std::int64_t>(options.buffer_bytes / size_bytes(info.type));
    }

    void take_reply() {
        auto const answer = process.receive();
        auto const buffer = static_cast<std::size_t>(answer.header.buffer);
        if (buffer > 1 || requests[buffer] != request::pending)
            throw io_error(info.file + ": its reader process sent a reply to nothing; is the file corrupt?");
        seconds += answer.header.seconds;
        requests[buffer] = request::answered;
        failures[buffer] = text_of(answer);
    }

    enum class request { none, pending, answered };

    shared_buffers buffers;
    reader_process process;
    dataset_info info;
    std::int64_t chunk = 1;
    double seconds = 0;
    std::array<request, 2> requests{};
    std::array<std::string, 2> failures; ///< of an answered request; empty: success
};

dataset_reader::dataset_reader(dataset_spec const& spec, read_options const& options)
    : state_(std::make_unique<state>(spec, checked(options))) {}
dataset_reader::dataset_reader(dataset_reader&&) noexcept = default;
dataset_reader& dataset_reader::operator=(dataset_reader&&) noexcept = default;
dataset_reader::~dataset_reader() = default;

dataset_info const& dataset_reader::info() const noexcept {
    return state_->info;
}
std::int64_t dataset_reader::chunk_elements() const noexcept {
    return state_->chunk;
}
std::byte* dataset_reader::buffer(int index) noexcept {
    return state_->buffers.buffer(index);
}
double dataset_reader::read_seconds() const noexcept {
    return state_->seconds;
}
int dataset_reader::process_id() const noexcept {
    return state_->process.id();
}

void dataset_reader::start(int buffer, std::int64_t first, std::int64_t count) {
    auto& s = *state_;
    if (buffer != 0 && buffer != 1)
        throw argument_error("there is no buffer " + std::to_string(buffer) + "; use 0 or 1");
    if (first < 0 || count < 0 || count > s.info.elements || first > s.info.elements - count)
        throw argument_error(s.info.file + ": elements " + std::to_string(first) + " and the next " +
                             std::to_string(count) + " were asked for, it has " + std::to_string(s.info.elements));
    if (count > s.chunk)
        throw argument_error(s.info.file + ": " + std::to_string(count) +
                             " elements were asked for at once, a buffer holds " + std::to_string(s.chunk) +
                             "; raise buffer_bytes");
    auto& request = s.requests[static_cast<std::size_t>(buffer)];
    if (request != state::request::none)
        throw argument_error(s.info.file + ": buffer " + std::to_string(buffer) +
                             " is still being filled; wait for it first");
    s.process.send({first, count, buffer});
    request = state::request::pending;
}

void dataset_reader::wait(int buffer) {
    auto& s = *state_;
    if (buffer != 0 && buffer != 1)
        throw argument_error("there is no buffer " + std::to_string(buffer) + "; use 0 or 1");
    auto& request = s.requests[static_cast<std::size_t>(buffer)];
    if (request == state::request::none)
        throw argument_error(s.info.file + ": nothing was started for buffer " + std::to_string(buffer));
    while (request == state::request::pending) s.take_reply();
    request = state::request::none;
    auto const failure = std::exchange(s.failures[static_cast<std::size_t>(buffer)], {});
    if (!failure.empty()) throw io_error(failure);
}

namespace {
/// After an error: leaves the reader without a read under way.
void drain(dataset_reader& reader, int buffer) {
    try {
        reader.wait(buffer);
    } catch (error const&) { // the first error is the one to report
    }
}
} // namespace

void read_all(dataset_reader& reader, void* destination) {
    auto const total = reader.info().elements, step = reader.chunk_elements();
    auto const bytes = static_cast<std::int64_t>(size_bytes(reader.info().type));
    auto const start = [&](int buffer, std::int64_t first) {
        if (first < total) reader.start(buffer, first, std::min(step, total - first));
    };
    int current = 0;
    start(current, 0);
    for (std::int64_t first = 0; first < total; first += step, current = 1 - current) {
        start(1 - current, first + step);
        try {
            reader.wait(current);
        } catch (...) {
            if (first + step < total) drain(reader, 1 - current);
            throw;
        }
        std::memcpy(static_cast<std::byte*>(destination) + first * bytes, reader.buffer(current),
                    static_cast<std::size_t>(std::min(step, total - first) * bytes));
    }
}

} // namespace steadfold::inline v0
