// A program whose only kernel holds an instruction that the software GPU refuses, and that bears
// the error.
#include <cstdio>

__global__ void refused(int* out) {
    int sum;
    asm("vadd.s32.s32.s32 %0, %1, %2;" : "=r"(sum) : "r"(*out), "r"(5));
    *out = sum;
}

int main() {
    int* out;
    cudaMalloc(&out, sizeof(int));
    refused<<<1, 1>>>(out);
    cudaError_t launched = cudaGetLastError();
    printf("%s\n", cudaGetErrorName(launched != cudaSuccess ? launched : cudaDeviceSynchronize()));
}
