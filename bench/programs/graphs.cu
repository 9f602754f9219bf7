// Many small graphs: each is captured, instantiated, replayed a few times and destroyed, as
// optimizers do.
#include "measure.h"

constexpr int kGraphs = 100, kKernels = 20, kReplays = 5, kWords = 4096;

__global__ void add(uint32_t* words, uint32_t what) {
    words[blockIdx.x * blockDim.x + threadIdx.x] += what;
}

int main(int argc, char** argv) {
    uint32_t *words, *host;
    cudaStream_t stream, side;
    cudaEvent_t forked, joined;
    CHECK(cudaMalloc(&words, 2 * kWords * 4));
    CHECK(cudaMallocHost(&host, kWords * 4));
    CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    CHECK(cudaStreamCreateWithFlags(&side, cudaStreamNonBlocking));
    CHECK(cudaEventCreateWithFlags(&forked, cudaEventDisableTiming));
    CHECK(cudaEventCreateWithFlags(&joined, cudaEventDisableTiming));
    return measure("graphs", repeats(argc, argv), [&] {
        CHECK(cudaMemsetAsync(words, 0, 2 * kWords * 4, stream));
        for (int i = 0; i < kGraphs; i++) {
            cudaGraph_t graph;
            cudaGraphExec_t executable;
            CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
            CHECK(cudaEventRecord(forked, stream));
            CHECK(cudaStreamWaitEvent(side, forked, 0));
            for (int k = 0; k < kKernels; k++) {
                add<<<kWords / 256, 256, 0, stream>>>(words, k + i);
                add<<<kWords / 256, 256, 0, side>>>(words + kWords, k * i);
            }
            CHECK(cudaEventRecord(joined, side));
            CHECK(cudaStreamWaitEvent(stream, joined, 0));
            CHECK(cudaStreamEndCapture(stream, &graph));
            CHECK(cudaGraphInstantiate(&executable, graph, 0));
            for (int replay = 0; replay < kReplays; replay++)
                CHECK(cudaGraphLaunch(executable, stream));
            CHECK(cudaStreamSynchronize(stream));
            CHECK(cudaGraphExecDestroy(executable));
            CHECK(cudaGraphDestroy(graph));
        }
        CHECK(cudaMemcpyAsync(host, words + kWords, kWords * 4, cudaMemcpyDeviceToHost, stream));
        CHECK(cudaStreamSynchronize(stream));
        return checksum(host, kWords);
    });
}
