// Copies and kernels that overlap: each of four streams takes a block of pinned memory to the
// device, computes on it and takes it back, over and over.
#include "measure.h"

constexpr int kStreams = 4, kBlocks = 32, kWords = 1 << 20;

__global__ void stir(uint32_t* words, int n, int rounds) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    uint32_t word = words[i];
    for (int round = 0; round < rounds; round++) word = word * 1664525u + 1013904223u;
    words[i] = word;
}

int main(int argc, char** argv) {
    cudaStream_t streams[kStreams];
    uint32_t *in[kStreams], *out[kStreams], *device[kStreams];
    for (int s = 0; s < kStreams; s++) {
        CHECK(cudaStreamCreate(&streams[s]));
        CHECK(cudaMallocHost(&in[s], kWords * 4));
        CHECK(cudaMallocHost(&out[s], kWords * 4));
        CHECK(cudaMalloc(&device[s], kWords * 4));
        for (int i = 0; i < kWords; i++) in[s][i] = i * 2654435761u + s;
    }
    return measure("overlap", repeats(argc, argv), [&] {
        for (int block = 0; block < kBlocks; block++) {
            int s = block % kStreams;
            CHECK(
                cudaMemcpyAsync(device[s], in[s], kWords * 4, cudaMemcpyHostToDevice, streams[s]));
            stir<<<kWords / 256, 256, 0, streams[s]>>>(device[s], kWords, 2000 + block);
            CHECK(
                cudaMemcpyAsync(out[s], device[s], kWords * 4, cudaMemcpyDeviceToHost, streams[s]));
        }
        CHECK(cudaDeviceSynchronize());
        uint64_t sum = checksum(out[0], 1024);
        for (int s = 1; s < kStreams; s++) sum = checksum(out[s], 1024, sum);
        return sum;
    });
}
