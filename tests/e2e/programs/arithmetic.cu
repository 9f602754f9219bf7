// Integer, floating-point and half arithmetic of the device against the host's, over many operand
// pairs.
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <vector>

#include "check.h"

struct Results {
    uint32_t quotient, remainder, high, shifted, population, leading, reversed, permuted, funnel;
    int32_t signed_quotient, signed_remainder, clamped, first, dot;
    uint64_t wide_quotient, wide_high;
    int64_t wide_signed;
    float root, reciprocal, fused, sine, exponential, logarithm, power, rounded, half_sum;
    double wide_root, wide_sine, wide_exponential, wide_fused;
    int32_t to_int;
    uint32_t to_unsigned;
};

__global__ void compute(const uint64_t* a, const uint64_t* b, Results* results, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    uint32_t x = a[i], y = b[i] | 1;
    uint64_t wide_x = a[i], wide_y = b[i] | 1;
    Results r;
    r.quotient = x / y;
    r.remainder = x % y;
    r.high = __umulhi(x, y);
    r.shifted = x >> (y & 31) ^ x << (x & 31);
    r.population = __popc(x);
    r.leading = __clz(x);
    r.reversed = __brev(x);
    r.permuted = __byte_perm(x, y, 0x5140);
    r.funnel = __funnelshift_l(x, y, y & 31);
    int32_t signed_x = x, signed_y = y;
    r.signed_quotient = signed_y == -1 ? 0 : signed_x / signed_y;
    r.signed_remainder = signed_y == -1 ? 0 : signed_x % signed_y;
    r.clamped = max(-1000, min(1000, signed_x));
    r.first = __ffs(x);
    r.dot = __dp4a(signed_x, signed_y, 7);
    r.wide_quotient = wide_x / wide_y;
    r.wide_high = __umul64hi(wide_x, wide_y);
    r.wide_signed = static_cast<int64_t>(wide_x) >> (wide_y & 63);

    float f = x / 65536.0f + 0.25f, g = static_cast<int32_t>(y) / 4294967296.0f;
    r.root = sqrtf(f);
    r.reciprocal = 1.0f / f;
    r.fused = fmaf(f, g, 1.0f);
    r.sine = sinf(g * 6.0f);
    r.exponential = expf(g * 8.0f);
    r.logarithm = logf(f);
    r.power = powf(f, g);
    r.rounded = rintf(f) + floorf(g) + truncf(f * 0.1f);
    r.half_sum = __half2float(__hadd(__float2half(g), __float2half(0.125f)));
    double d = f, e = g;
    r.wide_root = sqrt(d);
    r.wide_sine = sin(e * 10.0);
    r.wide_exponential = exp(e * 20.0);
    r.wide_fused = fma(d, e, -0.5);
    r.to_int = static_cast<int32_t>(g * 1000.0f);
    r.to_unsigned = static_cast<uint32_t>(f);
    results[i] = r;
}

static bool near(double found, double expected, double relative) {
    return std::fabs(found - expected) <= relative * std::fabs(expected) + 1e-37;
}

static float half_round(
    float value) {  // to 11 bits, ties to even; enough for |value| in the range of normal halves
    int exponent;
    float fraction = std::frexp(value, &exponent);
    return std::ldexp(std::nearbyint(std::ldexp(fraction, 11)), exponent - 11);
}

static int32_t dot_bytes(uint32_t x, uint32_t y, int32_t sum) {
    for (int shift = 0; shift < 32; shift += 8)
        sum += static_cast<int8_t>(x >> shift) * static_cast<int8_t>(y >> shift);
    return sum;
}

