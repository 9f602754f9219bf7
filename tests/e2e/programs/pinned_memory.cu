// Pinned host memory: allocated, registered, of any offset, asynchronous in both directions, and
// what CUDA says of it.
#include <cuda_runtime.h>

#include <cstdlib>
#include <cstring>
#include <vector>

#include "check.h"

__global__ void negate(int* data, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) data[i] = -data[i];
}

static void round_trip(int* host, int n, cudaStream_t stream, const char* what) {
    int* device;
    CHECK(cudaMalloc(&device, n * sizeof(int)));
    for (int i = 0; i < n; i++) host[i] = i * 3 + 1;
    CHECK(cudaMemcpyAsync(device, host, n * sizeof(int), cudaMemcpyHostToDevice, stream));
    negate<<<(n + 255) / 256, 256, 0, stream>>>(device, n);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpyAsync(host, device, n * sizeof(int), cudaMemcpyDeviceToHost, stream));
    CHECK(cudaStreamSynchronize(stream));
    for (int i = 0; i < n; i++)
        EXPECT(host[i] == -(i * 3 + 1), "%s: element %d is %d", what, i, host[i]);
    CHECK(cudaFree(device));
}

int main() {
    const int n = 300'000;
    cudaStream_t stream;
    CHECK(cudaStreamCreate(&stream));

    int* pinned;
    CHECK(cudaMallocHost(&pinned, n * sizeof(int)));
    round_trip(pinned, n, stream, "cudaMallocHost");
    round_trip(pinned + 1001, n - 5000, stream, "inside cudaMallocHost");

    int* flagged;
    CHECK(cudaHostAlloc(&flagged, n * sizeof(int), cudaHostAllocPortable | cudaHostAllocMapped));
    round_trip(flagged, n, stream, "cudaHostAlloc");
    unsigned int flags = 0;
    CHECK(cudaHostGetFlags(&flags, flagged));
    EXPECT(flags & cudaHostAllocMapped, "cudaHostGetFlags: %u", flags);

    int* registered =
        static_cast<int*>(std::aligned_alloc(4096, (n * sizeof(int) + 4095) / 4096 * 4096));
    CHECK(cudaHostRegister(registered, n * sizeof(int), cudaHostRegisterDefault));
    round_trip(registered, n, stream, "cudaHostRegister");
    cudaPointerAttributes attributes;
    CHECK(cudaPointerGetAttributes(&attributes, registered + 5));
    EXPECT(attributes.type == cudaMemoryTypeHost, "registered memory has type %d", attributes.type);
    EXPECT_ERROR(cudaHostRegister(registered, n * sizeof(int), cudaHostRegisterDefault),
                 cudaErrorHostMemoryAlreadyRegistered);
    CHECK(cudaHostUnregister(registered));
    EXPECT_ERROR(cudaHostUnregister(registered), cudaErrorHostMemoryNotRegistered);
    (void)cudaGetLastError();
    CHECK(cudaPointerGetAttributes(&attributes, registered));
    EXPECT(attributes.type == cudaMemoryTypeUnregistered, "unregistered memory has type %d",
           attributes.type);

    // Pageable memory may be changed as soon as an asynchronous copy from it has returned.
    int* device;
    std::vector<int> pageable(n), back(n);
    CHECK(cudaMalloc(&device, n * sizeof(int)));
    for (int i = 0; i < n; i++) pageable[i] = i;
    CHECK(
        cudaMemcpyAsync(device, pageable.data(), n * sizeof(int), cudaMemcpyHostToDevice, stream));
    std::memset(pageable.data(), 0xff, n * sizeof(int));
    CHECK(cudaMemcpyAsync(back.data(), device, n * sizeof(int), cudaMemcpyDeviceToHost, stream));
    CHECK(cudaStreamSynchronize(stream));
    for (int i = 0; i < n; i++) EXPECT(back[i] == i, "pageable: element %d is %d", i, back[i]);

    // cudaMemcpyDefault finds the direction from the addresses.
    CHECK(cudaMemcpy(pinned, device, n * sizeof(int), cudaMemcpyDefault));
    EXPECT(pinned[n - 1] == n - 1, "default direction: last element is %d", pinned[n - 1]);
    CHECK(cudaMemcpy(flagged, pinned, n * sizeof(int), cudaMemcpyDefault));
    EXPECT(flagged[n / 2] == n / 2, "host to host: middle element is %d", flagged[n / 2]);

    CHECK(cudaFree(device));
    CHECK(cudaFreeHost(pinned));
    CHECK(cudaFreeHost(flagged));
    std::free(registered);
    CHECK(cudaStreamDestroy(stream));
    return passed("pinned, registered and pageable memory, %d elements each", n);
}
