// A program that was compiled in parts: its kernel calls a function and reads a constant of another
// file. A GPU that the linked code does not fit has its driver link the parts anew.
#include <cuda_runtime.h>

#include "../check.h"

extern __device__ int twice(int value);
extern __constant__ int offsets[2];

__global__ void fill(int* out) { out[threadIdx.x] = twice(threadIdx.x) + offsets[threadIdx.x & 1]; }

int main() {
    const int n = 64;
    int *device, host[n];
    CHECK(cudaMalloc(&device, sizeof host));
    fill<<<1, n>>>(device);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(host, device, sizeof host, cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; i++)
        EXPECT(host[i] == 2 * i + (i & 1 ? 7 : 3), "%d: found %d", i, host[i]);
    CHECK(cudaFree(device));
    return passed("a kernel of two parts");
}
