// Mapped pinned memory: a kernel reads and writes the host's memory directly.
#include <cuda_runtime.h>

#include "check.h"

__global__ void square(const int* input, int* output, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) output[i] = input[i] * input[i];
}

int main() {
    int can_map = 0;
    CHECK(cudaDeviceGetAttribute(&can_map, cudaDevAttrCanMapHostMemory, 0));
    if (!can_map) return passed("the device says that it cannot map host memory: nothing to do");

    const int n = 20'000;
    int *input, *output, *device_input, *device_output;
    CHECK(cudaHostAlloc(&input, n * sizeof(int), cudaHostAllocMapped));
    CHECK(cudaHostAlloc(&output, n * sizeof(int), cudaHostAllocMapped));
    CHECK(cudaHostGetDevicePointer(&device_input, input, 0));
    CHECK(cudaHostGetDevicePointer(&device_output, output, 0));
    for (int round = 1; round <= 3; round++) {
        for (int i = 0; i < n; i++) {
            input[i] = i % 1000 + round;
            output[i] = -1;
        }
        square<<<(n + 127) / 128, 128>>>(device_input, device_output, n);
        CHECK(cudaGetLastError());
        CHECK(cudaDeviceSynchronize());
        for (int i = 0; i < n; i++) {
            int expected = (i % 1000 + round) * (i % 1000 + round);
            EXPECT(output[i] == expected, "round %d: output[%d] = %d, expected %d", round, i,
                   output[i], expected);
        }
    }
    CHECK(cudaFreeHost(input));
    CHECK(cudaFreeHost(output));
    return passed("kernels read and wrote %d integers of the host's memory", 3 * n);
}
