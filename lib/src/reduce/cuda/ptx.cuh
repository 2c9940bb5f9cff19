// Arithmetic that CUDA C++ has no words for, or would contract or flush with some flags. Instructions only: what runs
// kernels on the CPU in tests puts plain C++ in place of this file, and of nothing else with arithmetic in it.
#pragma once

#include <cstdint>

namespace steadfold::inline v0::cuda {

/// float to double without flushing subnormals, whatever the compiler's flags (EXACT.md, "Compilers").
__device__ inline double widen(float x) {
    double wide;
    asm("cvt.f64.f32 %0, %1;" : "=d"(wide) : "f"(x));
    return wide;
}

/// double to float, rounded to nearest, again without flushing.
__device__ inline float narrow(double x) {
    float result;
    asm("cvt.rn.f32.f64 %0, %1;" : "=f"(result) : "d"(x));
    return result;
}

/// The lower and the upper half of a word.
__device__ inline float widen_low_half(std::uint32_t word) {
    float wide;
    asm("{ .reg .b16 l, h; mov.b32 {l, h}, %1; cvt.f32.f16 %0, l; }" : "=f"(wide) : "r"(word));
    return wide;
}
__device__ inline float widen_high_half(std::uint32_t word) {
    float wide;
    asm("{ .reg .b16 l, h; mov.b32 {l, h}, %1; cvt.f32.f16 %0, h; }" : "=f"(wide) : "r"(word));
    return wide;
}

/// max(a, |b|) of float32 bit patterns; NaN stays.
__device__ inline float max_magnitude(float a, std::uint32_t b) {
    float result;
    asm("{ .reg .f32 m; abs.f32 m, %2; max.NaN.f32 %0, %1, m; }" : "=f"(result) : "f"(a), "f"(__uint_as_float(b)));
    return result;
}
/// min(a, |b|); patterns that are NaN do not count.
__device__ inline float min_magnitude(float a, std::uint32_t b) {
    float result;
    asm("{ .reg .f32 m; abs.f32 m, %2; min.f32 %0, %1, m; }" : "=f"(result) : "f"(a), "f"(__uint_as_float(b)));
    return result;
}
/// max(a, |b|) in each half; NaN stays.
__device__ inline std::uint32_t max_magnitude_of_halves(std::uint32_t a, std::uint32_t b) {
    std::uint32_t result;
    asm("{ .reg .b32 m; abs.f16x2 m, %2; max.NaN.f16x2 %0, %1, m; }" : "=r"(result) : "r"(a), "r"(b));
    return result;
}
__device__ inline std::uint32_t max_magnitude_of_bfloat16s(std::uint32_t a, std::uint32_t b) {
    std::uint32_t result;
    asm("{ .reg .b32 m; abs.bf16x2 m, %2; max.NaN.bf16x2 %0, %1, m; }" : "=r"(result) : "r"(a), "r"(b));
    return result;
}

/// NaN if either is.
__device__ inline float smaller(float a, float b) {
    asm("min.NaN.f32 %0, %0, %1;" : "+f"(a) : "f"(b));
    return a;
}
__device__ inline float larger(float a, float b) {
    asm("max.NaN.f32 %0, %0, %1;" : "+f"(a) : "f"(b));
    return a;
}

/// sum + a b in one instruction, which compilers take apart where they see that a b is short.
__device__ inline std::int64_t add_product(std::int64_t sum, std::int32_t a, std::int32_t b) {
    asm("mad.wide.s32 %0, %1, %2, %0;" : "+l"(sum) : "r"(a), "r"(b));
    return sum;
}
__device__ inline std::int64_t add_product(std::int64_t sum, std::uint32_t a, std::uint32_t b) {
    asm("mad.wide.u32 %0, %1, %2, %0;" : "+l"(sum) : "r"(a), "r"(b));
    return sum;
}

/// The signs of some bytes of a word, a byte of ones or zeros each: of those that the selector names, a hexadecimal
/// digit of it (8 and the number of the byte) for each byte of the result.
__device__ inline std::uint32_t byte_signs(std::uint32_t word, unsigned selector) {
    std::uint32_t result;
    asm("prmt.b32 %0, %1, %1, %2;" : "=r"(result) : "r"(word), "r"(selector));
    return result;
}
inline constexpr unsigned signs_of_bytes = 0xba98, signs_of_halves = 0xbb99, signs_of_words = 0xbbbb,
                          signs_of_halves_as_bytes = 0xb9; // in the two lower bytes

/// Computes something here and keeps it, not later from its parts.
__device__ inline void keep(char const*& address) {
    asm volatile("" : "+l"(address));
}
__device__ inline void keep(int& number) {
    asm volatile("" : "+r"(number));
}

/// Loads constants here: the first use of a line of them takes hundreds of cycles.
template <class Value>
__device__ void load_early(Value const& value) {
    static_assert(sizeof(Value) == 8);
    asm volatile("" : : "l"(value) : "memory");
}

/// "Programmatic dependent launch" (compute capability 9.0): lets the next kernel of the stream start its own
/// preparations, and waits for the one before. Both do nothing in launches without that attribute.
__device__ inline void let_next_kernel_prepare() {
#if __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
}
__device__ inline void wait_for_kernel_before() {
#if __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

/// Of something in shared memory, as instructions on that take it.
__device__ inline std::uint32_t shared_address(void const* pointer) {
    return static_cast<std::uint32_t>(__cvta_generic_to_shared(pointer));
}

} // namespace steadfold::inline v0::cuda
