// The shape of training and of decoding: `steps train N` runs N steps that read nothing back,
// `steps decode N` reads one number in each. `steps children N` replays a graph as XLA does, which
// is given its child graph anew each time.
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "check.h"

constexpr int kImages = 64 * 1024;
constexpr int kLayers = 12;

__global__ void widen(const uint8_t* images, float* values, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) values[i] = images[i];
}

__global__ void layer(float* values, const float* weights, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) values[i] += weights[i];
}

__global__ void count_larger(const float* values, float than, int* count, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && values[i] > than) atomicAdd(count, 1);
}

__global__ void mark(volatile int* flag, int step) { *flag = step; }

struct Model {
    uint8_t *pinned, *images;
    float *values, *weights;
    int *count, *host_count;
    // As cuDNN has: a number that kernels write and the program looks at.
    volatile int* flag;
    int* flag_on_device;
    int steps = 0;
    cudaStream_t loads, computes;
    cudaEvent_t loaded, used;

    Model() {
        CHECK(cudaMallocHost(&pinned, kImages));
        CHECK(cudaMallocHost(&host_count, sizeof(int)));
        CHECK(cudaHostAlloc(const_cast<int**>(&flag), sizeof(int), cudaHostAllocMapped));
        CHECK(cudaHostGetDevicePointer(&flag_on_device, const_cast<int*>(flag), 0));
        *flag = -1;
        CHECK(cudaMalloc(&images, kImages));
        CHECK(cudaMalloc(&values, kImages * sizeof(float)));
        CHECK(cudaMalloc(&weights, kImages * sizeof(float)));
        CHECK(cudaMalloc(&count, sizeof(int)));
        CHECK(cudaStreamCreateWithFlags(&loads, cudaStreamNonBlocking));
        CHECK(cudaStreamCreateWithFlags(&computes, cudaStreamNonBlocking));
        CHECK(cudaEventCreateWithFlags(&loaded, cudaEventDisableTiming));
        CHECK(cudaEventCreate(&used));
        for (int i = 0; i < kImages; i++) pinned[i] = i % 100;
        // As frameworks ask whether memory is pinned.
        cudaPointerAttributes attributes;
        CHECK(cudaPointerGetAttributes(&attributes, pinned));
        EXPECT(attributes.devicePointer == pinned, "the device knows %p as %p", (void*)pinned,
               attributes.devicePointer);
        CHECK(cudaMemset(weights, 0, kImages * sizeof(float)));
        CHECK(cudaDeviceSynchronize());
    }

    // What libraries ask of the runtime at each call, a buffer that lives for one step, copies on
    // one stream and kernels on another.
    void step() {
        int device, blocks;
        cudaFuncAttributes attributes;
        float* scratch;
        CHECK(cudaGetDevice(&device));
        CHECK(cudaFuncGetAttributes(&attributes, layer));
        CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, layer, 256, 0));
        CHECK(cudaStreamWaitEvent(loads, used, 0));
        CHECK(cudaMemcpyAsync(images, pinned, kImages, cudaMemcpyHostToDevice, loads));
        CHECK(cudaEventRecord(loaded, loads));
        CHECK(cudaStreamWaitEvent(computes, loaded, 0));
        CHECK(cudaMallocAsync(&scratch, kImages * sizeof(float), computes));
        CHECK(cudaMemsetAsync(count, 0, sizeof(int), computes));
        widen<<<kImages / 256, 256, 0, computes>>>(images, scratch, kImages);
        CHECK(cudaMemcpyAsync(values, scratch, kImages * sizeof(float), cudaMemcpyDeviceToDevice,
                              computes));
        for (int i = 0; i < kLayers; i++)
            layer<<<kImages / 256, 256, 0, computes>>>(values, weights, kImages);
        count_larger<<<kImages / 256, 256, 0, computes>>>(values, 49.5f, count, kImages);
        mark<<<1, 1, 0, computes>>>(flag_on_device, ++steps);
        CHECK(cudaFreeAsync(scratch, computes));
        CHECK(cudaEventRecord(used, computes));
        CHECK(cudaGetLastError());
    }

    int read() {
        CHECK(cudaMemcpyAsync(host_count, count, sizeof(int), cudaMemcpyDeviceToHost, computes));
        CHECK(cudaStreamSynchronize(computes));
        EXPECT(*flag == steps, "the device marked step %d as %d", steps, *flag);
        return *host_count;
    }
};

static int children(int steps) {
    const float values[] = {1, 2, 0};
    float *memory, found = 0;
    cudaGraph_t graph, child;
    cudaGraphExec_t exec;
    cudaGraphNode_t inside, around;
    CHECK(cudaMalloc(&memory, sizeof values));
    CHECK(cudaMemcpy(memory, values, sizeof values, cudaMemcpyHostToDevice));
    CHECK(cudaGraphCreate(&graph, 0));
    CHECK(cudaGraphCreate(&child, 0));
    CHECK(cudaGraphAddMemcpyNode1D(&inside, child, nullptr, 0, memory + 2, memory, sizeof *memory,
                                   cudaMemcpyDeviceToDevice));
    CHECK(cudaGraphAddChildGraphNode(&around, graph, nullptr, 0, child));
    CHECK(cudaGraphInstantiate(&exec, graph, 0));
    for (int i = 0; i < steps; i++) {
        CHECK(cudaGraphExecChildGraphNodeSetParams(exec, around, child));
        CHECK(cudaGraphLaunch(exec, nullptr));
    }
    CHECK(cudaMemcpy(&found, memory + 2, sizeof found, cudaMemcpyDeviceToHost));
    EXPECT(found == 1, "the graph copied %f", found);
    return passed("%d replays of a graph", steps);
}

int main(int argc, char** argv) {
    if (argc > 2 && strcmp(argv[1], "children") == 0) return children(atoi(argv[2]));
    bool decode = argc > 1 && strcmp(argv[1], "decode") == 0;
    int steps = argc > 2 ? atoi(argv[2]) : 5;
    int expected = 0;
    for (int i = 0; i < kImages; i++) expected += i % 100 >= 50;

    Model model;
    for (int i = 0; i < steps; i++) {
        // What was read back came behind the copy of the images, which may be others then.
        if (decode) std::reverse(model.pinned, model.pinned + kImages);
        model.step();
        if (decode)
            EXPECT(model.read() == expected, "step %d counted %d, expected %d", i,
                   *model.host_count, expected);
    }
    int found = model.read();
    EXPECT(found == expected, "%d values are larger, expected %d", found, expected);
    return passed("%d steps of %s", steps, decode ? "decoding" : "training");
}
