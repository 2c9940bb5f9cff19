// What a back end (host, cuda) does for a histogram.
#pragma once

#include "histogram/bin_table.hpp"
#include "steadfold/histogram.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <span>

namespace steadfold::inline v0::histogram_detail {

/// Everything that is counted and how; what ranks must agree on.
struct plan {
    dtype type;
    histogram_bins bins;
    std::optional<std::int64_t> missing;

    [[nodiscard]] int slots() const { return static_cast<int>(bins.count()) + extra_slots; }
    [[nodiscard]] friend bool operator==(plan const&, plan const&) = default;
};

class backend {
  public:
    virtual ~backend() = default;
    /// May return before the data was read; wait() says when it was.
    /// The array has been looked at: it is of the plan's type, not empty, perhaps strided.
    virtual void add(array_view x, stream_ref stream) = 0;
    virtual void wait() = 0;
    /// Adds the counts of everything added since the last call to plan::slots() totals; the back end starts anew.
    virtual void take(std::span<std::int64_t> totals) = 0;
};

/// `plan` must outlive the back end.
[[nodiscard]] std::unique_ptr<backend> make_host_backend(plan const& plan, execution const& where);
/// @throws argument_error if the library was built without CUDA or there is no such device
[[nodiscard]] std::unique_ptr<backend> make_cuda_backend(plan const& plan, execution const& where);

} // namespace steadfold::inline v0::histogram_detail
