// Stream-ordered allocation: memory comes and goes in stream order, from the device's pool and from
// one of our own.
#include <cuda_runtime.h>

#include <vector>

#include "check.h"

__global__ void fill(int* data, int n, int value) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) data[i] = value + i;
}

__global__ void add(const int* a, const int* b, int* sum, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) sum[i] = a[i] + b[i];
}

int main() {
    int supported = 0;
    CHECK(cudaDeviceGetAttribute(&supported, cudaDevAttrMemoryPoolsSupported, 0));
    EXPECT(supported, "the device does not offer memory pools");

    const int n = 40'000;
    const size_t bytes = n * sizeof(int);
    cudaStream_t stream;
    CHECK(cudaStreamCreate(&stream));
    std::vector<int> host(n);
    for (int round = 0; round < 30; round++) {
        int *a, *b, *sum;
        CHECK(cudaMallocAsync(&a, bytes, stream));
        CHECK(cudaMallocAsync(&b, bytes, stream));
        fill<<<(n + 255) / 256, 256, 0, stream>>>(a, n, round);
        fill<<<(n + 255) / 256, 256, 0, stream>>>(b, n, 1000);
        CHECK(cudaMallocAsync(&sum, bytes, stream));
        add<<<(n + 255) / 256, 256, 0, stream>>>(a, b, sum, n);
        CHECK(cudaGetLastError());
        CHECK(cudaFreeAsync(a, stream));
        CHECK(cudaFreeAsync(b, stream));
        CHECK(cudaMemcpyAsync(host.data(), sum, bytes, cudaMemcpyDeviceToHost, stream));
        CHECK(cudaFreeAsync(sum, stream));
        CHECK(cudaStreamSynchronize(stream));
        for (int i = 0; i < n; i++)
            EXPECT(host[i] == round + 1000 + 2 * i, "round %d: sum[%d] = %d, expected %d", round, i,
                   host[i], round + 1000 + 2 * i);
    }

    cudaMemPool_t pool;
    CHECK(cudaDeviceGetDefaultMemPool(&pool, 0));
    unsigned long long threshold = 1 << 20, found = 0;
    CHECK(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &threshold));
    CHECK(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &found));
    EXPECT(found == threshold, "release threshold %llu, expected %llu", found, threshold);
    CHECK(cudaMemPoolTrimTo(pool, 0));

    cudaMemPoolProps properties = {};
    properties.allocType = cudaMemAllocationTypePinned;
    properties.location.type = cudaMemLocationTypeDevice;
    properties.location.id = 0;
    cudaMemPool_t own;
    CHECK(cudaMemPoolCreate(&own, &properties));
    int* data;
    CHECK(cudaMallocFromPoolAsync(&data, bytes, own, stream));
    fill<<<(n + 255) / 256, 256, 0, stream>>>(data, n, 7);
    CHECK(cudaMemcpyAsync(host.data(), data, bytes, cudaMemcpyDeviceToHost, stream));
    CHECK(cudaStreamSynchronize(stream));
    EXPECT(host[n - 1] == 7 + n - 1, "own pool: last element is %d", host[n - 1]);
    CHECK(cudaFreeAsync(data, stream));
    CHECK(cudaStreamSynchronize(stream));
    CHECK(cudaMemPoolDestroy(own));

    // cudaFree takes stream-ordered memory too.
    CHECK(cudaMallocAsync(&data, bytes, stream));
    CHECK(cudaStreamSynchronize(stream));
    CHECK(cudaFree(data));
    CHECK(cudaStreamDestroy(stream));
    return passed("30 rounds of stream-ordered allocation, and a pool of our own");
}
