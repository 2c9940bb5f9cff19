// A pass's data as 16-byte vectors, taken in tiles: a tile is a fixed number of vectors for every lane of a warp.
//
// The few components before the first aligned vector and after the last one are two more vectors, numbers `vectors` and
// `vectors` + 1, filled up with padding; vectors beyond them are padding alone. Of strided data a vector is as many
// components as fill 16 bytes, and every vector is read by its elements, as those two are.
#pragma once

#include "reduce/cuda/element.cuh"
#include "reduce/cuda/pass.hpp"

namespace steadfold::inline v0::cuda {

__device__ inline vector16 as_vector(uint4 const& words) {
    return {{words.x, words.y, words.z, words.w}};
}

__device__ inline vector16 load_aligned(void const* address) {
    return as_vector(__ldcs(static_cast<uint4 const*>(address))); // read once: do not keep it in the cache
}

/// `count` components, of elements that are `stride` elements apart, and padding behind them. Also a vector of which
/// only the components are aligned: the second array of a pair that is out of step with the first.
template <class Word, int Components>
__device__ vector16 gather(void const* address, std::int64_t stride, int count, std::uint64_t padding) {
    vector16 v{};
    auto const* parts = static_cast<Word const*>(address);
    constexpr int bytes = sizeof(Word), per_word = 4 / bytes; // 0 for 8-byte elements
#pragma unroll
    for (int i = 0; i < 16 / bytes; ++i) {
        std::int64_t const at = i / Components * Components * stride + i % Components;
        Word const element = i < count ? parts[at] : static_cast<Word>(padding);
        if constexpr (per_word == 0) {
            v.word[2 * i] = static_cast<std::uint32_t>(element);
            v.word[2 * i + 1] = static_cast<std::uint32_t>(element >> 32);
        } else {
            v.word[i / per_word] |= static_cast<std::uint32_t>(element) << (8 * bytes * (i % per_word));
        }
    }
    return v;
}

/// `Bytes` of a component; 0: known at run time only.
template <int Bytes, int Components>
__device__ vector16 gather_elements(void const* address, std::int64_t stride, int bytes, int count,
                                    std::uint64_t padding) {
    if (Bytes == 8 || (Bytes == 0 && bytes == 8))
        return gather<std::uint64_t, Components>(address, stride, count, padding);
    if (Bytes == 4 || (Bytes == 0 && bytes == 4))
        return gather<std::uint32_t, Components>(address, stride, count, padding);
    if (Bytes == 2 || (Bytes == 0 && bytes == 2))
        return gather<std::uint16_t, Components>(address, stride, count, padding);
    return gather<std::uint8_t, Components>(address, stride, count, padding);
}

/// The arrays of a pass, by vector number.
template <class Pass>
class vector_source {
  public:
    __device__ explicit vector_source(pass_arguments const& arguments)
        : arguments_{arguments}, bytes_{Pass::element_bytes != 0 ? Pass::element_bytes : arguments.integer_bytes} {}

    [[nodiscard]] __device__ int width() const { return 16 >> (__ffs(bytes_) - 1); } // no division at run time
    [[nodiscard]] __device__ std::int64_t vectors() const { return arguments_.vectors; }

    [[nodiscard]] __device__ char const* x_address(std::int64_t v) const { return at(arguments_.x, v); }
    /// In pairs of x with itself, y is x, read twice: to move what was read takes more instructions.
    [[nodiscard]] __device__ char const* y_address(std::int64_t v) const {
        return at(has_y() ? arguments_.y : arguments_.x, v);
    }
    [[nodiscard]] __device__ bool has_y() const { return Pass::takes_two && arguments_.y != nullptr; }

    /// Whole vectors. Those of complex data begin with a real part: data that is out of step with 16 bytes is read by
    /// elements.
    [[nodiscard]] __device__ vector16 x(char const* address) const {
        if (Pass::components == 1 || arguments_.x_aligned) return load_aligned(address);
        return elements(address, 1, width(), 0);
    }
    [[nodiscard]] __device__ vector16 y(char const* address) const {
        return arguments_.y_aligned ? load_aligned(address) : elements(address, 1, width(), 0);
    }

    /// Vectors first + u * stride, whatever they are.
    template <int Count>
    __device__ void any(std::int64_t first, int stride, vector16 (&x_vectors)[Count],
                        vector16 (&y_vectors)[Count]) const {
#pragma unroll
        for (int u = 0; u < Count; ++u) {
            std::int64_t const v = first + u * stride;
            bool const whole = v < arguments_.vectors && !arguments_.strided;
            x_vectors[u] = whole ? x(x_address(v)) : padded(Pass::padding_x);
            if constexpr (Pass::takes_two)
                y_vectors[u] = whole ? y(y_address(v)) : padded(Pass::padding_y);
            else
                y_vectors[u] = x_vectors[u];
        }
        bool const reaches_ends = arguments_.has_ends && first + (Count - 1) * stride >= arguments_.vectors;
        if (!arguments_.strided && !reaches_ends) return;
#pragma unroll
        for (int u = 0; u < Count; ++u) {
            std::int64_t const v = first + u * stride;
            if (v <= arguments_.vectors + 1 && (v >= arguments_.vectors || arguments_.strided))
                read(run_of(v), x_vectors[u], y_vectors[u]);
        }
    }

