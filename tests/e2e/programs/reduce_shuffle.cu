// Sum, minimum and votes over a large array with warp shuffles; the blocks are joined by one atomic
// each.
#include <cuda_runtime.h>

#include <algorithm>
#include <climits>
#include <vector>

#include "check.h"

struct Totals {
    unsigned long long sum;
    int minimum;
    unsigned int odd;  // how many elements are odd, counted by ballots
};

__device__ unsigned long long warp_sum(unsigned long long value) {
    for (int offset = 16; offset > 0; offset /= 2)
        value += __shfl_down_sync(0xffffffff, value, offset);
    return value;
}

__device__ int warp_minimum(int value) {
    for (int mask = 16; mask > 0; mask /= 2)
        value = min(value, __shfl_xor_sync(0xffffffff, value, mask));
    return value;
}

__global__ void reduce(const int* input, int n, Totals* totals) {
    __shared__ unsigned long long sums[32];
    __shared__ int minima[32];
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32, warps = blockDim.x / 32;

    unsigned long long sum = 0;
    int minimum = INT_MAX;
    unsigned int odd = 0;
    int stride = gridDim.x * blockDim.x;
    int rounds = (n + stride - 1) / stride;
    for (int round = 0; round < rounds; round++) {
        int i = round * stride + blockIdx.x * blockDim.x + threadIdx.x;
        int value = i < n ? input[i] : 0;
        if (i < n) {
            sum += value;
            minimum = min(minimum, value);
        }
        unsigned int votes = __ballot_sync(0xffffffff, value & 1);
        if (lane == 0) odd += __popc(votes);
    }
    sum = warp_sum(sum);
    minimum = warp_minimum(minimum);
    if (lane == 0) {
        sums[warp] = sum;
        minima[warp] = minimum;
        atomicAdd(&totals->odd, odd);
    }
    __syncthreads();
    if (warp == 0) {
        sum = warp_sum(lane < warps ? sums[lane] : 0);
        minimum = warp_minimum(lane < warps ? minima[lane] : INT_MAX);
        if (lane == 0) {
            atomicAdd(&totals->sum, sum);
            atomicMin(&totals->minimum, minimum);
        }
    }
}

// One warp: broadcasts, rotations, segments, votes and matches, each with an answer that is known.
__global__ void lanes(int* results) {
    int lane = threadIdx.x;
    int bad = 0;
    bad |= (__shfl_sync(0xffffffff, lane * 3, 5) != 15) << 0;
    bad |= (__shfl_sync(0xffffffff, lane, lane + 1) != (lane + 1) % 32) << 1;
    bad |= (__shfl_up_sync(0xffffffff, lane, 3) != (lane < 3 ? lane : lane - 3)) << 2;
    bad |= (__shfl_down_sync(0xffffffff, lane, 2, 8) != (lane % 8 < 6 ? lane + 2 : lane)) << 3;
    bad |= (__shfl_sync(0xffffffff, 1.5 * lane, 4, 16) != 1.5 * (lane / 16 * 16 + 4)) << 4;
    bad |= (__all_sync(0xffffffff, lane < 32) == 0) << 5;
    bad |= (__any_sync(0xffffffff, lane == 40) != 0) << 6;
    bad |= (__match_any_sync(0xffffffff, lane / 8) != 0xffu << lane / 8 * 8) << 7;
    bad |= (__activemask() != 0xffffffff) << 8;
    if (lane < 16) {
        bad |= (__ballot_sync(0x0000ffff, lane & 1) != 0xaaaa) << 9;
        bad |= (__shfl_xor_sync(0x0000ffff, lane, 1) != (lane ^ 1)) << 10;
    }
    __syncwarp();
    results[lane] = bad;
}

int main() {
    const int n = 1 << 20 | 12345;
    std::vector<int> input(n);
    unsigned int state = 1;
    Totals expected = {0, INT_MAX, 0};
    for (int& value : input) {
        state = state * 1664525 + 1013904223;
        value = state >> 4;
        expected.sum += value;
        expected.minimum = std::min(expected.minimum, value);
        expected.odd += value & 1;
    }

    int* device_input;
    Totals* device_totals;
    Totals totals = {0, INT_MAX, 0};
    CHECK(cudaMalloc(&device_input, n * sizeof(int)));
    CHECK(cudaMalloc(&device_totals, sizeof(Totals)));
    CHECK(cudaMemcpy(device_input, input.data(), n * sizeof(int), cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(device_totals, &totals, sizeof totals, cudaMemcpyHostToDevice));
    reduce<<<40, 256>>>(device_input, n, device_totals);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(&totals, device_totals, sizeof totals, cudaMemcpyDeviceToHost));
    EXPECT(totals.sum == expected.sum, "sum %llu, expected %llu", totals.sum, expected.sum);
    EXPECT(totals.minimum == expected.minimum, "minimum %d, expected %d", totals.minimum,
           expected.minimum);
    EXPECT(totals.odd == expected.odd, "%u odd elements, expected %u", totals.odd, expected.odd);

    int results[32];
    lanes<<<1, 32>>>(device_input);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(results, device_input, sizeof results, cudaMemcpyDeviceToHost));
    for (int lane = 0; lane < 32; lane++)
        EXPECT(results[lane] == 0, "lane %d: failed cases 0x%x", lane, results[lane]);

    CHECK(cudaFree(device_input));
    CHECK(cudaFree(device_totals));
    return passed("reduced %d integers to %llu", n, totals.sum);
}
