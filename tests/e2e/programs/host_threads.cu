// Eight threads of the host share one device, each with its own stream. Built a second time with
// per-thread default streams, where <<<>>> without a stream means the thread's own.
#include <cuda_runtime.h>

#include <string>
#include <thread>
#include <vector>

#include "check.h"

__global__ void advance(unsigned int* data, int n, unsigned int add) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) data[i] = data[i] * 5 + add;
}

static void work(int thread, cudaStream_t stream) {
    const int n = 5000, rounds = 50;
    unsigned int *device, *pinned;
    CHECK(cudaSetDevice(0));
    for (int repeat = 0; repeat < 4; repeat++) {
        CHECK(cudaMalloc(&device, n * sizeof(unsigned int)));
        CHECK(cudaMallocHost(&pinned, n * sizeof(unsigned int)));
        for (int i = 0; i < n; i++) pinned[i] = i + thread;
        CHECK(cudaMemcpyAsync(device, pinned, n * sizeof(unsigned int), cudaMemcpyHostToDevice,
                              stream));
        for (int round = 0; round < rounds; round++)
            advance<<<(n + 127) / 128, 128, 0, stream>>>(device, n, thread + round);
        CHECK(cudaGetLastError());
        CHECK(cudaMemcpyAsync(pinned, device, n * sizeof(unsigned int), cudaMemcpyDeviceToHost,
                              stream));
        CHECK(cudaStreamSynchronize(stream));
        for (int i = 0; i < n; i++) {
            unsigned int expected = i + thread;
            for (int round = 0; round < rounds; round++) expected = expected * 5 + thread + round;
            EXPECT(pinned[i] == expected, "thread %d: element %d is %u, expected %u", thread, i,
                   pinned[i], expected);
        }
        CHECK(cudaFree(device));
        CHECK(cudaFreeHost(pinned));
    }
    // The last error belongs to the thread that caused it.
    if (thread == 3) EXPECT_ERROR(cudaSetDevice(12345), cudaErrorInvalidDevice);
    EXPECT_ERROR(cudaGetLastError(), thread == 3 ? cudaErrorInvalidDevice : cudaSuccess);
}

// A synchronous copy from pinned memory is over when it returns: streams see it that would not wait
// for the default stream.
static void hand_over() {
    const int n = 300000, rounds = 5;
    unsigned int *device, *pinned, *back;
    cudaStream_t other;
#ifdef CUDA_API_PER_THREAD_DEFAULT_STREAM
    CHECK(cudaStreamCreate(&other));
#else
    CHECK(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
#endif
    CHECK(cudaMalloc(&device, n * sizeof(unsigned int)));
    CHECK(cudaMallocHost(&pinned, n * sizeof(unsigned int)));
    CHECK(cudaMallocHost(&back, n * sizeof(unsigned int)));
    for (int round = 0; round < rounds; round++) {
        for (int i = 0; i < n; i++) pinned[i] = i + round;
        CHECK(cudaMemcpy(device, pinned, n * sizeof(unsigned int), cudaMemcpyHostToDevice));
        advance<<<(n + 127) / 128, 128, 0, other>>>(device, n, 7);
        CHECK(
            cudaMemcpyAsync(back, device, n * sizeof(unsigned int), cudaMemcpyDeviceToHost, other));
        CHECK(cudaStreamSynchronize(other));
        for (int i = 0; i < n; i++)
            EXPECT(back[i] == (i + round) * 5u + 7, "round %d: element %d is %u, expected %u",
                   round, i, back[i], (i + round) * 5u + 7);
    }
    CHECK(cudaStreamDestroy(other));
    CHECK(cudaFree(device));
    CHECK(cudaFreeHost(pinned));
    CHECK(cudaFreeHost(back));
}

int main() {
    const int count = 8;
    std::vector<std::thread> threads;
    std::vector<cudaStream_t> streams(count, nullptr);
#ifndef CUDA_API_PER_THREAD_DEFAULT_STREAM
    for (cudaStream_t& stream : streams)
        CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
#endif
    for (int i = 0; i < count; i++) threads.emplace_back(work, i, streams[i]);
    for (std::thread& thread : threads) thread.join();
    for (cudaStream_t stream : streams)
        if (stream) CHECK(cudaStreamDestroy(stream));
    hand_over();
    CHECK(cudaDeviceSynchronize());
#ifdef CUDA_API_PER_THREAD_DEFAULT_STREAM
    return passed("%d threads, each on its default stream", count);
#else
    return passed("%d threads, each on a stream of its own", count);
#endif
}
