// CUDA graphs through the runtime: captured streams, graphs built node by node, changes of what was
// instantiated.
#include <cuda_runtime.h>

#include <vector>

#include "check.h"

constexpr int kCount = 1 << 16;
constexpr size_t kBytes = kCount * sizeof(float);

__global__ void scale(float* data, int n, float factor) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) data[i] *= factor;
}

__global__ void add(float* sum, const float* other, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) sum[i] += other[i];
}

static void expect_all(const char* what, const float* data, float expected) {
    for (int i = 0; i < kCount; i++)
        EXPECT(data[i] == expected, "%s: data[%d] = %g, expected %g", what, i, data[i], expected);
}

// One step of a pipeline: copy in, two branches on two streams, join, copy out.
static void step(cudaStream_t stream, cudaStream_t side, cudaEvent_t forked, cudaEvent_t joined,
                 float* in, float* out, float* a, float* b, float factor) {
    CHECK(cudaMemcpyAsync(a, in, kBytes, cudaMemcpyHostToDevice, stream));
    CHECK(cudaMemcpyAsync(b, a, kBytes, cudaMemcpyDeviceToDevice, stream));
    CHECK(cudaEventRecord(forked, stream));
    CHECK(cudaStreamWaitEvent(side, forked, 0));
    scale<<<kCount / 256, 256, 0, stream>>>(a, kCount, factor);
    scale<<<kCount / 256, 256, 0, side>>>(b, kCount, 100.0f);
    CHECK(cudaEventRecord(joined, side));
    CHECK(cudaStreamWaitEvent(stream, joined, 0));
    add<<<kCount / 256, 256, 0, stream>>>(a, b, kCount);
    CHECK(cudaMemcpyAsync(out, a, kBytes, cudaMemcpyDeviceToHost, stream));
    CHECK(cudaGetLastError());
}

static void replace_by_squares(void* argument) {
    float* data = static_cast<float*>(argument);
    for (int i = 0; i < kCount; i++) data[i] = data[i] * data[i];
}

// A fill, a kernel, a copy out and a function of the host, each behind the one before. Returns the
// kernel's node.
static cudaGraphNode_t build(cudaGraph_t graph, float* device, float* host, float factor) {
    cudaGraphNode_t clear, kernel, copy, square;
    cudaMemsetParams fill = {};
    fill.dst = device;
    fill.elementSize = 4;
    fill.value = 0x40000000;  // 2.0f
    fill.width = kCount;
    fill.height = 1;
    CHECK(cudaGraphAddMemsetNode(&clear, graph, nullptr, 0, &fill));
    int n = kCount;
    void* arguments[] = {&device, &n, &factor};
    cudaKernelNodeParams launch = {};
    launch.func = reinterpret_cast<void*>(scale);
    launch.gridDim = dim3(kCount / 256);
    launch.blockDim = dim3(256);
    launch.kernelParams = arguments;
    CHECK(cudaGraphAddKernelNode(&kernel, graph, &clear, 1, &launch));
    CHECK(cudaGraphAddMemcpyNode1D(&copy, graph, &kernel, 1, host, device, kBytes,
                                   cudaMemcpyDeviceToHost));
    cudaHostNodeParams function = {};
    function.fn = replace_by_squares;
    function.userData = host;
    CHECK(cudaGraphAddHostNode(&square, graph, &copy, 1, &function));
    return kernel;
}

static void captured(cudaStream_t stream, float* in, float* out, float* a, float* b) {
    cudaStream_t side;
    cudaEvent_t forked, joined;
    CHECK(cudaStreamCreateWithFlags(&side, cudaStreamNonBlocking));
    CHECK(cudaEventCreateWithFlags(&forked, cudaEventDisableTiming));
    CHECK(cudaEventCreateWithFlags(&joined, cudaEventDisableTiming));
    cudaGraphExec_t exec = nullptr;
    // The first graph is instantiated, later ones of the same shape update it.
    for (int round = 1; round <= 4; round++) {
        cudaGraph_t graph;
        CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
        step(stream, side, forked, joined, in, out, a, b, static_cast<float>(round));
        cudaStreamCaptureStatus status;
        CHECK(cudaStreamIsCapturing(side, &status));
        EXPECT(status == cudaStreamCaptureStatusActive, "status of the side stream: %d",
               static_cast<int>(status));
        CHECK(cudaStreamEndCapture(stream, &graph));
        size_t nodes = 0;
        CHECK(cudaGraphGetNodes(graph, nullptr, &nodes));
        EXPECT(nodes == 6, "%zu nodes for six operations", nodes);
        if (exec == nullptr) {
            CHECK(cudaGraphInstantiate(&exec, graph, 0));
        } else {
            cudaGraphExecUpdateResultInfo info;
            CHECK(cudaGraphExecUpdate(exec, graph, &info));
            EXPECT(info.result == cudaGraphExecUpdateSuccess, "result of the update: %d",
                   static_cast<int>(info.result));
        }
        CHECK(cudaGraphDestroy(graph));
        for (int launch = 1; launch <= 3; launch++) {
            for (int i = 0; i < kCount; i++) in[i] = static_cast<float>(launch);
            CHECK(cudaGraphLaunch(exec, stream));
            CHECK(cudaStreamSynchronize(stream));
            expect_all("captured", out, static_cast<float>(launch * (100 + round)));
        }
    }
    CHECK(cudaGraphExecDestroy(exec));
    CHECK(cudaEventDestroy(forked));
    CHECK(cudaEventDestroy(joined));
    CHECK(cudaStreamDestroy(side));
}

