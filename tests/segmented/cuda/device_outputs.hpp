// Segmented reductions of a sample that lies on the device, results and all.
#pragma once

#include "reduce/cuda/device_memory.hpp"
#include "segmented/outputs.hpp"

namespace oracle {

constexpr sf::execution on_gpu{.kind = sf::processor_kind::cuda};

inline std::vector<std::byte> bytes_of(std::vector<std::int64_t> const& values) {
    auto const* const first = reinterpret_cast<std::byte const*>(values.data());
    return {first, first + values.size() * sizeof(std::int64_t)};
}

/// Results on the device, brought to an `outputs` on the host.
class device_outputs {
  public:
    device_outputs(std::int64_t count, sf::dtype type)
        : host_{count, type}, count_{count}, type_{type}, data_{static_cast<std::size_t>(host_.bytes())},
          status_{static_cast<std::size_t>(count)} {}

    [[nodiscard]] sf::output_view view() const {
        return {data_.data(), count_, type_, reinterpret_cast<sf::status_flags*>(status_.data())};
    }
    [[nodiscard]] outputs const& fetched() {
        require(cudaDeviceSynchronize());
        require(
            cudaMemcpy(host_.data(), data_.data(), static_cast<std::size_t>(host_.bytes()), cudaMemcpyDeviceToHost));
        require(cudaMemcpy(host_.status(), status_.data(), static_cast<std::size_t>(count_), cudaMemcpyDeviceToHost));
        return host_;
    }

  private:
    outputs host_;
    std::int64_t count_;
    sf::dtype type_;
    device_bytes data_, status_;
};

/// Of x in device memory; the offsets and results are brought there.
inline outputs segments_of_device(sf::array_view x, std::vector<std::int64_t> const& offsets, sf::operation op,
                                  sf::reduce_options const& options) {
    device_bytes const starts{bytes_of(offsets)};
    sf::segmented_reduction reduction{x.type, op, options, on_gpu};
    device_outputs out{std::ssize(offsets) - 1, reduction.result_type()};
    sf::view<std::int64_t const> const device_offsets{reinterpret_cast<std::int64_t const*>(starts.data()),
                                                      offsets.size()};
    reduction.segments(x, device_offsets, out.view());
    reduction.wait();
    return out.fetched();
}

inline outputs axis_of_device(sf::array_view x, std::vector<std::int64_t> const& extents, int axis, sf::operation op,
                              sf::reduce_options const& options) {
    sf::segmented_reduction reduction{x.type, op, options, on_gpu};
    device_outputs out{lines(extents, axis), reduction.result_type()};
    reduction.axis(x, extents, axis, out.view());
    reduction.wait();
    return out.fetched();
}

/// x, offsets and results in device memory, x shifted by `shift` components.
inline outputs segments_on_gpu(sample const& data, std::vector<std::int64_t> const& offsets, sf::operation op,
                               sf::reduce_options const& options, int shift = 0) {
    std::size_t const step = sf::size_bytes(sf::component_type(data.type));
    device_bytes const x{data.bytes, static_cast<std::size_t>(shift) * step};
    return segments_of_device({x.data(), data.n, data.type}, offsets, op, options);
}

inline outputs axis_on_gpu(sample const& data, std::vector<std::int64_t> const& extents, int axis, sf::operation op,
                           sf::reduce_options const& options, int shift = 0) {
    std::size_t const step = sf::size_bytes(sf::component_type(data.type));
    device_bytes const x{data.bytes, static_cast<std::size_t>(shift) * step};
    return axis_of_device({x.data(), data.n, data.type}, extents, axis, op, options);
}

} // namespace oracle
