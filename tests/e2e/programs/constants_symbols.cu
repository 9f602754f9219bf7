// Constant memory and device variables: initial values, copies to and from symbols, their addresses
// and sizes.
#include <cuda_runtime.h>

#include <cstring>

#include "check.h"

struct Settings {
    float scale;
    int offset;
    char name[8];
};

__constant__ float coefficients[16];
__constant__ Settings settings = {2.0f, 3, "first"};
__constant__ int table[4] = {1, 10, 100, 1000};
__device__ int counter = 41;
__device__ float results[64];
__device__ double chain[3] = {0.5, 0.25, 0.125};
__device__ int* link = &counter;
static __device__ unsigned char untouched[100];

__global__ void use() {
    int i = threadIdx.x;
    results[i] = coefficients[i % 16] * settings.scale + settings.offset + table[i % 4];
    if (i == 0) {
        atomicAdd(link, 1);
        chain[2] = chain[0] + chain[1];
        untouched[99] = settings.name[0];
    }
}

static void check_results(const float* host_coefficients, float scale, int offset) {
    const int host_table[4] = {1, 10, 100, 1000};
    float found[64];
    CHECK(cudaMemcpyFromSymbol(found, results, sizeof found));
    for (int i = 0; i < 64; i++) {
        float expected = host_coefficients[i % 16] * scale + offset + host_table[i % 4];
        EXPECT(found[i] == expected, "results[%d] = %g, expected %g", i, found[i], expected);
    }
}

int main() {
    float host_coefficients[16];
    for (int i = 0; i < 16; i++) host_coefficients[i] = 1.5f * i;
    CHECK(cudaMemcpyToSymbol(coefficients, host_coefficients, sizeof host_coefficients));
    use<<<1, 64>>>();
    CHECK(cudaGetLastError());
    check_results(host_coefficients, 2.0f, 3);

    int count = 0;
    CHECK(cudaMemcpyFromSymbol(&count, counter, sizeof count));
    EXPECT(count == 42, "counter is %d, expected 42", count);
    double last = 0;
    CHECK(cudaMemcpyFromSymbol(&last, chain, sizeof last, 2 * sizeof(double)));
    EXPECT(last == 0.75, "chain[2] is %g, expected 0.75", last);
    unsigned char bytes[100];
    CHECK(cudaMemcpyFromSymbol(bytes, untouched, sizeof bytes));
    for (int i = 0; i < 100; i++)
        EXPECT(bytes[i] == (i == 99 ? 'f' : 0), "untouched[%d] is %d", i, bytes[i]);

    // A part of a symbol, a whole structure, and a stream-ordered change between two launches.
    cudaStream_t stream;
    CHECK(cudaStreamCreate(&stream));
    host_coefficients[5] = -7.0f;
    Settings changed = {4.0f, -1, "second"};
    CHECK(cudaMemcpyToSymbolAsync(coefficients, &host_coefficients[5], sizeof(float),
                                  5 * sizeof(float), cudaMemcpyHostToDevice, stream));
    CHECK(cudaMemcpyToSymbolAsync(settings, &changed, sizeof changed, 0, cudaMemcpyHostToDevice,
                                  stream));
    use<<<1, 64, 0, stream>>>();
    CHECK(cudaGetLastError());
    CHECK(cudaStreamSynchronize(stream));
    check_results(host_coefficients, 4.0f, -1);

    void* address = nullptr;
    size_t size = 0;
    CHECK(cudaGetSymbolAddress(&address, results));
    CHECK(cudaGetSymbolSize(&size, results));
    EXPECT(address != nullptr && size == sizeof(float) * 64, "results: address %p, size %zu",
           address, size);
    float first = 0;
    CHECK(cudaMemcpy(&first, address, sizeof first, cudaMemcpyDeviceToHost));
    EXPECT(first == host_coefficients[0] * 4.0f, "results[0] through its address is %g", first);
    CHECK(cudaGetSymbolSize(&size, settings));
    EXPECT(size == sizeof(Settings), "settings has size %zu", size);
    EXPECT_ERROR(cudaGetSymbolAddress(&address, &count), cudaErrorInvalidSymbol);

    CHECK(cudaStreamDestroy(stream));
    return passed("constants, device variables and symbols");
}
