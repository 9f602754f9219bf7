// The first and the last device at once: kernels, variables, streams, events and copies from one to
// the other. With the argument `lose`, the program says that it has started, uses the last device
// until that is lost, and goes on with the first.
#include <cuda_runtime.h>

#include <cstring>
#include <vector>

#include "check.h"

__device__ unsigned int step = 1;

__global__ void advance(unsigned int* data, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        data[i] = data[i] * 3 + step;
}

struct Device {
    int ordinal;
    unsigned int step;
    unsigned int* data;
    cudaStream_t stream;
    cudaEvent_t event;
};

static const int n = 8 << 20;
static const size_t bytes = n * sizeof(unsigned int);

static Device open(int ordinal, unsigned int with_step) {
    Device device{ordinal, with_step, nullptr, nullptr, nullptr};
    CHECK(cudaSetDevice(ordinal));
    CHECK(cudaMemcpyToSymbol(step, &with_step, sizeof with_step));
    CHECK(cudaMalloc(&device.data, bytes));
    CHECK(cudaMemset(device.data, 0, bytes));
    CHECK(cudaStreamCreateWithFlags(&device.stream, cudaStreamNonBlocking));
    CHECK(cudaEventCreateWithFlags(&device.event, cudaEventDisableTiming));
    CHECK(cudaDeviceSynchronize());
    return device;
}

static void launch(const Device& device) {
    CHECK(cudaSetDevice(device.ordinal));
    advance<<<64, 256, 0, device.stream>>>(device.data, n);
    CHECK(cudaGetLastError());
}

// From one to the other in the order of `stream`, which waits for the one before and lets the other
// wait for it.
static void pass(const Device& from, const Device& to, bool by_receiver) {
    const Device& carrier = by_receiver ? to : from;
    CHECK(cudaSetDevice(from.ordinal));
    CHECK(cudaEventRecord(from.event, from.stream));
    CHECK(cudaStreamWaitEvent(carrier.stream, from.event, 0));
    CHECK(cudaMemcpyPeerAsync(to.data, to.ordinal, from.data, from.ordinal, bytes, carrier.stream));
    CHECK(cudaSetDevice(carrier.ordinal));
    CHECK(cudaEventRecord(carrier.event, carrier.stream));
    CHECK(cudaStreamWaitEvent(to.stream, carrier.event, 0));
    CHECK(cudaStreamWaitEvent(from.stream, carrier.event, 0));
}

static void work(const Device& first, const Device& last) {
    unsigned int expected = 0;
    for (int round = 0; round < 4; round++) {
        launch(first);
        pass(first, last, round % 2 == 0);
        launch(last);
        pass(last, first, round % 2 == 1);
        expected = (expected * 3 + first.step) * 3 + last.step;
    }
    unsigned int* pinned;
    CHECK(cudaMallocHost(&pinned, 2 * bytes));
    for (const Device* device : {&first, &last})
        CHECK(cudaMemcpyAsync(pinned + (device == &last) * n, device->data, bytes,
                              cudaMemcpyDefault, device->stream));
    CHECK(cudaStreamSynchronize(first.stream));
    CHECK(cudaStreamSynchronize(last.stream));
    for (int i = 0; i < 2 * n; i += 997)
        EXPECT(pinned[i] == expected, "word %d is %u, expected %u", i, pinned[i], expected);
    CHECK(cudaFreeHost(pinned));

    std::vector<unsigned int> host(n, 7);
    CHECK(cudaSetDevice(first.ordinal));
    CHECK(cudaMemcpy(first.data, host.data(), bytes, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpyPeer(last.data, last.ordinal, first.data, first.ordinal, bytes));
    // The streams wait for no copy of the legacy one.
    CHECK(cudaDeviceSynchronize());
    launch(last);
    CHECK(cudaSetDevice(first.ordinal));
    CHECK(cudaMemcpyAsync(host.data(), last.data, bytes, cudaMemcpyDeviceToHost, last.stream));
    CHECK(cudaStreamSynchronize(last.stream));
    EXPECT(host[n - 1] == 21 + last.step, "the copy without a stream: %u", host[n - 1]);
}

static int lose(const Device& first, const Device& last) {
    std::vector<unsigned int> host(1024);
    std::printf("started\n");
    std::fflush(stdout);
    cudaError_t error = cudaSuccess;
    CHECK(cudaSetDevice(last.ordinal));
    while (error == cudaSuccess)
        error = cudaMemcpy(host.data(), last.data, 4096, cudaMemcpyDeviceToHost);
    EXPECT(cudaMemcpy(host.data(), last.data, 4096, cudaMemcpyDeviceToHost) != cudaSuccess,
           "the lost device came back");
    cudaGetLastError();
    CHECK(cudaSetDevice(first.ordinal));
    CHECK(cudaMemset(first.data, 0, bytes));
    advance<<<64, 256, 0, nullptr>>>(first.data, n);
    CHECK(cudaMemcpy(host.data(), first.data, 4096, cudaMemcpyDeviceToHost));
    EXPECT(host[5] == first.step, "the first device computes %u", host[5]);
    cudaError_t copied = cudaMemcpyPeer(first.data, first.ordinal, last.data, last.ordinal, bytes);
    EXPECT(copied != cudaSuccess, "a copy from a lost device succeeded");
    return passed("the first device goes on");
}

int main(int count, char** arguments) {
    int devices;
    CHECK(cudaGetDeviceCount(&devices));
    Device first = open(0, 5), last = open(devices - 1, devices > 1 ? 11 : 5);
    if (count > 1 && std::strcmp(arguments[1], "lose") == 0) return lose(first, last);
    for (const Device* device : {&first, &last}) {
        cudaPointerAttributes attributes;
        CHECK(cudaPointerGetAttributes(&attributes, device->data));
        EXPECT(attributes.device == device->ordinal, "memory of device %d is said to be %d's",
               device->ordinal, attributes.device);
    }
    work(first, last);
    // With the first device current.
    CHECK(cudaSetDevice(0));
    for (const Device* device : {&first, &last}) {
        CHECK(cudaEventSynchronize(device->event));
        CHECK(cudaStreamQuery(device->stream));
        CHECK(cudaEventDestroy(device->event));
        CHECK(cudaStreamDestroy(device->stream));
        CHECK(cudaFree(device->data));
    }
    return passed("kernels and copies on %s",
                  devices > 1 ? "the first and the last device" : "one device");
}
