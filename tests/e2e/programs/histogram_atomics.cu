// A histogram in shared and global memory, then every atomic operation of the language against its
// known result.
#include <cuda_runtime.h>

#include <vector>

#include "check.h"

constexpr int kBins = 64;

__global__ void histogram(const unsigned char* input, int n, unsigned int* bins) {
    __shared__ unsigned int local[kBins];
    for (int i = threadIdx.x; i < kBins; i += blockDim.x) local[i] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&local[input[i] / 4], 1);
    __syncthreads();
    for (int i = threadIdx.x; i < kBins; i += blockDim.x) atomicAdd(&bins[i], local[i]);
}

struct Cells {
    int add, sub, min, max;
    unsigned int inc, dec, umin, umax, bit_and, bit_or, bit_xor, cas_count, exchange;
    unsigned int lock;
    float float_add;
    unsigned int pad;
    double double_add;
    unsigned long long add64, max64, cas64;
    long long min64;
};

__global__ void operate(Cells* cells, unsigned int* seen) {
    unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
    atomicAdd(&cells->add, 2);
    atomicSub(&cells->sub, 3);
    atomicMin(&cells->min, -static_cast<int>(i));
    atomicMax(&cells->max, static_cast<int>(i) - 100);
    atomicMin(&cells->umin, 0x80000000u - i);
    atomicMax(&cells->umax, 0x80000000u + i);
    // The old values of atomicInc count every thread once.
    atomicAdd(&seen[atomicInc(&cells->inc, 0xffffffff)], 1);
    atomicDec(&cells->dec, 9);
    atomicAnd(&cells->bit_and, ~(1u << i % 16));
    atomicOr(&cells->bit_or, 1u << i % 32);
    atomicXor(&cells->bit_xor, 1u << i % 32);
    atomicAdd(&cells->float_add, 0.5f);
    atomicAdd(&cells->double_add, 0.25);
    atomicAdd(&cells->add64, 0x100000001ull);
    atomicMax(&cells->max64, 0x8000000000000000ull + i);
    atomicMin(&cells->min64, -static_cast<long long>(i) * 0x100000000ll);

    unsigned int assumed, old = cells->cas_count;
    do {
        assumed = old;
        old = atomicCAS(&cells->cas_count, assumed, assumed + 1);
    } while (old != assumed);
    unsigned long long assumed64, old64 = cells->cas64;
    do {
        assumed64 = old64;
        old64 = atomicCAS(&cells->cas64, assumed64, assumed64 + 0x200000000ull);
    } while (old64 != assumed64);

    // A lock that one thread of each block takes.
    if (threadIdx.x == 0) {
        while (atomicCAS(&cells->lock, 0, 1) != 0) {
        }
        __threadfence();
        volatile unsigned int* plain = &cells->pad;
        *plain = *plain + 1;
        __threadfence();
        atomicExch(&cells->lock, 0);
    }
    atomicExch(&cells->exchange, 77);
}

int main() {
    const int n = 1'500'000;
    std::vector<unsigned char> input(n);
    std::vector<unsigned int> bins(kBins), expected(kBins, 0);
    unsigned int state = 7;
    for (unsigned char& value : input) {
        state = state * 1664525 + 1013904223;
        value = state >> 24 & state >> 16;  // not uniform, so that some bins are contended
        expected[value / 4]++;
    }
    unsigned char* device_input;
    unsigned int* device_bins;
    CHECK(cudaMalloc(&device_input, n));
    CHECK(cudaMalloc(&device_bins, kBins * sizeof(unsigned int)));
    CHECK(cudaMemcpy(device_input, input.data(), n, cudaMemcpyHostToDevice));
    CHECK(cudaMemset(device_bins, 0, kBins * sizeof(unsigned int)));
    histogram<<<30, 256>>>(device_input, n, device_bins);
    CHECK(cudaGetLastError());
    CHECK(
        cudaMemcpy(bins.data(), device_bins, kBins * sizeof(unsigned int), cudaMemcpyDeviceToHost));
    for (int i = 0; i < kBins; i++)
        EXPECT(bins[i] == expected[i], "bin %d: %u, expected %u", i, bins[i], expected[i]);

    const unsigned int blocks = 16, block = 128, threads = blocks * block;
    Cells cells = {};
    cells.bit_and = 0xffffffff;
    cells.umin = 0xffffffff;
    Cells* device_cells;
    unsigned int* device_seen;
    std::vector<unsigned int> seen(threads);
    CHECK(cudaMalloc(&device_cells, sizeof(Cells)));
    CHECK(cudaMalloc(&device_seen, threads * sizeof(unsigned int)));
    CHECK(cudaMemset(device_seen, 0, threads * sizeof(unsigned int)));
    CHECK(cudaMemcpy(device_cells, &cells, sizeof cells, cudaMemcpyHostToDevice));
    operate<<<blocks, block>>>(device_cells, device_seen);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(&cells, device_cells, sizeof cells, cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(seen.data(), device_seen, threads * sizeof(unsigned int),
                     cudaMemcpyDeviceToHost));

#define SAME(field, value)                                            \
    EXPECT(cells.field == (value), #field " = %.17g, expected %.17g", \
           static_cast<double>(cells.field), static_cast<double>(value))
    SAME(add, 2 * static_cast<int>(threads));
    SAME(sub, -3 * static_cast<int>(threads));
    SAME(min, 1 - static_cast<int>(threads));
    SAME(max, static_cast<int>(threads) - 101);
    SAME(umin, 0x80000000u - (threads - 1));
    SAME(umax, 0x80000000u + (threads - 1));
    SAME(inc, threads);
    SAME(dec, 2u);  // counts 0, 9, 8, ... 1, 0, 9: 2,048 steps through ten values
    SAME(bit_and, 0xffff0000u);
    SAME(bit_or, 0xffffffffu);
    SAME(bit_xor, 0u);
    SAME(float_add, 0.5f * threads);
    SAME(double_add, 0.25 * threads);
    SAME(add64, 0x100000001ull * threads);
    SAME(max64, 0x8000000000000000ull + threads - 1);
    SAME(min64, -static_cast<long long>(threads - 1) * 0x100000000ll);
    SAME(cas_count, threads);
    SAME(cas64, 0x200000000ull * threads);
    SAME(pad, blocks);
    SAME(exchange, 77u);
    for (unsigned int i = 0; i < threads; i++)
        EXPECT(seen[i] == 1, "atomicInc gave %u to %u threads", i, seen[i]);

    CHECK(cudaFree(device_input));
    CHECK(cudaFree(device_bins));
    CHECK(cudaFree(device_cells));
    CHECK(cudaFree(device_seen));
    return passed("histogram of %d bytes, 19 kinds of atomic operation", n);
}