int main() {
    const int n = 5000;
    std::vector<uint64_t> a(n), b(n);
    uint64_t state = 5;
    for (int i = 0; i < n; i++) {
        state = state * 6364136223846793005ull + 1442695040888963407ull;
        a[i] = (state >> 3 ^ state << 30) >> state % 50;
        state = state * 6364136223846793005ull + 1442695040888963407ull;
        b[i] = (state >> 3 ^ state << 30) >> (state >> 40) % 50;
    }
    uint64_t *device_a, *device_b;
    Results* device_results;
    std::vector<Results> results(n);
    CHECK(cudaMalloc(&device_a, n * sizeof(uint64_t)));
    CHECK(cudaMalloc(&device_b, n * sizeof(uint64_t)));
    CHECK(cudaMalloc(&device_results, n * sizeof(Results)));
    CHECK(cudaMemcpy(device_a, a.data(), n * sizeof(uint64_t), cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(device_b, b.data(), n * sizeof(uint64_t), cudaMemcpyHostToDevice));
    compute<<<(n + 63) / 64, 64>>>(device_a, device_b, device_results, n);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(results.data(), device_results, n * sizeof(Results), cudaMemcpyDeviceToHost));

#define SAME(field, value)                                                                        \
    EXPECT(r.field == static_cast<decltype(r.field)>(value),                                      \
           #field " of pair %d (%llx, %llx): %.17g, expected %.17g", i, (unsigned long long)a[i], \
           (unsigned long long)b[i], static_cast<double>(r.field), static_cast<double>(value))
#define NEAR(field, value, relative)                                                              \
    EXPECT(near(r.field, value, relative),                                                        \
           #field " of pair %d (%llx, %llx): %.17g, expected %.17g", i, (unsigned long long)a[i], \
           (unsigned long long)b[i], static_cast<double>(r.field), static_cast<double>(value))
    for (int i = 0; i < n; i++) {
        const Results& r = results[i];
        uint32_t x = a[i], y = b[i] | 1;
        uint64_t wide_x = a[i], wide_y = b[i] | 1;
        SAME(quotient, x / y);
        SAME(remainder, x % y);
        SAME(high, static_cast<uint64_t>(x) * y >> 32);
        SAME(shifted, (x >> (y & 31) ^ x << (x & 31)));
        SAME(population, __builtin_popcount(x));
        SAME(leading, x ? __builtin_clz(x) : 32);
        uint32_t reversed = 0;
        for (int bit = 0; bit < 32; bit++) reversed |= (x >> bit & 1) << (31 - bit);
        SAME(reversed, reversed);
        SAME(permuted,
             ((x & 0xff) | (y & 0xff) << 8 | (x >> 8 & 0xff) << 16 | (y >> 8 & 0xff) << 24));
        SAME(funnel, ((static_cast<uint64_t>(y) << 32 | x) << (y & 31) >> 32));
        int32_t signed_x = x, signed_y = y;
        SAME(signed_quotient, signed_y == -1 ? 0 : signed_x / signed_y);
        SAME(signed_remainder, signed_y == -1 ? 0 : signed_x % signed_y);
        SAME(clamped, signed_x < -1000 ? -1000 : signed_x > 1000 ? 1000 : signed_x);
        SAME(first, __builtin_ffs(x));
        SAME(dot, dot_bytes(x, y, 7));
        SAME(wide_quotient, wide_x / wide_y);
        SAME(wide_high, static_cast<unsigned __int128>(wide_x) * wide_y >> 64);
        SAME(wide_signed, static_cast<int64_t>(wide_x) >> (wide_y & 63));

        // The device contracts a multiplication and an addition into one rounding; by a power of
        // two that changes nothing.
        float f = x / 65536.0f + 0.25f, g = static_cast<int32_t>(y) / 4294967296.0f;
        SAME(root, std::sqrt(f));
        SAME(reciprocal, 1.0f / f);
        SAME(fused, std::fma(f, g, 1.0f));
        NEAR(sine, std::sin(g * 6.0f), 1e-5);
        NEAR(exponential, std::exp(g * 8.0f), 1e-6);
        EXPECT(std::fabs(r.logarithm - std::log(f)) < 2e-6 * (1 + std::fabs(std::log(f))),
               "logarithm of %g: %g", f, r.logarithm);
        NEAR(power, std::pow(f, g), 2e-6);
        NEAR(rounded, std::rint(f) + std::floor(g) + std::trunc(f * 0.1f), 1e-6);
        if (std::fabs(g) > 1e-3f) NEAR(half_sum, half_round(half_round(g) + 0.125f), 1e-6);
        double d = f, e = g;
        SAME(wide_root, std::sqrt(d));
        NEAR(wide_sine, std::sin(e * 10.0), 1e-14);
        NEAR(wide_exponential, std::exp(e * 20.0), 1e-14);
        SAME(wide_fused, std::fma(d, e, -0.5));
        SAME(to_int, static_cast<int32_t>(g * 1000.0f));
        SAME(to_unsigned, f);
    }
    CHECK(cudaFree(device_a));
    CHECK(cudaFree(device_b));
    CHECK(cudaFree(device_results));
    return passed("30 operations on %d pairs agree with the host", n);
}
