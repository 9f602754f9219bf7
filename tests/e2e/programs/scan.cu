// Inclusive prefix sum in three launches: scan each block, scan the block sums, add them.
#include <cuda_runtime.h>

#include <vector>

#include "check.h"

constexpr int kBlock = 256;

// Kogge and Stone's scan in shared memory; every block leaves its total in sums.
__global__ void scan_blocks(const unsigned int* input, unsigned int* output, unsigned int* sums,
                            int n) {
    __shared__ unsigned int values[2][kBlock];
    int i = blockIdx.x * kBlock + threadIdx.x;
    int current = 0;
    values[current][threadIdx.x] = i < n ? input[i] : 0;
    __syncthreads();
    for (int offset = 1; offset < kBlock; offset *= 2) {
        unsigned int value = values[current][threadIdx.x];
        if (threadIdx.x >= offset) value += values[current][threadIdx.x - offset];
        values[1 - current][threadIdx.x] = value;
        current = 1 - current;
        __syncthreads();
    }
    if (i < n) output[i] = values[current][threadIdx.x];
    if (threadIdx.x == kBlock - 1 && sums) sums[blockIdx.x] = values[current][threadIdx.x];
}

__global__ void add_sums(unsigned int* output, const unsigned int* sums, int n) {
    int i = blockIdx.x * kBlock + threadIdx.x;
    if (blockIdx.x > 0 && i < n) output[i] += sums[blockIdx.x - 1];
}

static void scan(const unsigned int* input, unsigned int* output, int n) {
    int blocks = (n + kBlock - 1) / kBlock;
    if (blocks == 1) {
        scan_blocks<<<1, kBlock>>>(input, output, nullptr, n);
        CHECK(cudaGetLastError());
        return;
    }
    unsigned int* sums;
    CHECK(cudaMalloc(&sums, blocks * sizeof(unsigned int)));
    scan_blocks<<<blocks, kBlock>>>(input, output, sums, n);
    CHECK(cudaGetLastError());
    scan(sums, sums, blocks);
    add_sums<<<blocks, kBlock>>>(output, sums, n);
    CHECK(cudaGetLastError());
    CHECK(cudaFree(sums));
}

int main() {
    for (int n : {1, 255, 256, 257, 100'000, 1'000'001}) {
        std::vector<unsigned int> input(n), output(n);
        for (int i = 0; i < n; i++) input[i] = (i * 2654435761u) >> 20;
        unsigned int *device_input, *device_output;
        CHECK(cudaMalloc(&device_input, n * sizeof(unsigned int)));
        CHECK(cudaMalloc(&device_output, n * sizeof(unsigned int)));
        CHECK(cudaMemcpy(device_input, input.data(), n * sizeof(unsigned int),
                         cudaMemcpyHostToDevice));
        scan(device_input, device_output, n);
        CHECK(cudaMemcpy(output.data(), device_output, n * sizeof(unsigned int),
                         cudaMemcpyDeviceToHost));
        unsigned int sum = 0;
        for (int i = 0; i < n; i++) {
            sum += input[i];
            EXPECT(output[i] == sum, "n %d: output[%d] = %u, expected %u", n, i, output[i], sum);
        }
        CHECK(cudaFree(device_input));
        CHECK(cudaFree(device_output));
    }
    return passed("prefix sums of 1 to 1,000,001 elements");
}
