// Tiled matrix product: once with static shared memory, once with dynamic shared memory beyond 48
// KiB where the device offers it.
#include <cuda_runtime.h>

#include <vector>

#include "check.h"

constexpr int kTile = 16;

__global__ void multiply(const float* a, const float* b, float* c, int rows, int inner,
                         int columns) {
    __shared__ float tile_a[kTile][kTile];
    __shared__ float tile_b[kTile][kTile + 1];
    int row = blockIdx.y * kTile + threadIdx.y;
    int column = blockIdx.x * kTile + threadIdx.x;
    float sum = 0.0f;
    for (int start = 0; start < inner; start += kTile) {
        int k = start + threadIdx.x;
        tile_a[threadIdx.y][threadIdx.x] = row < rows && k < inner ? a[row * inner + k] : 0.0f;
        k = start + threadIdx.y;
        tile_b[threadIdx.y][threadIdx.x] =
            k < inner && column < columns ? b[k * columns + column] : 0.0f;
        __syncthreads();
        for (int i = 0; i < kTile; i++) sum += tile_a[threadIdx.y][i] * tile_b[i][threadIdx.x];
        __syncthreads();
    }
    if (row < rows && column < columns) c[row * columns + column] = sum;
}

// Each block keeps a whole strip of a in shared memory.
__global__ void multiply_strip(const float* a, const float* b, float* c, int rows, int inner,
                               int columns) {
    extern __shared__ float strip[];
    int first = blockIdx.x * kTile;
    for (int i = threadIdx.x; i < kTile * inner; i += blockDim.x)
        strip[i] = first + i / inner < rows ? a[first * inner + i] : 0.0f;
    __syncthreads();
    for (int i = threadIdx.x; i < kTile * columns; i += blockDim.x) {
        int row = i / columns, column = i % columns;
        float sum = 0.0f;
        for (int k = 0; k < inner; k++) sum += strip[row * inner + k] * b[k * columns + column];
        if (first + row < rows) c[(first + row) * columns + column] = sum;
    }
}

static void compare(const std::vector<float>& found, const std::vector<float>& expected,
                    const char* what) {
    for (size_t i = 0; i < found.size(); i++)
        EXPECT(found[i] == expected[i], "%s: c[%zu] = %g, expected %g", what, i, found[i],
               expected[i]);
}

int main() {
    const int rows = 150, inner = 900, columns = 70;
    // Small integers: every sum is exact, whatever the order of the additions.
    std::vector<float> a(rows * inner), b(inner * columns), c(rows * columns),
        expected(rows * columns, 0.0f);
    for (size_t i = 0; i < a.size(); i++) a[i] = static_cast<int>(i * 7 % 13) - 6;
    for (size_t i = 0; i < b.size(); i++) b[i] = static_cast<int>(i * 5 % 11) - 5;
    for (int i = 0; i < rows; i++)
        for (int k = 0; k < inner; k++)
            for (int j = 0; j < columns; j++)
                expected[i * columns + j] += a[i * inner + k] * b[k * columns + j];

    float *device_a, *device_b, *device_c;
    CHECK(cudaMalloc(&device_a, a.size() * sizeof(float)));
    CHECK(cudaMalloc(&device_b, b.size() * sizeof(float)));
    CHECK(cudaMalloc(&device_c, c.size() * sizeof(float)));
    CHECK(cudaMemcpy(device_a, a.data(), a.size() * sizeof(float), cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(device_b, b.data(), b.size() * sizeof(float), cudaMemcpyHostToDevice));

    dim3 grid((columns + kTile - 1) / kTile, (rows + kTile - 1) / kTile), block(kTile, kTile);
    multiply<<<grid, block>>>(device_a, device_b, device_c, rows, inner, columns);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(c.data(), device_c, c.size() * sizeof(float), cudaMemcpyDeviceToHost));
    compare(c, expected, "static shared memory");

    int optin = 0;
    CHECK(cudaDeviceGetAttribute(&optin, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0));
    const int strip_bytes =
        kTile * inner * sizeof(float);  // 57,600: more than a block gets without asking
    bool large = optin >= strip_bytes;
    if (large) {
        EXPECT_ERROR((multiply_strip<<<1, 32, strip_bytes>>>(device_a, device_b, device_c, rows,
                                                             inner, columns),
                      cudaGetLastError()),
                     cudaErrorInvalidValue);
        CHECK(cudaFuncSetAttribute(multiply_strip, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                   strip_bytes));
        CHECK(cudaMemset(device_c, 0xff, c.size() * sizeof(float)));
        multiply_strip<<<(rows + kTile - 1) / kTile, 128, strip_bytes>>>(
            device_a, device_b, device_c, rows, inner, columns);
        CHECK(cudaGetLastError());
        CHECK(cudaMemcpy(c.data(), device_c, c.size() * sizeof(float), cudaMemcpyDeviceToHost));
        compare(c, expected, "dynamic shared memory");
    }

    CHECK(cudaFree(device_a));
    CHECK(cudaFree(device_b));
    CHECK(cudaFree(device_c));
    return passed("%dx%d = %dx%d * %dx%d%s", rows, columns, rows, inner, inner, columns,
                  large ? ", also with 57,600 bytes of dynamic shared memory" : "");
}
