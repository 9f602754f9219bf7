// Bitonic sort of keys with values: small strides in shared memory, large ones in global memory.
#include <cuda_runtime.h>

#include <vector>

#include "check.h"

constexpr int kBlock = 512;  // elements sorted in shared memory by a block of half as many threads

__device__ void order(unsigned int* keys, unsigned int* values, int i, int j, bool ascending) {
    if ((keys[i] > keys[j]) == ascending) {
        unsigned int key = keys[i], value = values[i];
        keys[i] = keys[j];
        values[i] = values[j];
        keys[j] = key;
        values[j] = value;
    }
}

// All strides below kBlock for the sizes first .. last.
__global__ void sort_shared(unsigned int* keys, unsigned int* values, int first, int last) {
    __shared__ unsigned int block_keys[kBlock], block_values[kBlock];
    int base = blockIdx.x * kBlock;
    for (int i = threadIdx.x; i < kBlock; i += blockDim.x) {
        block_keys[i] = keys[base + i];
        block_values[i] = values[base + i];
    }
    for (int size = first; size <= last; size *= 2) {
        for (int stride = min(size, kBlock) / 2; stride > 0; stride /= 2) {
            __syncthreads();
            int i = 2 * threadIdx.x - threadIdx.x % stride;
            order(block_keys, block_values, i, i + stride, ((base + i) & size) == 0);
        }
    }
    __syncthreads();
    for (int i = threadIdx.x; i < kBlock; i += blockDim.x) {
        keys[base + i] = block_keys[i];
        values[base + i] = block_values[i];
    }
}

__global__ void sort_stride(unsigned int* keys, unsigned int* values, int size, int stride) {
    int thread = blockIdx.x * blockDim.x + threadIdx.x;
    int i = 2 * thread - thread % stride;
    order(keys, values, i, i + stride, (i & size) == 0);
}

int main() {
    const int n = 1 << 16;
    std::vector<unsigned int> keys(n), values(n), sorted(n), order(n);
    unsigned int state = 3;
    for (int i = 0; i < n; i++) {
        state = state * 1664525 + 1013904223;
        keys[i] = state;
        values[i] = i;
    }
    unsigned int *device_keys, *device_values;
    CHECK(cudaMalloc(&device_keys, n * sizeof(unsigned int)));
    CHECK(cudaMalloc(&device_values, n * sizeof(unsigned int)));
    CHECK(cudaMemcpy(device_keys, keys.data(), n * sizeof(unsigned int), cudaMemcpyHostToDevice));
    CHECK(
        cudaMemcpy(device_values, values.data(), n * sizeof(unsigned int), cudaMemcpyHostToDevice));

    sort_shared<<<n / kBlock, kBlock / 2>>>(device_keys, device_values, 2, kBlock);
    for (int size = 2 * kBlock; size <= n; size *= 2) {
        for (int stride = size / 2; stride >= kBlock; stride /= 2)
            sort_stride<<<n / 2 / 256, 256>>>(device_keys, device_values, size, stride);
        sort_shared<<<n / kBlock, kBlock / 2>>>(device_keys, device_values, size, size);
    }
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(sorted.data(), device_keys, n * sizeof(unsigned int), cudaMemcpyDeviceToHost));
    CHECK(
        cudaMemcpy(order.data(), device_values, n * sizeof(unsigned int), cudaMemcpyDeviceToHost));

    std::vector<bool> seen(n, false);
    for (int i = 0; i < n; i++) {
        EXPECT(i == 0 || sorted[i - 1] <= sorted[i], "keys %d and %d are out of order", i - 1, i);
        EXPECT(order[i] < static_cast<unsigned int>(n) && !seen[order[i]],
               "value %u at %d is lost or doubled", order[i], i);
        EXPECT(keys[order[i]] == sorted[i], "the value at %d has left its key", i);
        seen[order[i]] = true;
    }
    CHECK(cudaFree(device_keys));
    CHECK(cudaFree(device_values));
    return passed("sorted %d pairs", n);
}
