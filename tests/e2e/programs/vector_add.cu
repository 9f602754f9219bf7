// c = a + b, the first program anybody writes.
#include <cuda_runtime.h>

#include <vector>

#include "check.h"

__global__ void add(const float* a, const float* b, float* c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i];
}

int main() {
    const int n = 1'000'003;
    std::vector<float> a(n), b(n), c(n, -1.0f);
    for (int i = 0; i < n; i++) {
        a[i] = 0.5f * i;
        b[i] = n - i;
    }

    float *device_a, *device_b, *device_c;
    CHECK(cudaMalloc(&device_a, n * sizeof(float)));
    CHECK(cudaMalloc(&device_b, n * sizeof(float)));
    CHECK(cudaMalloc(&device_c, n * sizeof(float)));
    CHECK(cudaMemcpy(device_a, a.data(), n * sizeof(float), cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(device_b, b.data(), n * sizeof(float), cudaMemcpyHostToDevice));

    add<<<(n + 255) / 256, 256>>>(device_a, device_b, device_c, n);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(c.data(), device_c, n * sizeof(float), cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; i++)
        EXPECT(c[i] == a[i] + b[i], "c[%d] = %g, expected %g", i, c[i], a[i] + b[i]);

    CHECK(cudaFree(device_a));
    CHECK(cudaFree(device_b));
    CHECK(cudaFree(device_c));

    cudaDeviceProp properties;
    CHECK(cudaGetDeviceProperties(&properties, 0));
    return passed("vector add of %d elements on %s", n, properties.name);
}
