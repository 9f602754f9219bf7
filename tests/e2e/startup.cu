// The smallest whole use of the CUDA runtime; built once and joined with every libcudart for the
// start-up walk.
#include <cuda_runtime.h>

#include "programs/check.h"

__global__ void triple(int* data) { data[threadIdx.x] *= 3; }

int main() {
    int count = 0, driver = 0, runtime = 0, host[64];
    CHECK(cudaDriverGetVersion(&driver));
    CHECK(cudaRuntimeGetVersion(&runtime));
    CHECK(cudaGetDeviceCount(&count));
    EXPECT(count >= 1, "no device");
    int* device;
    for (int i = 0; i < 64; i++) host[i] = i;
    CHECK(cudaMalloc(&device, sizeof host));
    CHECK(cudaMemcpy(device, host, sizeof host, cudaMemcpyHostToDevice));
    triple<<<1, 64>>>(device);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemcpy(host, device, sizeof host, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 64; i++) EXPECT(host[i] == 3 * i, "element %d is %d", i, host[i]);
    CHECK(cudaFree(device));
    return passed("runtime %d on driver %d, %d device(s)", runtime, driver, count);
}
