// Functions of the host in stream order: cudaLaunchHostFunc and cudaStreamAddCallback.
#include <cuda_runtime.h>

#include <atomic>
#include <thread>
#include <vector>

#include "check.h"

__global__ void double_all(int* data, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) data[i] *= 2;
}

constexpr int kCount = 4096;

struct Step {
    int* buffer;  // pinned; the callback reads what the copy before it brought and writes what the
                  // copy after it takes
    int expected;
    std::atomic<int>* failures;
    std::atomic<int>* calls;
};

static void check_and_add_one(void* argument) {
    Step* step = static_cast<Step*>(argument);
    for (int i = 0; i < kCount; i++) {
        if (step->buffer[i] != step->expected) step->failures->fetch_add(1);
        step->buffer[i] += 1;
    }
    step->calls->fetch_add(1);
}

static void CUDART_CB count_status(cudaStream_t, cudaError_t status, void* argument) {
    static_cast<std::atomic<int>*>(argument)->fetch_add(status == cudaSuccess ? 1 : 1000);
}

int main() {
    int *device, *pinned;
    CHECK(cudaMalloc(&device, kCount * sizeof(int)));
    CHECK(cudaMallocHost(&pinned, kCount * sizeof(int)));
    cudaStream_t stream;
    CHECK(cudaStreamCreate(&stream));

    std::atomic<int> failures{0}, calls{0}, statuses{0};
    std::vector<Step> steps(10);
    for (int i = 0; i < kCount; i++) pinned[i] = 1;
    int value = 1;
    for (Step& step : steps) {
        value *= 2;
        step = {pinned, value, &failures, &calls};
        value += 1;
        CHECK(
            cudaMemcpyAsync(device, pinned, kCount * sizeof(int), cudaMemcpyHostToDevice, stream));
        double_all<<<kCount / 256, 256, 0, stream>>>(device, kCount);
        CHECK(
            cudaMemcpyAsync(pinned, device, kCount * sizeof(int), cudaMemcpyDeviceToHost, stream));
        CHECK(cudaLaunchHostFunc(stream, check_and_add_one, &step));
        CHECK(cudaStreamAddCallback(stream, count_status, &statuses, 0));
    }
    CHECK(cudaStreamSynchronize(stream));
    EXPECT(calls == 10, "%d host functions ran, expected 10", calls.load());
    EXPECT(statuses == 10, "callbacks counted %d, expected 10", statuses.load());
    EXPECT(failures == 0, "%d values were wrong inside the callbacks", failures.load());
    for (int i = 0; i < kCount; i++)
        EXPECT(pinned[i] == value, "pinned[%d] = %d, expected %d", i, pinned[i], value);

    // An event after a host function completes only when the function has returned.
    cudaEvent_t event;
    CHECK(cudaEventCreate(&event));
    std::atomic<bool> release{false};
    CHECK(cudaLaunchHostFunc(
        stream,
        [](void* argument) {
            while (!static_cast<std::atomic<bool>*>(argument)->load()) std::this_thread::yield();
        },
        &release));
    CHECK(cudaEventRecord(event, stream));
    EXPECT_ERROR(cudaEventQuery(event), cudaErrorNotReady);
    EXPECT_ERROR(cudaStreamQuery(stream), cudaErrorNotReady);
    release = true;
    CHECK(cudaEventSynchronize(event));
    CHECK(cudaStreamQuery(stream));

    CHECK(cudaEventDestroy(event));
    CHECK(cudaStreamDestroy(stream));
    CHECK(cudaFree(device));
    CHECK(cudaFreeHost(pinned));
    return passed("20 callbacks in stream order");
}
