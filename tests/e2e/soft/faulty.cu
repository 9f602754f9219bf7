// One fault per word of the command line, and how the runtime reports it.
#include <cuda_runtime.h>

#include <cstdio>
#include <cstring>

__global__ void fine(int* out) {
    __shared__ int all[64];
    all[threadIdx.x] = threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = all[63 - threadIdx.x];
    __syncthreads();
    for (int i = 0; i < 4; i++) {
        all[threadIdx.x] = i + __shfl_xor_sync(~0u, out[threadIdx.x], 1);
        __syncwarp();
        out[threadIdx.x] += all[threadIdx.x ^ 3];
        __syncwarp();
    }
}
__global__ void beyond(int* out) { out[blockIdx.x * 64 + threadIdx.x] = 1; }
__global__ void beyond_shared(int* out, int shift) {
    __shared__ int all[64];
    all[threadIdx.x + shift] = 1;
    __syncthreads();
    out[threadIdx.x] = all[threadIdx.x];
}
__global__ void race(int* out) {
    __shared__ int all[64];
    all[threadIdx.x] = 0;
    __syncthreads();
    all[threadIdx.x] = threadIdx.x;
    out[threadIdx.x] = all[(threadIdx.x + 33) % 64];
}
__global__ void unwritten(int* in, int* out) { out[threadIdx.x] = in[threadIdx.x]; }
__global__ void unwritten_shared(int* out) {
    __shared__ int all[64];
    if (threadIdx.x < 63) all[threadIdx.x] = 1;
    __syncthreads();
    out[threadIdx.x] = all[threadIdx.x];
}
__global__ void misaligned(char* out) { *reinterpret_cast<int*>(out + 1) = 1; }
__global__ void endless(volatile int* out, int step) {
    for (unsigned i = 1; i; i += 2 * step) *out = i;
}

int main(int, char** words) {
    int *a, *b;
    cudaMalloc(&a, 400);
    cudaMalloc(&b, 400);
    const char* word = words[1];
    auto is = [&](const char* name) { return std::strcmp(word, name) == 0; };
    if (is("fine")) fine<<<1, 64>>>(a);
    if (is("beyond")) beyond<<<2, 64>>>(a);
    if (is("beyond_shared")) beyond_shared<<<1, 64>>>(a, 1);
    if (is("race")) race<<<1, 64>>>(a);
    if (is("unwritten")) unwritten<<<1, 64>>>(a, b);
    if (is("unwritten_shared")) unwritten_shared<<<1, 64>>>(a);
    if (is("misaligned")) misaligned<<<1, 1>>>(reinterpret_cast<char*>(a));
    if (is("endless")) endless<<<1, 1>>>(a, 1);
    std::printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
}
