// Streams that overlap, events that time and order them, priorities and queries.
#include <cuda_runtime.h>

#include <vector>

#include "check.h"

__global__ void fill(int* data, int n, int value) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        data[i] = value;
}

// data[i] = data[i] * 3 + 1, `rounds` times: long enough that a missing wait shows.
__global__ void grind(int* data, int n, int rounds) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int value = data[i];
        for (int round = 0; round < rounds; round++) value = value * 3 + 1;
        data[i] = value;
    }
}

__global__ void add(const int* a, const int* b, int* sum, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        sum[i] = a[i] + b[i];
}

static int ground(int value, int rounds) {
    unsigned int result = value;
    for (int round = 0; round < rounds; round++) result = result * 3 + 1;
    return static_cast<int>(result);
}

int main() {
    const int n = 1 << 16, rounds = 2000;
    const size_t bytes = n * sizeof(int);
    int *a, *b, *sum, *pinned;
    CHECK(cudaMalloc(&a, bytes));
    CHECK(cudaMalloc(&b, bytes));
    CHECK(cudaMalloc(&sum, bytes));
    CHECK(cudaMallocHost(&pinned, bytes));

    int least, greatest;
    CHECK(cudaDeviceGetStreamPriorityRange(&least, &greatest));
    cudaStream_t first, second;
    CHECK(cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking));
    CHECK(cudaStreamCreateWithPriority(&second, cudaStreamNonBlocking, greatest));
    int priority = 12345;
    CHECK(cudaStreamGetPriority(second, &priority));
    EXPECT(priority == greatest, "priority %d, expected %d", priority, greatest);
    unsigned int flags = 0;
    CHECK(cudaStreamGetFlags(first, &flags));
    EXPECT(flags == cudaStreamNonBlocking, "flags %u", flags);

    cudaEvent_t start, stop, ready_a, ready_b;
    CHECK(cudaEventCreate(&start));
    CHECK(cudaEventCreate(&stop));
    CHECK(cudaEventCreateWithFlags(&ready_a, cudaEventDisableTiming));
    CHECK(cudaEventCreateWithFlags(&ready_b, cudaEventDisableTiming));

    // Two chains run side by side; the sum waits for both. Repeated, so that a wait on the wrong
    // generation shows.
    for (int generation = 0; generation < 5; generation++) {
        CHECK(cudaEventRecord(start, first));
        fill<<<8, 128, 0, first>>>(a, n, generation);
        grind<<<8, 128, 0, first>>>(a, n, rounds);
        CHECK(cudaEventRecord(ready_a, first));
        fill<<<8, 128, 0, second>>>(b, n, 100 + generation);
        grind<<<8, 128, 0, second>>>(b, n, rounds / 2);
        CHECK(cudaStreamWaitEvent(second, ready_a, 0));
        add<<<8, 128, 0, second>>>(a, b, sum, n);
        CHECK(cudaEventRecord(ready_b, second));
        CHECK(cudaStreamWaitEvent(first, ready_b, 0));
        CHECK(cudaMemcpyAsync(pinned, sum, bytes, cudaMemcpyDeviceToHost, first));
        CHECK(cudaEventRecord(stop, first));
        CHECK(cudaGetLastError());
        CHECK(cudaEventSynchronize(stop));
        CHECK(cudaEventQuery(stop));

        unsigned int expected = static_cast<unsigned int>(ground(generation, rounds)) +
                                static_cast<unsigned int>(ground(100 + generation, rounds / 2));
        for (int i = 0; i < n; i++)
            EXPECT(static_cast<unsigned int>(pinned[i]) == expected,
                   "generation %d: sum[%d] = %d, expected %d", generation, i, pinned[i],
                   static_cast<int>(expected));
        float milliseconds = -1.0f;
        CHECK(cudaEventElapsedTime(&milliseconds, start, stop));
        EXPECT(milliseconds > 0.0f && milliseconds < 60'000.0f, "elapsed time %g ms", milliseconds);
    }
    CHECK(cudaStreamSynchronize(first));
    CHECK(cudaStreamSynchronize(second));
    CHECK(cudaStreamQuery(first));

    // A blocking stream and the default stream wait for one another without being told.
    cudaStream_t blocking;
    CHECK(cudaStreamCreate(&blocking));
    fill<<<8, 128, 0, blocking>>>(a, n, 5);
    grind<<<8, 128, 0, blocking>>>(a, n, rounds);
    add<<<8, 128>>>(a, a, sum, n);
    grind<<<8, 128, 0, blocking>>>(sum, n, 1);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(pinned, sum, bytes, cudaMemcpyDeviceToHost));
    int expected = ground(static_cast<int>(2u * static_cast<unsigned int>(ground(5, rounds))), 1);
    for (int i = 0; i < n; i++)
        EXPECT(pinned[i] == expected, "default stream: sum[%d] = %d, expected %d", i, pinned[i],
               expected);

    // Events that were never recorded are complete but cannot be timed; nor can events without
    // timing.
    cudaEvent_t fresh;
    float milliseconds;
    CHECK(cudaEventCreate(&fresh));
    CHECK(cudaEventQuery(fresh));
    EXPECT_ERROR(cudaEventElapsedTime(&milliseconds, fresh, stop), cudaErrorInvalidResourceHandle);
    EXPECT_ERROR(cudaEventElapsedTime(&milliseconds, ready_a, ready_b),
                 cudaErrorInvalidResourceHandle);
    (void)cudaGetLastError();

    // Destroying a stream with work in it lets the work finish.
    fill<<<8, 128, 0, blocking>>>(a, n, 9);
    grind<<<8, 128, 0, blocking>>>(a, n, rounds);
    CHECK(cudaStreamDestroy(blocking));
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemcpy(pinned, a, bytes, cudaMemcpyDeviceToHost));
    EXPECT(pinned[n - 1] == ground(9, rounds), "work in a destroyed stream was lost");

    for (cudaEvent_t event : {start, stop, ready_a, ready_b, fresh}) CHECK(cudaEventDestroy(event));
    CHECK(cudaStreamDestroy(first));
    CHECK(cudaStreamDestroy(second));
    CHECK(cudaFree(a));
    CHECK(cudaFree(b));
    CHECK(cudaFree(sum));
    CHECK(cudaFreeHost(pinned));
    return passed("two streams in order over 5 generations");
}
