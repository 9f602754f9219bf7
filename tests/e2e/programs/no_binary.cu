// A program without code for this device: built for sm_75 alone, with no PTX. Its launch fails, the
// rest works.
#include <cuda_runtime.h>

#include "check.h"

__global__ void kernel(int* data) { *data = 5; }

int main() {
    int* device;
    CHECK(cudaMalloc(&device, sizeof(int)));
    kernel<<<1, 1>>>(device);
    cudaError_t error = cudaGetLastError();
    int major = 0;
    CHECK(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, 0));
    if (error == cudaSuccess && major == 7)
        return passed("this device runs sm_75 code: nothing to refuse");
    EXPECT(error == cudaErrorNoKernelImageForDevice, "the launch gave %s (%d)",
           cudaGetErrorName(error), error);
    CHECK(cudaMemset(device, 0, sizeof(int)));
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaFree(device));
    return passed("a kernel without code for this device gives error 209");
}
