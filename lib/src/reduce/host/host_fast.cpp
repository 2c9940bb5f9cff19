// `fast` mode on the host: plain float64 adds, in an order fixed by the tiles and the number of threads.
#include "exact/element.hpp"
#include "reduce/host/host_pass.hpp"

#include <bit>

namespace steadfold::inline v0::host {

using namespace reduce_detail;

namespace {
bool finite(double x) {
    return exact::is_finite_bits(std::bit_cast<std::uint64_t>(x));
}
} // namespace

void host_pass::fast(tile const& t, bool special) {
    int const body = special ? 0 : t.n - t.n % tile_multiple;
    fast_sums sums{};
    if (body > 0) (plan_.fast_features == feature_sum ? kernels_.fast_sum : kernels_.fast)(t.x, body, &sums);
    for (int i = body; i < t.n; ++i) { // Inf and NaN are counted elsewhere and left out here
        bool const skip =
            !finite(t.x[i]) || (components_ == 2 && exact::is_nan_bits(std::bit_cast<std::uint64_t>(t.x[i ^ 1])));
        if (skip) continue;
        sums.sum[i & 1] += t.x[i];
        sums.magnitude[i & 1] += std::bit_cast<std::uint64_t>(t.x[i]) >> 63 ? -t.x[i] : t.x[i];
        sums.square[i & 1] += t.x[i] * t.x[i];
    }
    for (int parity = 0; parity < 2; ++parity) {
        exact::component_state& state = state_.component[components_ == 2 ? parity : 0];
        state.fast_sum += sums.sum[parity];
        state.fast_magnitudes += sums.magnitude[parity];
        state.fast_products += sums.square[parity];
    }
}

void host_pass::fast_pairs(double const* x, double const* y, int n) {
    int const body = n - n % tile_multiple;
    double total = body > 0 ? kernels_.fast_dot(x, y, body) : 0;
    for (int i = body; i < n; ++i) total += x[i] * y[i];
    if (!finite(total)) {
        count_pair_specials(x, y, n);
        total = 0;
        for (int i = 0; i < n; ++i)
            if (finite(x[i]) && finite(y[i])) total += x[i] * y[i];
    }
    state_.component[0].fast_products += total;
}

} // namespace steadfold::inline v0::host
