// Errors arrive at the call that causes them, with the code that CUDA documents, and the program
// goes on.
#include <cuda_runtime.h>

#include <cstdint>

#include "check.h"

__global__ void touch(int* data) { data[threadIdx.x] = threadIdx.x; }

__global__ void __launch_bounds__(64) narrow(int* data) { data[threadIdx.x] = threadIdx.x; }

#define EXPECT_LAUNCH_ERROR(launch, expected)       \
    do {                                            \
        launch;                                     \
        EXPECT_ERROR(cudaGetLastError(), expected); \
    } while (0)

// What <<<>>> gives for a grid or block of a shape that no device runs; code compiled by nvcc 13
// for cudart 13 gives another.
const cudaError_t kBadShape =
    CUDART_VERSION >= 13000 ? cudaErrorInvalidValue : cudaErrorInvalidConfiguration;

int main() {
    int* device;
    int host[32] = {};
    CHECK(cudaMalloc(&device, 1024 * sizeof(int)));

    for (dim3 block : {dim3(1025), dim3(0), dim3(1, 1, 65), dim3(32, 33)})
        EXPECT_LAUNCH_ERROR((touch<<<1, block>>>(device)), kBadShape);
    for (dim3 grid : {dim3(0), dim3(1, 65536), dim3(1, 1, 65536), dim3(0x80000000u)})
        EXPECT_LAUNCH_ERROR((touch<<<grid, 32>>>(device)), kBadShape);
    EXPECT_LAUNCH_ERROR((touch<<<1, 32, 10 << 20>>>(device)), cudaErrorInvalidValue);
    EXPECT_LAUNCH_ERROR((touch<<<1, 32, (48 << 10) + 1>>>(device)), cudaErrorInvalidValue);
    EXPECT_LAUNCH_ERROR((narrow<<<1, 65>>>(device)), cudaErrorInvalidValue);
    CHECK(cudaGetLastError());

    void* huge = reinterpret_cast<void*>(16);
    EXPECT_ERROR(cudaMalloc(&huge, size_t{1} << 50), cudaErrorMemoryAllocation);
    EXPECT_ERROR(cudaGetLastError(), cudaErrorMemoryAllocation);
    EXPECT_ERROR(cudaGetLastError(), cudaSuccess);

    // A little at a time until nothing is left: the failing call says so, and afterwards all is as
    // before.
    size_t available = 0, total = 0;
    CHECK(cudaMemGetInfo(&available, &total));
    void* parts[64] = {};
    cudaError_t error = cudaSuccess;
    int held = 0;
    while (held < 64 && (error = cudaMalloc(&parts[held], total / 16)) == cudaSuccess) held++;
    EXPECT(error == cudaErrorMemoryAllocation && held > 0 && held < 17,
           "%d sixteenths of the memory, then error %d", held, error);
    for (int i = 0; i < held; i++) CHECK(cudaFree(parts[i]));
    (void)cudaGetLastError();

    EXPECT_ERROR(
        cudaMemcpy(host, reinterpret_cast<void*>(0x1234), sizeof host, cudaMemcpyDeviceToHost),
        cudaErrorInvalidValue);
    EXPECT_ERROR(cudaMemcpy(device, nullptr, sizeof host, cudaMemcpyHostToDevice),
                 cudaErrorInvalidValue);
    EXPECT_ERROR(cudaMemcpy(device, host, sizeof host, static_cast<cudaMemcpyKind>(9)),
                 cudaErrorInvalidMemcpyDirection);
    EXPECT_ERROR(cudaMemset(reinterpret_cast<void*>(0x1234), 0, 16), cudaErrorInvalidValue);
    EXPECT_ERROR(cudaMemset(device + 1020, 0, 64), cudaErrorInvalidValue);
    EXPECT_ERROR(cudaMemcpy(device + 1020, host, sizeof host, cudaMemcpyHostToDevice),
                 cudaErrorInvalidValue);
    EXPECT_ERROR(cudaFree(reinterpret_cast<void*>(0x1234)), cudaErrorInvalidValue);
    EXPECT_ERROR(cudaFree(device + 1), cudaErrorInvalidValue);
    EXPECT_ERROR(cudaFreeHost(host), cudaErrorInvalidValue);
    CHECK(cudaFree(nullptr));
    EXPECT_ERROR(cudaSetDevice(-1), cudaErrorInvalidDevice);
    EXPECT_ERROR(cudaSetDevice(1000), cudaErrorInvalidDevice);
    EXPECT_ERROR(cudaMalloc(nullptr, 16), cudaErrorInvalidValue);
    EXPECT_ERROR(cudaFuncSetAttribute(touch, cudaFuncAttributeMaxDynamicSharedMemorySize, 1 << 30),
                 cudaErrorInvalidValue);
    (void)cudaGetLastError();
    (void)cudaGetLastError();

    // None of this hurt the context.
    touch<<<1, 32>>>(device);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(host, device, sizeof host, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 32; i++) EXPECT(host[i] == i, "element %d is %d", i, host[i]);
    CHECK(cudaFree(device));
    EXPECT_ERROR(cudaFree(device), cudaErrorInvalidValue);
    (void)cudaGetLastError();

    // After a reset memory works again; kernels are not launched, since nvcc 13 keeps their handles
    // from before it.
    CHECK(cudaDeviceReset());
    CHECK(cudaMalloc(&device, 1024 * sizeof(int)));
    CHECK(cudaMemset(device, 0x2a, 1024 * sizeof(int)));
    CHECK(cudaMemcpy(host, device, sizeof host, cudaMemcpyDeviceToHost));
    EXPECT(host[31] == 0x2a2a2a2a, "after the reset: %x", host[31]);
    CHECK(cudaDeviceSynchronize());
    return passed("errors of launches, memory, pointers and devices, at the call");
}