static void built(cudaStream_t stream, float* out, float* a, float* b) {
    cudaGraph_t graph, other;
    cudaGraphExec_t exec;
    CHECK(cudaGraphCreate(&graph, 0));
    cudaGraphNode_t kernel = build(graph, a, out, 3.0f);
    CHECK(cudaGraphInstantiate(&exec, graph, 0));
    for (int launch = 0; launch < 2; launch++) {
        CHECK(cudaGraphLaunch(exec, stream));
        CHECK(cudaStreamSynchronize(stream));
        expect_all("built", out, 36.0f);
    }

    int n = kCount;
    float factor = 5.0f;
    void* arguments[] = {&a, &n, &factor};
    cudaKernelNodeParams launch = {};
    launch.func = reinterpret_cast<void*>(scale);
    launch.gridDim = dim3(kCount / 256);
    launch.blockDim = dim3(256);
    launch.kernelParams = arguments;
    CHECK(cudaGraphExecKernelNodeSetParams(exec, kernel, &launch));
    CHECK(cudaGraphLaunch(exec, stream));
    CHECK(cudaStreamSynchronize(stream));
    expect_all("with another factor", out, 100.0f);

    // Another graph of the same shape takes over; one of another shape is refused and changes
    // nothing.
    CHECK(cudaGraphCreate(&other, 0));
    build(other, b, out, 7.0f);
    cudaGraphExecUpdateResultInfo info;
    CHECK(cudaGraphExecUpdate(exec, other, &info));
    cudaGraphNode_t extra;
    CHECK(cudaGraphAddEmptyNode(&extra, other, nullptr, 0));
    EXPECT_ERROR(cudaGraphExecUpdate(exec, other, &info), cudaErrorGraphExecUpdateFailure);
    EXPECT(info.result != cudaGraphExecUpdateSuccess, "a refused update reports success");
    (void)cudaGetLastError();
    CHECK(cudaGraphLaunch(exec, stream));
    CHECK(cudaStreamSynchronize(stream));
    expect_all("updated", out, 196.0f);

    // Clones and children are copies.
    cudaGraph_t clone, parent;
    cudaGraphNode_t child;
    CHECK(cudaGraphClone(&clone, graph));
    CHECK(cudaGraphCreate(&parent, 0));
    CHECK(cudaGraphAddChildGraphNode(&child, parent, nullptr, 0, clone));
    CHECK(cudaGraphDestroy(clone));
    CHECK(cudaGraphExecDestroy(exec));
    CHECK(cudaGraphInstantiate(&exec, parent, 0));
    CHECK(cudaGraphLaunch(exec, stream));
    CHECK(cudaStreamSynchronize(stream));
    expect_all("a child", out, 36.0f);
    CHECK(cudaGraphExecDestroy(exec));
    for (cudaGraph_t done : {graph, other, parent}) CHECK(cudaGraphDestroy(done));
}

static void refused(cudaStream_t stream, float* a) {
    cudaGraph_t graph = nullptr;
    EXPECT_ERROR(cudaStreamBeginCapture(cudaStreamLegacy, cudaStreamCaptureModeGlobal),
                 cudaErrorStreamCaptureUnsupported);
    (void)cudaGetLastError();
    CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    scale<<<kCount / 256, 256, 0, stream>>>(a, kCount, 2.0f);
    EXPECT_ERROR(cudaStreamSynchronize(stream), cudaErrorStreamCaptureUnsupported);
    EXPECT_ERROR(cudaStreamEndCapture(stream, &graph), cudaErrorStreamCaptureInvalidated);
    EXPECT(graph == nullptr, "an invalidated capture gave a graph");
    (void)cudaGetLastError();
    scale<<<kCount / 256, 256, 0, stream>>>(a, kCount, 2.0f);
    CHECK(cudaGetLastError());
    CHECK(cudaStreamSynchronize(stream));
}

int main() {
    float *in, *out, *a, *b;
    CHECK(cudaMallocHost(&in, kBytes));
    CHECK(cudaMallocHost(&out, kBytes));
    CHECK(cudaMalloc(&a, kBytes));
    CHECK(cudaMalloc(&b, kBytes));
    cudaStream_t stream;
    CHECK(cudaStreamCreate(&stream));
    captured(stream, in, out, a, b);
    built(stream, out, a, b);
    refused(stream, a);
    CHECK(cudaStreamDestroy(stream));
    CHECK(cudaFree(a));
    CHECK(cudaFree(b));
    CHECK(cudaFreeHost(in));
    CHECK(cudaFreeHost(out));
    return passed("captured, built and updated graphs");
}