    /// Component j of vector v in the array; a negative number for padding.
    [[nodiscard]] __device__ std::int64_t component(std::int64_t v, int j) const {
        if (v < arguments_.vectors) return arguments_.head + v * width() + j;
        if (v == arguments_.vectors) return j < arguments_.head ? j : -1;
        std::int64_t const i = arguments_.head + arguments_.vectors * width() + j;
        return v == arguments_.vectors + 1 && i < arguments_.length ? i : -1;
    }

    /// The components of a vector that is read one by one: of the two at the ends, or any of strided data.
    struct component_run {
        std::int64_t start;
        int count;
    };
    [[nodiscard]] __device__ component_run run_of(std::int64_t v) const {
        bool const is_head = v == arguments_.vectors;
        std::int64_t const start = is_head ? 0 : arguments_.head + ::min(v, arguments_.vectors) * width();
        return {start,
                static_cast<int>(is_head ? arguments_.head : ::min(std::int64_t{width()}, arguments_.length - start))};
    }
    __device__ void read(component_run const& run, vector16& x_vector, vector16& y_vector) const {
        x_vector = elements(element(arguments_.x, run.start, arguments_.x_stride), arguments_.x_stride, run.count,
                            Pass::padding_x);
        y_vector = x_vector;
        if constexpr (Pass::takes_two) {
            if (has_y())
                y_vector = elements(element(arguments_.y, run.start, arguments_.y_stride), arguments_.y_stride,
                                    run.count, Pass::padding_y);
            else if (run.count < width())
                y_vector = elements(element(arguments_.x, run.start, arguments_.x_stride), arguments_.x_stride,
                                    run.count, Pass::padding_y);
        }
    }

    /// A vector of nothing but padding.
    [[nodiscard]] __device__ static vector16 padded(std::uint64_t padding) {
        if (padding == 0) return {};
        auto const word = static_cast<std::uint32_t>(padding);
        if (Pass::element_bytes == 8)
            return {{0, static_cast<std::uint32_t>(padding >> 32), 0, static_cast<std::uint32_t>(padding >> 32)}};
        std::uint32_t const filled = Pass::element_bytes == 2 ? word * 0x10001u : word;
        return {{filled, filled, filled, filled}};
    }

  private:
    [[nodiscard]] __device__ char const* at(void const* data, std::int64_t v) const {
        return static_cast<char const*>(data) + arguments_.head * bytes_ + v * 16;
    }

    /// The element that begins with component `start`.
    [[nodiscard]] __device__ char const* element(void const* data, std::int64_t start, std::int64_t stride) const {
        return static_cast<char const*>(data) + start * stride * bytes_;
    }

    [[nodiscard]] __device__ vector16 elements(void const* address, std::int64_t stride, int count,
                                               std::uint64_t padding) const {
        return gather_elements<Pass::element_bytes, Pass::components>(address, stride, bytes_, count, padding);
    }

    pass_arguments const& arguments_;
    int bytes_;
};

/// Where a thread reads first, worked out before the data may be read: vectors of x and y, and the window of the launch
/// before. That is asked for ahead of the vectors: behind them it would come when all of the multiprocessor's have.
/// Kept ready for passes that meet in hot words; the others have no registers to spare.
template <class Pass>
struct first_addresses {
    char const *x, *y = nullptr, *hot_top;

    __device__ first_addresses(pass_arguments const& arguments, vector_source<Pass> const& source, std::int64_t v)
        : x{source.x_address(v)}, hot_top{reinterpret_cast<char const*>(&arguments.memory->hot_top)} {
        if constexpr (Pass::takes_two) y = source.y_address(v);
        if constexpr (Pass::meets_hot) {
            keep(x);
            if constexpr (Pass::takes_two) keep(y);
            keep(hot_top);
        }
    }

    [[nodiscard]] __device__ int load_hot_top() const { return __ldcg(reinterpret_cast<int const*>(hot_top)); }
};

/// The vectors of one batch of a thread, to be read again.
template <class Pass, int Count>
struct batch_vectors {
    static constexpr int count = Count;
    vector_source<Pass> const& source;
    std::int64_t tile;
    uint4 const* stage; // where the thread's vectors of x are in shared memory, or null

    /// From one vector of a lane to its next.
    static constexpr int stride = warp_threads;

    [[nodiscard]] __device__ std::int64_t first() const { return tile * (stride * Count) + threadIdx.x % stride; }
    __device__ void read(int u, vector16& x, vector16& y) const {
        if (stage != nullptr) {
            uint4 const* const from = stage + u * stride;
            x = as_vector(from[0]);
            y = Pass::takes_two ? as_vector(from[source.has_y() ? stride * Count : 0]) : x;
            return;
        }
        vector16 xs[1], ys[1];
        source.any(first() + u * stride, 0, xs, ys);
        x = xs[0];
        y = ys[0];
    }
    /// True if not all of the vectors are whole ones of the array.
    [[nodiscard]] __device__ bool has_ends() const {
        return stage == nullptr && first() + (Count - 1) * stride >= source.vectors();
    }
    /// Component j of vector u in the array; a negative number for padding.
    [[nodiscard]] __device__ std::int64_t component(int u, int j) const {
        return source.component(first() + u * stride, j);
    }
};

} // namespace steadfold::inline v0::cuda
